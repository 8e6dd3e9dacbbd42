/** Runs documents through the tokeniser kernels and gives their quads in the form of the twins. */

import assert from 'node:assert/strict';
import { Parser, type Quad, type Term } from 'n3';
import { createMemory, instantiate } from '../../engine/kernels/instance.js';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { isTokeniseError, TOKENISE } from '../../engine/kernels/tokenise-errors.js';
import {
  QUAD_RECORD_BYTES,
  TERM_KIND,
  TERM_KIND_SHIFT,
  TERM_LENGTH_MASK,
  type TermKind,
  TOKENISE_FLAG,
  TOKENISER_STATE_BYTES,
  TokeniserState,
} from '../../engine/kernels/tokenise-state.js';
import { terms } from '../../engine/rdf/terms.js';
import type { TwinQuad, TwinResult, TwinTerm } from './twins/term-reader.js';
import { tokeniseLinesTwin } from './twins/tokenise-lines.js';
import { tokeniseTurtleTwin } from './twins/tokenise-turtle.js';

export type Syntax = 'ntriples' | 'nquads' | 'turtle' | 'trig';

export function isLines(syntax: Syntax): boolean {
  return syntax === 'ntriples' || syntax === 'nquads';
}

export function hasGraphs(syntax: Syntax): boolean {
  return syntax === 'nquads' || syntax === 'trig';
}

export function twin(syntax: Syntax, bytes: Uint8Array, base?: string): TwinResult {
  if (isLines(syntax)) return tokeniseLinesTwin(bytes, hasGraphs(syntax));
  return tokeniseTurtleTwin(bytes, hasGraphs(syntax), base);
}

const CANARY = 0xa5;
const CANARY_BYTES = 256;

/** Memory of one kernel instance with canaries around every area that a kernel may write. */
export class KernelBench {
  private readonly memory = createMemory();
  private readonly kernels = instantiate(this.memory);
  private readonly state: TokeniserState;
  private readonly stateAt: number;
  private readonly recordsAt: number;
  private readonly scratchAt: number;
  private readonly inputAt: number;

  constructor(
    readonly inputBytes = 1 << 20,
    readonly recordsBytes = 1 << 22,
    readonly scratchBytes = 1 << 20,
  ) {
    const room = (bytes: number) => Math.ceil(bytes / 64) * 64 + 2 * CANARY_BYTES;
    this.stateAt = (1 << 17) + CANARY_BYTES;
    this.recordsAt = this.stateAt + room(TOKENISER_STATE_BYTES);
    this.scratchAt = this.recordsAt + room(recordsBytes);
    this.inputAt = this.scratchAt + room(scratchBytes);
    const end = this.inputAt + room(inputBytes);
    this.memory.grow(Math.ceil(end / 65536) - this.memory.buffer.byteLength / 65536);
    this.bytes.fill(CANARY, 0, end);
    this.state = new TokeniserState(this.memory.buffer, this.stateAt);
  }

  private get bytes(): Uint8Array {
    return new Uint8Array(this.memory.buffer);
  }

  private checkCanaries(): void {
    const bytes = this.bytes;
    const gaps = [
      [this.stateAt + TOKENISER_STATE_BYTES, this.recordsAt],
      [this.recordsAt + this.recordsBytes, this.scratchAt],
      [this.scratchAt + this.scratchBytes, this.inputAt],
    ] as const;
    for (const [from, to] of gaps) {
      assert.ok(to > from);
      for (let i = from; i < to; i++) if (bytes[i] !== CANARY) assert.fail(`a kernel wrote outside its areas, at ${i}`);
    }
  }

