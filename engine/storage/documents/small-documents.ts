/**
 * Small documents of triples -> quads as they are stored, by the grammar of the bulk loader: the same tokeniser, the same
 * library for what it leaves (statements with triple terms), the same errors with the same places.
 *
 * 1. A document is tokenised as a whole, in the kernel memory of the thread, into term records.
 * 2. Records become terms. Neighbours that name the same bytes are the same term: subjects and predicates of one block.
 * 3. A blank node gets its stored label at once: all bytes are there to be hashed when the first one is met.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import { invariant } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { threadMemory } from '../../kernels/thread-memory.js';
import {
  QUAD_RECORD_BYTES,
  TERM_KIND,
  TERM_KIND_SHIFT,
  TERM_LENGTH_MASK,
  TERM_RECORD_BYTES,
  TOKENISER_STATE_BYTES,
  TokeniserState,
} from '../../kernels/tokenise-state.js';
import { type BlankNodeScope, resolveLabel } from '../../rdf/blank-node-scope.js';
import { type Quad, type Term, terms } from '../../rdf/terms.js';
import { BytesInput } from '../bulk/byte-input.js';
import { type DocumentSetup, DocumentTokeniser, isTokenised } from '../bulk/document-tokeniser.js';
import { describeDocument, distinctNames, finalDigits, type LoadDocument } from '../bulk/documents.js';
import type { LibraryReader } from '../bulk/library-reader.js';
import { allocateSlot, freeSlot, type SlotAreas } from '../bulk/slot.js';
import type { LoadOptions, LoadSource } from '../seam/engine.js';
import { graphTerm, type ReadResult, settled } from './read-sources.js';

/** Some thousand triples: about here the loader begins to be the cheaper way. */
const SMALL_BYTES_MAX = 128 * 1024;
/** A document of so many bytes has a triple, roughly; a slot that is too small grows. */
const BYTES_PER_QUAD_GUESS = 32;
const QUADS_MIN = 64;

/** Documents of triples that are there as a whole, and small. */
export function areSmall(sources: readonly LoadSource[]): boolean {
  let bytes = 0;
  for (const source of sources) {
    if (source.kind !== 'bytes' || !(source.bytes instanceof Uint8Array)) return false;
    if (source.format !== 'turtle' && source.format !== 'ntriples') return false;
    if ((source.compression ?? 'none') !== 'none') return false;
    bytes += source.bytes.length;
  }
  return bytes <= SMALL_BYTES_MAX;
}

/** Reads documents that `areSmall`. */
export async function readSmall(
  sources: readonly LoadSource[],
  options: LoadOptions,
  control: Control,
): Promise<ReadResult> {
  const documents = sources.map(describeDocument);
  const names = distinctNames(documents);
  const graph = graphTerm(options.graph);
  const quads: Quad[] = [];
  let bytesRead = 0;
  for (const [at, document] of documents.entries()) {
    throwIfStopped(control, 'the load');
    bytesRead += await readDocument(document, { distinctName: names[at], graph, options }, quads);
  }
  return { quads, bytesRead };
}

interface Destination {
  /** Told apart from other documents of the load by it. */
  readonly distinctName: string | undefined;
  readonly graph: Quad['graph'];
  readonly options: LoadOptions;
}

async function readDocument(
  document: LoadDocument,
  { distinctName, graph, options }: Destination,
  quads: Quad[],
): Promise<number> {
  const { source, format, name, baseIri } = document;
  invariant(source.kind === 'bytes' && source.bytes instanceof Uint8Array, 'a small document is there as a whole');
  invariant(format !== null && isTokenised(format), 'a small document is in a format of the tokeniser');
  const { bytes } = source;
  const memory = threadMemory();
  const state = memory.allocate(TOKENISER_STATE_BYTES);
  const quadsExpected = QUADS_MIN + Math.ceil(bytes.length / BYTES_PER_QUAD_GUESS);
  // One byte more than the document has: the tokeniser looks for the end in the same go.
  const slot = allocateSlot(memory, bytes.length + 1, quadsExpected);
  try {
    const areas = { recordsBase: 0, recordsEnd: 0, scratchBase: 0, scratchEnd: 0 };
    new TokeniserState(memory.memory.buffer, state).initialise(areas, baseIri, memory.kernels.zero);
    const input = new BytesInput(bytes);
    const setup = { name, format, state, statementBytesMax: options.statementBytesMax ?? Number.POSITIVE_INFINITY };
    const labels = new StoredLabels(input, options, distinctName);
    const tokeniser = new QuadTokeniser(memory, setup, input, quads, labels, graph);
    while ((await tokeniser.next(slot)) !== null);
    return bytes.length;
  } finally {
    freeSlot(memory, slot);
    memory.free(state, TOKENISER_STATE_BYTES);
  }
}

