/**
 * The state struct of a tokeniser, seen from TypeScript: how large it is, how it is made ready, and
 * what a call left in it. The table of its fields is at the head of `as/tokenise-state.ts`.
 *
 * After `initialise`, an object holds nothing but views: several may look at one struct, and the
 * struct alone decides how tokenising goes on.
 */

import { invariant } from '../base/errors.js';
import { TERM_KIND } from './as/term-codes.js';
import { FIELD, TOKENISE_FLAG } from './as/tokenise-codes.js';
import { NESTING_MAX, PREFIXES_MAX } from './tokenise-errors.js';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** In the order of the indexes in `as/tokenise-state.ts`. */
const WELL_KNOWN = [
  `${XSD}string`,
  `${XSD}integer`,
  `${XSD}decimal`,
  `${XSD}double`,
  `${XSD}boolean`,
  `${RDF}type`,
  `${RDF}first`,
  `${RDF}rest`,
  `${RDF}nil`,
  `${RDF}langString`,
  `${RDF}dirLangString`,
];

const HEADER_BYTES = 512;
const WELL_KNOWN_BYTES = 1024;
const GRAPH_NAME_BYTES = 16_384;
/** Twice the prefixes, so that probing stays short. */
const PREFIX_SLOTS = 2 * PREFIXES_MAX;
const PREFIX_SLOT_BYTES = 32;
const NAMES_BYTES = 512 * 1024;
/** Subject and predicate of the statement itself and of every open bracket in it. */
const FRAMES_BYTES = 32 * (NESTING_MAX + 1);

const WELL_KNOWN_AT = HEADER_BYTES;
const GRAPH_NAME_AT = WELL_KNOWN_AT + WELL_KNOWN_BYTES;
const FRAMES_AT = GRAPH_NAME_AT + GRAPH_NAME_BYTES;
const PREFIX_SLOTS_AT = FRAMES_AT + FRAMES_BYTES;
const NAMES_AT = PREFIX_SLOTS_AT + PREFIX_SLOTS * PREFIX_SLOT_BYTES;

/** Memory that a state struct takes, its prefix table and names included. */
export const TOKENISER_STATE_BYTES = NAMES_AT + NAMES_BYTES;
/** Readable and writable bytes that must follow an input. */
export const INPUT_PADDING_BYTES = 64;

export const TERM_RECORD_BYTES = 16;
export const QUAD_RECORD_BYTES = 64;
export const TERM_LENGTH_MASK = 0x0fff_ffff;
export const TERM_KIND_SHIFT = 28;

export { TERM_KIND, TOKENISE_FLAG };
export type TermKind = TERM_KIND;

export interface TokeniserAreas {
  /** Where quads go, 64 bytes each, 16-byte aligned. */
  readonly recordsBase: number;
  readonly recordsEnd: number;
  /** Where terms go that are not in the input as such. */
  readonly scratchBase: number;
  readonly scratchEnd: number;
}

/** What statements to come are read against. */
export interface DocumentContext {
  readonly baseIri: string | undefined;
  /** Names and namespace IRIs. */
  readonly prefixes: readonly (readonly [name: string, iri: string])[];
  /** The graph block that is open; null = none. */
  readonly graph: GraphContext | null;
}

export type GraphContext =
  | { readonly kind: 'default' }
  | { readonly kind: 'iri'; readonly iri: string }
  | { readonly kind: 'blank'; readonly label: string }
  | { readonly kind: 'anonymous'; readonly number: number };

const encoder = new TextEncoder();

export class TokeniserState {
  readonly address: number;
  /** Words of the struct. */
  private readonly fields: Uint32Array;
  private readonly bytes: Uint8Array;
  private readonly memory: ArrayBufferLike;

  /** A view of the struct at `address` (16-byte aligned) of a memory. */
  constructor(memory: ArrayBufferLike, address: number) {
    invariant(address % 16 === 0, 'a tokeniser state is 16-byte aligned');
    this.address = address;
    this.memory = memory;
    this.fields = new Uint32Array(memory, address, HEADER_BYTES / 4);
    this.bytes = new Uint8Array(memory, address, TOKENISER_STATE_BYTES);
  }

  /**
   * Makes the struct ready for a new document; `baseIri` is the absolute IRI it is read against. `zero` is the kernel
   * of that name, which does it in an eighth of the time that JavaScript needs in shared memory.
   */
  initialise(areas: TokeniserAreas, baseIri: string | undefined, zero: (address: number, bytes: number) => void): void {
    zero(this.address, NAMES_AT);
    this.setAreas(areas);
    this.fields[FIELD.frames / 4] = this.address + FRAMES_AT;
    this.fields[FIELD.framesEnd / 4] = this.address + FRAMES_AT + FRAMES_BYTES;
    this.fields[FIELD.prefixSlots / 4] = this.address + PREFIX_SLOTS_AT;
    this.fields[FIELD.prefixMask / 4] = PREFIX_SLOTS - 1;
    this.fields[FIELD.graphName / 4] = this.address + GRAPH_NAME_AT;
    this.fields[FIELD.graphNameBytes / 4] = GRAPH_NAME_BYTES;
    this.fields[FIELD.namesNext / 4] = this.address + NAMES_AT;
    this.fields[FIELD.namesEnd / 4] = this.address + TOKENISER_STATE_BYTES;
    this.writeWellKnown();
    if (baseIri !== undefined) this.writeBase(baseIri);
  }