  private decode(start: number, length: number): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.bytes.slice(start, start + length));
  }

  private term(words: Uint32Array, at: number): TwinTerm {
    const kind = (words[at + 1]! >>> TERM_KIND_SHIFT) as TermKind;
    const length = words[at + 1]! & TERM_LENGTH_MASK;
    const lexical = kind === TERM_KIND.anonymous ? String(length) : this.decode(words[at]!, length);
    return { kind, lexical, qualifier: this.decode(words[at + 2]!, words[at + 3]!) };
  }

  private takeQuads(into: TwinQuad[]): void {
    const { quads } = this.state;
    const words = new Uint32Array(this.memory.buffer, this.recordsAt, (quads * QUAD_RECORD_BYTES) / 4);
    for (let i = 0; i < words.length; i += 16) {
      into.push([this.term(words, i), this.term(words, i + 4), this.term(words, i + 8), this.term(words, i + 12)]);
    }
  }

  /**
   * Reads a document that is handed over in pieces that end at the given offsets (ascending). What
   * a call leaves unread comes again in the next one, moved to another place.
   */
  run(syntax: Syntax, document: Uint8Array, base?: string, cuts: readonly number[] = []): TwinResult {
    const call = isLines(syntax) ? this.kernels.tokeniseLines : this.kernels.tokeniseTurtle;
    const graphs = hasGraphs(syntax) ? TOKENISE_FLAG.graphs : 0;
    this.state.initialise(
      {
        recordsBase: this.recordsAt,
        recordsEnd: this.recordsAt + this.recordsBytes,
        scratchBase: this.scratchAt,
        scratchEnd: this.scratchAt + this.scratchBytes,
      },
      base,
      this.kernels.zero,
    );
    const quads: TwinQuad[] = [];
    let read = 0;
    const ends = [...cuts, document.length];
    for (let i = 0; i < ends.length; ) {
      const end = ends[i]!;
      const last = i === ends.length - 1;
      const piece = document.subarray(read, end);
      assert.ok(piece.length <= this.inputBytes);
      this.bytes.set(piece, this.inputAt);
      // Whatever stands behind the input must not matter.
      const behind = this.inputAt + piece.length;
      this.bytes.fill([0x20, 0x22, 0x3e, 0x0a, 0xff, CANARY][end % 6]!, behind, behind + 64);
      const before = this.bytes.slice(this.inputAt, behind + 64);
      const code = call(this.stateAt, this.inputAt, piece.length, graphs | (last ? TOKENISE_FLAG.last : 0));
      assert.equal(code, this.state.status);
      assert.deepEqual(this.bytes.slice(this.inputAt, behind + 64), before, 'the input is as it was');
      this.checkCanaries();
      this.takeQuads(quads);
      if (isTokeniseError(code) || code === TOKENISE.needsSlowPath) {
        return { code, offset: read + this.state.errorOffset, quads };
      }
      const full = code === TOKENISE.recordsFull || code === TOKENISE.scratchFull;
      if (full && this.state.quads === 0) return { code, offset: 0, quads };
      read += this.state.consumed;
      if (!full) i++;
    }
    assert.equal(read, document.length, 'the last call consumes everything');
    return { code: TOKENISE.ok, offset: 0, quads };
  }
}

/** Batches of the wrapper class, as quads; errors pass through. */
export function runTokeniser(tokeniser: {
  next(): boolean;
  batch: { quads: number };
  term(index: number): TwinTerm;
}): TwinQuad[] {
  const quads: TwinQuad[] = [];
  while (tokeniser.next()) {
    for (let i = 0; i < tokeniser.batch.quads; i++) {
      const at = 16 * i;
      quads.push([0, 4, 8, 12].map((k) => tokeniser.term(at + k)) as unknown as TwinQuad);
    }
  }
  return quads;
}

export function newThreadMemory(): ThreadMemory {
  return new ThreadMemory();
}

const XSD_STRING = 'http://www.w3.org/2001/XMLSchema#string';