/** The stored labels of a document's blank nodes. */
class StoredLabels {
  readonly #input: BytesInput;
  readonly #options: LoadOptions;
  readonly #distinctName: string | undefined;
  readonly #scope: BlankNodeScope;
  #digits: string | null = null;

  constructor(input: BytesInput, options: LoadOptions, distinctName: string | undefined) {
    this.#input = input;
    this.#options = options;
    this.#distinctName = distinctName;
    this.#scope = options.blankNodeScope ?? 'document';
  }

  readonly of = (provisional: string): string => {
    this.#digits ??= finalDigits(this.#options, this.#input.digest(), this.#distinctName);
    return resolveLabel(provisional, this.#digits, this.#scope);
  };
}

/** A term of one position, and the words of the record that it was made of. */
interface LastTerm {
  address: number;
  word: number;
  qualifier: number;
  term: Term | null;
}

class QuadTokeniser extends DocumentTokeniser {
  readonly #memory: ThreadMemory;
  readonly #quads: Quad[];
  readonly #labels: StoredLabels;
  readonly #graph: Quad['graph'];
  readonly #last: readonly LastTerm[] = Array.from({ length: 3 }, () => ({
    address: 0,
    word: 0,
    qualifier: 0,
    term: null,
  }));
  #text: Buffer;

  constructor(
    memory: ThreadMemory,
    setup: DocumentSetup,
    input: BytesInput,
    quads: Quad[],
    labels: StoredLabels,
    graph: Quad['graph'],
  ) {
    super(memory, setup, input);
    this.#memory = memory;
    this.#quads = quads;
    this.#labels = labels;
    this.#graph = graph;
    this.#text = Buffer.from(memory.memory.buffer);
  }

  protected override deliver(slot: SlotAreas, quads: number): void {
    const memory = this.#memory;
    invariant(quads <= slot.quads, 'a slot holds no more quads than it has room for');
    this.#text = Buffer.from(memory.memory.buffer);
    // The texts of the piece before are gone.
    for (const last of this.#last) last.term = null;
    const words = memory.words;
    for (let quad = 0; quad < quads; quad++) {
      const at = (slot.records + quad * QUAD_RECORD_BYTES) >>> 2;
      const subject = this.#termAt(words, at, 0) as Quad['subject'];
      const predicate = this.#termAt(words, at, 1) as Quad['predicate'];
      this.#quads.push(terms.quad(subject, predicate, this.#termAt(words, at, 2) as Quad['object'], this.#graph));
    }
  }

  protected override async deliverFrom(library: LibraryReader): Promise<number> {
    const batch = await library.take();
    for (const quad of batch) this.#quads.push(settled(quad, this.#graph, this.#labels.of));
    return batch.length;
  }

  #termAt(words: Uint32Array, quad: number, position: number): Term {
    const at = quad + (position * TERM_RECORD_BYTES) / 4;
    const [address, word, qualifier] = [words[at] as number, words[at + 1] as number, words[at + 2] as number];
    const last = this.#last[position] as LastTerm;
    if (last.term !== null && last.address === address && last.word === word && last.qualifier === qualifier) {
      return last.term;
    }
    last.address = address;
    last.word = word;
    last.qualifier = qualifier;
    last.term = this.#decode(address, word, qualifier, words[at + 3] as number);
    return last.term;
  }

  #decode(address: number, word: number, qualifier: number, qualifierLength: number): Term {
    const length = word & TERM_LENGTH_MASK;
    const kind = word >>> TERM_KIND_SHIFT;
    if (kind === TERM_KIND.anonymous) return terms.blankNode(this.#labels.of(`a${length}`));
    const text = this.#text.toString('utf8', address, address + length);
    switch (kind) {
      case TERM_KIND.iri:
        return terms.namedNode(text);
      case TERM_KIND.blank:
        return terms.blankNode(this.#labels.of(`-${text}`));
      case TERM_KIND.string:
        return terms.literal(text);
    }
    const about = this.#text.toString('utf8', qualifier, qualifier + qualifierLength);
    switch (kind) {
      case TERM_KIND.language:
        return terms.literal(text, about);
      case TERM_KIND.direction: {
        const [language, direction] = about.split('--') as [string, 'ltr' | 'rtl'];
        return terms.literal(text, { language, direction });
      }
      default:
        invariant(kind === TERM_KIND.typed, 'a term of a document of triples is of a kind that is known');
        return terms.literal(text, terms.namedNode(about));
    }
  }
}
