/**
 * RDF/JS quads as bytes, and terms among other values, to be handed to another thread. Terms arrive as what they were, lone
 * surrogates, unknown kinds and all, so that the thread that takes them is the one that judges them.
 * Each distinct term of a batch is written once.
 */

import { type Quad, type Term, terms } from '../../rdf/terms.js';

const BATCH_QUADS = 4096;

/** Kind, then what makes the term; members of a quad are places in the list. */
type PackedTerm =
  | readonly ['N' | 'B' | 'V', string]
  | readonly ['L', string, string, string, string]
  | readonly ['Q', number, number, number, number]
  | readonly ['D']
  | readonly ['?', string, string];

interface PackedBatch {
  readonly terms: readonly PackedTerm[];
  /** Four places a quad. */
  readonly quads: readonly number[];
}

const SIMPLE = { NamedNode: 'N', BlankNode: 'B', Variable: 'V' } as const;

class Packer {
  readonly terms: PackedTerm[] = [];
  readonly quads: number[] = [];
  readonly #places = new Map<string, number>();

  add(quad: Quad): void {
    const { subject, predicate, object, graph } = quad ?? {};
    this.quads.push(this.place(subject), this.place(predicate), this.place(object), this.place(graph));
  }

  place(term: Term | undefined): number {
    const packed = this.#pack(term);
    const key = JSON.stringify(packed);
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.terms.push(packed) - 1;
      this.#places.set(key, place);
    }
    return place;
  }

  #pack(term: Term | undefined): PackedTerm {
    switch (term?.termType) {
      case 'NamedNode':
      case 'BlankNode':
      case 'Variable':
        return [SIMPLE[term.termType], term.value];
      case 'DefaultGraph':
        return ['D'];
      case 'Literal':
        return ['L', term.value, term.datatype?.value ?? '', term.language ?? '', term.direction ?? ''];
      case 'Quad':
        return [
          'Q',
          this.place(term.subject),
          this.place(term.predicate),
          this.place(term.object),
          this.place(term.graph),
        ];
      default: {
        const { termType, value } = (term ?? {}) as { termType?: unknown; value?: unknown };
        return ['?', String(termType), String(value)];
      }
    }
  }
}

function seal(packer: Packer): Uint8Array {
  const batch: PackedBatch = { terms: packer.terms, quads: packer.quads };
  return new TextEncoder().encode(JSON.stringify(batch));
}

/** The quads in packed batches. */
export async function* packQuads(quads: Iterable<Quad> | AsyncIterable<Quad>): AsyncGenerator<Uint8Array> {
  let packer = new Packer();
  for await (const quad of quads) {
    packer.add(quad);
    if (packer.quads.length < 4 * BATCH_QUADS) continue;
    yield seal(packer);
    packer = new Packer();
  }
  if (packer.quads.length > 0) yield seal(packer);
}

function unpackTerm(packed: PackedTerm, known: readonly Term[]): Term {
  switch (packed[0]) {
    case 'N':
      return terms.namedNode(packed[1]);
    case 'B':
      return terms.blankNode(packed[1]);
    case 'V':
      return terms.variable!(packed[1]);
    case 'D':
      return terms.defaultGraph();
    case 'L': {
      const [, value, datatype, language, direction] = packed;
      if (language === '') return terms.literal(value, terms.namedNode(datatype));
      return terms.literal(value, direction === '' ? language : { language, direction: direction as 'ltr' | 'rtl' });
    }
    case 'Q': {
      const [subject, predicate, object, graph] = packed.slice(1).map((place) => known[place as number]);
      return terms.quad(
        subject as Quad['subject'],
        predicate as Quad['predicate'],
        object as Quad['object'],
        graph as Quad['graph'],
      );
    }
    case '?':
      return { termType: packed[1], value: packed[2], equals: () => false } as Term;
  }
}

function unpackTerms(list: readonly PackedTerm[]): Term[] {
  const known: Term[] = [];
  for (const packed of list) known.push(unpackTerm(packed, known));
  return known;
}

/** The quads of packed batches. */
export async function* unpackQuads(batches: AsyncIterable<Uint8Array>): AsyncGenerator<Quad> {
  for await (const bytes of batches) {
    const batch = JSON.parse(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
    ) as PackedBatch;
    const known = unpackTerms(batch.terms);
    const at = (place: number): Term => known[batch.quads[place] as number] as Term;
    for (let place = 0; place < batch.quads.length; place += 4) {
      yield terms.quad(
        at(place) as Quad['subject'],
        at(place + 1) as Quad['predicate'],
        at(place + 2) as Quad['object'],
        at(place + 3) as Quad['graph'],
      );
    }
  }
}

const PACKED = 'packed terms';

/** What structured cloning takes as it is. */
function isWhole(value: unknown): boolean {
  return (
    typeof value !== 'object' ||
    value === null ||
    value instanceof Date ||
    value instanceof Map ||
    ArrayBuffer.isView(value)
  );
}

function isTerm(value: object): value is Term {
  return 'termType' in value && typeof (value as Partial<Term>).equals === 'function';
}

/** A value with the terms in it packed: what structured cloning takes, whoever's terms they are. */
export function sendTerms<Value>(value: Value): Value;
export function sendTerms(value: unknown): unknown {
  if (isWhole(value)) return value;
  const object = value as object;
  if (isTerm(object)) {
    const packer = new Packer();
    packer.place(object);
    return { [PACKED]: packer.terms };
  }
  const sent = mapMembers(object, sendTerms);
  // What has a member of this name itself.
  return PACKED in object ? { [PACKED]: [], object: sent } : sent;
}

export function receiveTerms<Value>(value: Value): Value;
export function receiveTerms(value: unknown): unknown {
  if (isWhole(value)) return value;
  const { [PACKED]: packed, object } = value as { readonly [PACKED]?: readonly PackedTerm[]; readonly object?: object };
  if (packed === undefined) return mapMembers(value as object, receiveTerms);
  return packed.length === 0 ? mapMembers(object ?? {}, receiveTerms) : unpackTerms(packed).at(-1);
}

/** The object or list itself where no member of it changes, as in most: payloads of episodes are large. */
function mapMembers(value: object, map: (member: unknown) => unknown): object {
  if (Array.isArray(value)) {
    const members = value.map((member: unknown) => map(member));
    return members.some((member, at) => member !== value[at]) ? members : value;
  }
  let changed = false;
  const entries = Object.entries(value);
  for (const entry of entries) {
    const member = map(entry[1]);
    changed ||= member !== entry[1];
    entry[1] = member;
  }
  return changed ? Object.fromEntries(entries) : value;
}