function fromN3(term: Term): TwinTerm {
  switch (term.termType) {
    case 'NamedNode':
      return { kind: TERM_KIND.iri, lexical: term.value, qualifier: '' };
    case 'BlankNode':
      return { kind: TERM_KIND.blank, lexical: term.value, qualifier: '' };
    case 'DefaultGraph':
      return { kind: TERM_KIND.defaultGraph, lexical: '', qualifier: '' };
    case 'Literal': {
      const direction = (term as { direction?: string }).direction;
      if (term.language && direction) {
        return {
          kind: TERM_KIND.direction,
          lexical: term.value,
          qualifier: `${term.language}--${direction}`,
        };
      }
      if (term.language) return { kind: TERM_KIND.language, lexical: term.value, qualifier: term.language };
      if (term.datatype.value === XSD_STRING) return { kind: TERM_KIND.string, lexical: term.value, qualifier: '' };
      return { kind: TERM_KIND.typed, lexical: term.value, qualifier: term.datatype.value };
    }
    default:
      throw new Error(`no such term in these syntaxes: ${term.termType}`);
  }
}

const N3_FORMATS = { ntriples: 'N-Triples', nquads: 'N-Quads', turtle: 'Turtle', trig: 'TriG' } as const;

/** The quads as n3 reads them; its own terms would have language tags in lower case. */
export function withN3(syntax: Syntax, text: string, base?: string): TwinQuad[] {
  const parser = new Parser({
    format: N3_FORMATS[syntax],
    factory: terms as never,
    ...(base === undefined ? {} : { baseIRI: base }),
  });
  return parser
    .parse(text)
    .map((q: Quad) => [fromN3(q.subject), fromN3(q.predicate), fromN3(q.object), fromN3(q.graph)]);
}

function isBlank(term: TwinTerm): boolean {
  return term.kind === TERM_KIND.blank || term.kind === TERM_KIND.anonymous;
}

function keyOf(term: TwinTerm): string {
  return JSON.stringify([term.kind, term.lexical, term.qualifier]);
}

/** Names blank nodes by what surrounds them, refined until nothing changes. */
function colours(quads: readonly TwinQuad[]): Map<string, string> {
  const colour = new Map<string, string>();
  for (const quad of quads) for (const t of quad) if (isBlank(t)) colour.set(keyOf(t), '*');
  const show = (t: TwinTerm, self: string) =>
    !isBlank(t) ? keyOf(t) : keyOf(t) === self ? '@' : colour.get(keyOf(t))!;
  let classes = 0;
  for (;;) {
    const next = new Map<string, string[]>([...colour.keys()].map((k) => [k, []]));
    for (const quad of quads) {
      for (const self of new Set(quad.filter(isBlank).map(keyOf)))
        next.get(self)!.push(quad.map((t) => show(t, self)).join(' '));
    }
    const signature = new Map([...next].map(([k, lines]) => [k, `${colour.get(k)}|${lines.sort().join('\n')}`]));
    const names = [...new Set(signature.values())].sort();
    if (names.length === classes) return colour;
    classes = names.length;
    for (const [k, s] of signature) colour.set(k, shortName(s));
  }
}

/** A name for a signature that is the same in both documents. */
const shortNames = new Map<string, string>();
function shortName(signature: string): string {
  let name = shortNames.get(signature);
  if (name === undefined) {
    name = `c${shortNames.size}`;
    shortNames.set(signature, name);
  }
  return name;
}

/** The quads as sorted, deduplicated lines, blank nodes named by colour. */
function canonicalLines(quads: readonly TwinQuad[]): string[] {
  const colour = colours(quads);
  return [...new Set(quads.map((q) => q.map((t) => (isBlank(t) ? colour.get(keyOf(t)) : keyOf(t))).join(' ')))].sort();
}

/**
 * Fails unless both are the same dataset up to the names of blank nodes. Colour refinement can take
 * two different datasets for the same only where nodes are told apart by nothing but cycles.
 */
export function assertIsomorphic(actual: readonly TwinQuad[], expected: readonly TwinQuad[], what: string): void {
  assert.deepEqual(canonicalLines(actual), canonicalLines(expected), what);
}
