/**
 * Reads the text that the tokeniser kernels leave (statements with triple terms) through the library of
 * the formats, into slots. The text is read as if the document went on: base, prefixes and an open graph
 * block are written in front of it, anonymous nodes are counted on, and errors have the document's places.
 */

import { type InputPosition, SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { DocumentContext, GraphContext, TokeniserState } from '../../kernels/tokenise-state.js';
import { DocumentBlankNodes } from '../../rdf/blank-node-scope.js';
import type { BlankNodeMaker } from '../../rdf/formats/reader.js';
import type { Format } from '../../rdf/formats/registry.js';
import type { Quad } from '../../rdf/terms.js';
import type { ByteInput } from './byte-input.js';
import type { ScopeAreas } from './document-scopes.js';
import { QuadRecorder } from './quad-recorder.js';
import type { SlotAreas } from './slot.js';

const READ_BYTES = 65_536;
/** What is written in front takes one line. */
const LINES_IN_FRONT = 1;

/** The document, as its tokeniser knows it. */
export interface LeftDocument {
  readonly name: string;
  readonly format: Format;
  readonly statementBytesMax: number;
}

/** What is to be read, and where in the document it begins. */
export interface LeftText {
  readonly bytes: Uint8Array;
  /** What follows the bytes; null = nothing. */
  readonly rest: ByteInput | null;
  /** Lines before it, and code points before it on its first line. */
  readonly place: { readonly lines: number; readonly columns: number };
}

export class LibraryReader {
  readonly #memory: ThreadMemory;
  readonly #document: LeftDocument;
  readonly #left: LeftText;
  readonly #context: DocumentContext;
  readonly #anonymous: number;
  #batches: AsyncIterator<readonly Quad[]> | null = null;
  #batch: readonly Quad[] = [];
  #taken = 0;

  constructor(memory: ThreadMemory, document: LeftDocument, state: TokeniserState, left: LeftText) {
    this.#memory = memory;
    this.#document = document;
    this.#left = left;
    this.#context = state.context;
    this.#anonymous = state.anonymousCount;
  }

  /** The next quads, with provisional labels; none at the end. */
  async take(): Promise<readonly Quad[]> {
    while (await this.#pull()) if (this.#batch.length > 0) return this.#batch;
    return [];
  }

  /** Records quads in a slot; returns how many, 0 at the end. */
  async fill(slot: SlotAreas, scope: ScopeAreas): Promise<number> {
    const recorder = new QuadRecorder(this.#memory, slot, scope, this.#document.statementBytesMax);
    while (this.#taken < this.#batch.length || (await this.#pull())) {
      while (this.#taken < this.#batch.length) {
        if (!recorder.add(this.#batch[this.#taken] as Quad)) return recorder.quads;
        this.#taken++;
      }
    }
    return recorder.quads;
  }

  async #pull(): Promise<boolean> {
    this.#batches ??= await this.#begin();
    try {
      const { done, value } = await this.#batches.next();
      this.#batch = done ? [] : value;
      this.#taken = 0;
      return done !== true;
    } catch (error) {
      throw this.#placed(error);
    }
  }

  async #begin(): Promise<AsyncIterator<readonly Quad[]>> {
    // Loaded when needed: it brings the libraries of all formats with it.
    const { readQuads } = await import('../../rdf/formats/reader.js');
    const { name, format } = this.#document;
    const { baseIri } = this.#context;
    return readQuads(this.#bytes(), { format, sourceName: name, baseIri, blankNode: this.#nodes() });
  }

  async *#bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(textInFront(this.#context));
    yield this.#left.bytes;
    for (;;) {
      const chunk = new Uint8Array(READ_BYTES);
      const n = (await this.#left.rest?.read(chunk)) ?? 0;
      if (n === 0) return;
      yield chunk.subarray(0, n);
    }
  }

  /** The first anonymous node is the one that names the open graph block, if one does. */
  #nodes(): BlankNodeMaker {
    const nodes = new DocumentBlankNodes(this.#anonymous);
    const { graph } = this.#context;
    let waiting = graph?.kind === 'anonymous' ? graph.number : null;
    return (label) => {
      if (label !== null || waiting === null) return nodes.make(label);
      const number = waiting;
      waiting = null;
      return new DocumentBlankNodes(number).make(null);
    };
  }

  #placed(error: unknown): unknown {
    if (!(error instanceof SvcError) || error.position?.line === undefined) return error;
    const { code, message, hint, cause } = error;
    const position = placeInDocument(error.position, error.position.line, this.#left.place);
    return new SvcError(code, message, { position, cause, ...(hint === undefined ? {} : { hint }) });
  }
}

function placeInDocument(position: InputPosition, line: number, { lines, columns }: LeftText['place']): InputPosition {
  const own = Math.max(1, line - LINES_IN_FRONT);
  const column = (position.column ?? 1) + (own === 1 ? columns : 0);
  return { ...position, line: lines + own, column };
}

function textInFront({ prefixes, graph }: DocumentContext): string {
  const declared = prefixes.map(([name, iri]) => `@prefix ${name}: <${iri}> . `);
  return `${declared.join('')}${graph === null ? '' : `${graphName(graph)}{`}\n`;
}

function graphName(graph: GraphContext): string {
  switch (graph.kind) {
    case 'default':
      return '';
    case 'iri':
      return `<${graph.iri}> `;
    case 'blank':
      return `_:${graph.label} `;
    case 'anonymous':
      return '[] ';
  }
}