  setAreas(areas: TokeniserAreas): void {
    this.fields[FIELD.recordsBase / 4] = areas.recordsBase;
    this.fields[FIELD.recordsEnd / 4] = areas.recordsEnd;
    this.fields[FIELD.scratchBase / 4] = areas.scratchBase;
    this.fields[FIELD.scratchEnd / 4] = areas.scratchEnd;
    this.fields[FIELD.scratchNext / 4] = areas.scratchBase;
  }

  private writeWellKnown(): void {
    let at = WELL_KNOWN_AT;
    WELL_KNOWN.forEach((iri, index) => {
      const bytes = encoder.encode(iri);
      this.bytes.set(bytes, at);
      this.fields[FIELD.wellKnown / 4 + 2 * index] = this.address + at;
      this.fields[FIELD.wellKnown / 4 + 2 * index + 1] = bytes.length;
      at += bytes.length;
    });
    invariant(at <= GRAPH_NAME_AT, 'the well-known IRIs fit their area');
  }

  private writeBase(iri: string): void {
    const bytes = encoder.encode(iri);
    invariant(bytes.length <= NAMES_BYTES / 2, 'a base IRI takes at most half of the names area');
    this.bytes.set(bytes, NAMES_AT);
    this.fields[FIELD.baseAddress / 4] = this.address + NAMES_AT;
    this.fields[FIELD.baseLength / 4] = bytes.length;
    this.fields[FIELD.baseCapacity / 4] = bytes.length;
    this.fields[FIELD.namesNext / 4] = this.address + NAMES_AT + bytes.length;
  }

  get status(): number {
    return this.fields[FIELD.status / 4]!;
  }

  /** The offending byte, counted from the base of the call's input. */
  get errorOffset(): number {
    return this.fields[FIELD.errorOffset / 4]!;
  }

  get quads(): number {
    return this.fields[FIELD.quads / 4]!;
  }

  get consumed(): number {
    return this.fields[FIELD.consumed / 4]!;
  }

  /** Scratch bytes that the last call's records point into. */
  get scratchUsed(): number {
    return this.fields[FIELD.scratchNext / 4]! - this.fields[FIELD.scratchBase / 4]!;
  }

  /** Anonymous blank nodes given out so far; they are numbered from 0. */
  get anonymousCount(): number {
    return this.fields[FIELD.anonymous / 4]!;
  }

  set anonymousCount(count: number) {
    this.fields[FIELD.anonymous / 4] = count;
  }

  /** At the last statement boundary, between two calls. */
  get context(): DocumentContext {
    const { fields } = this;
    const base = fields[FIELD.baseLength / 4]!;
    const baseIri = fields[FIELD.baseAddress / 4] === 0 ? undefined : this.textAt(fields[FIELD.baseAddress / 4]!, base);
    const slots = new Uint32Array(this.memory, fields[FIELD.prefixSlots / 4]!, PREFIX_SLOTS * (PREFIX_SLOT_BYTES / 4));
    const prefixes: [string, string][] = [];
    for (let at = 0; at < slots.length; at += PREFIX_SLOT_BYTES / 4) {
      if (slots[at] === 0) continue;
      prefixes.push([this.textAt(slots[at]!, slots[at + 1]!), this.textAt(slots[at + 4]!, slots[at + 5]!)]);
    }
    return { baseIri, prefixes, graph: fields[FIELD.graphOpen / 4] === 0 ? null : this.openGraph() };
  }

  private openGraph(): GraphContext {
    const word = this.fields[FIELD.graphRecord / 4 + 1]!;
    const length = word & TERM_LENGTH_MASK;
    const text = (): string => this.textAt(this.fields[FIELD.graphRecord / 4]!, length);
    switch (word >>> TERM_KIND_SHIFT) {
      case TERM_KIND.iri:
        return { kind: 'iri', iri: text() };
      case TERM_KIND.blank:
        return { kind: 'blank', label: text() };
      case TERM_KIND.anonymous:
        return { kind: 'anonymous', number: length };
      default:
        return { kind: 'default' };
    }
  }

  private textAt(address: number, length: number): string {
    return Buffer.from(this.memory, address, length).toString('utf8');
  }
}
