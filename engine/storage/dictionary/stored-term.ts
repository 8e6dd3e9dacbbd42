/**
 * Stored bytes of a dictionary term: kind byte; for literals with a language or datatype that
 * qualifier and a zero byte; then the lexical bytes, UTF-8. Since neither language tags nor IRIs hold
 * a zero byte, the first one ends the qualifier. The lexical bytes of a triple term are its text (`triple-text.ts`).
 *
 * A language tag is kept as it was first written, and terms whose tags differ in case alone are the same: their
 * hashes are equal, and who compares stored bytes asks `sameStored` or compares keys (`storedKey`). Tags within triple
 * terms are in lower case.
 */

import { invariant, SvcError } from '../../base/errors.js';
import { TERM_KIND as KIND } from '../../kernels/as/term-codes.js';
import { type Literal, RDF_DIR_LANG_STRING, RDF_LANG_STRING, type Term, terms, XSD_STRING } from '../../rdf/terms.js';
import { datatypeCode, makeId, TAG, type TermId } from '../ids/layout.js';
import type { StoredTerms } from '../seam/scan.js';
import { readTripleText, writeTripleText } from './triple-text.js';

export { KIND };

export interface TermParts {
  readonly kind: number;
  /** Language tag, `tag--direction`, or datatype IRI; empty otherwise. */
  readonly qualifier: string;
  readonly lexical: string;
}

/** The parts of a term that the dictionary stores; null for terms that it doesn't. */
export function partsOf(term: Term): TermParts | null {
  switch (term.termType) {
    case 'NamedNode':
      return { kind: KIND.iri, qualifier: '', lexical: term.value };
    case 'BlankNode':
      return { kind: KIND.blank, qualifier: '', lexical: term.value };
    case 'Literal':
      return literalParts(term);
    case 'Quad':
      return { kind: KIND.triple, qualifier: '', lexical: writeTripleText(term) };
    default:
      return null;
  }
}

function literalParts(literal: Literal): TermParts {
  const lexical = literal.value;
  if (literal.language) {
    const direction = (literal as { direction?: string | null }).direction;
    if (direction) return { kind: KIND.direction, qualifier: `${literal.language}--${direction}`, lexical };
    return { kind: KIND.language, qualifier: literal.language, lexical };
  }
  const datatype = literal.datatype.value;
  if (datatype === XSD_STRING) return { kind: KIND.string, qualifier: '', lexical };
  if (datatype === RDF_LANG_STRING || datatype === RDF_DIR_LANG_STRING) {
    // Without a tag these are ill-formed; they are kept as what they are.
    return { kind: KIND.typed, qualifier: datatype, lexical };
  }
  return { kind: KIND.typed, qualifier: datatype, lexical };
}

export function storedBytes({ kind, qualifier, lexical }: TermParts): Buffer {
  const text = qualifier === '' ? lexical : `${qualifier}\0${lexical}`;
  const bytes = Buffer.allocUnsafe(1 + Buffer.byteLength(text));
  bytes[0] = kind;
  bytes.write(text, 1);
  return bytes;
}

/** Hands out the stored bytes of terms of a dictionary one by one. */
export function giveStored(list: readonly Term[], take: (stored: StoredTerms) => void): void {
  const [places, starts, ends] = [Uint32Array.of(0), Uint32Array.of(0), Uint32Array.of(0)];
  for (const [place, term] of list.entries()) {
    const parts = partsOf(term);
    invariant(parts !== null, 'a term of the dictionary can be stored');
    const bytes = storedBytes(parts);
    places[0] = place;
    ends[0] = bytes.length;
    take({ count: 1, bytes, places, starts, ends });
  }
}

/** Whether the stored bytes `[from, to)` of a buffer and `[otherFrom, otherTo)` of another are of one term. */
export function sameStored(
  bytes: Buffer,
  from: number,
  to: number,
  other: Buffer,
  otherFrom: number,
  otherTo: number,
): boolean {
  if (to - from !== otherTo - otherFrom || bytes[from] !== other[otherFrom]) return false;
  let at = 0;
  if (hasTag(bytes[from] as number)) {
    // What differs by case in a tag differs by this bit; nothing else in a tag does.
    for (; at < to - from && bytes[from + at] !== 0; at++) {
      if (((bytes[from + at] as number) | 0x20) !== ((other[otherFrom + at] as number) | 0x20)) return false;
    }
  }
  return bytes.compare(other, otherFrom + at, otherTo, from + at, to) === 0;
}

/** A text that stored bytes of one term share, and no others. One character per byte: cheaper than decoding UTF-8. */
export function storedKey(stored: Buffer): string {
  const text = stored.toString('latin1');
  if (!hasTag(stored[0] as number)) return text;
  const mark = text.indexOf('\0');
  return text.slice(0, mark).toLowerCase() + text.slice(mark);
}

function hasTag(kind: number): boolean {
  return kind === KIND.language || kind === KIND.direction;
}

/** The language or datatype of stored bytes; empty where there is none. */
export function qualifierOf(stored: Buffer): string {
  const kind = stored[0] as number;
  if (kind < KIND.language || kind > KIND.typed) return '';
  return stored.toString('utf8', 1, stored.indexOf(0, 1));
}

/** The id of a dictionary term from its parts and number. */
export function dictionaryId(parts: TermParts, number: number): TermId {
  const payload = BigInt(number);
  switch (parts.kind) {
    case KIND.blank:
      return makeId(TAG.blank, 0, payload);
    case KIND.iri:
      return makeId(TAG.iri, 0, payload);
    case KIND.string:
      return makeId(TAG.string, 0, payload);
    case KIND.language:
      return makeId(TAG.langString, 0, payload);
    case KIND.direction:
      return makeId(TAG.dirLangString, 0, payload);
    case KIND.triple:
      return makeId(TAG.triple, 0, payload);
    default:
      return makeId(TAG.typed, datatypeCode(parts.qualifier), payload);
  }
}

/** The term of stored bytes `[from, to)` of a buffer. */
export function termOf(bytes: Buffer, from: number, to: number): Term {
  return makeTerm(bytes, from, to, (start, end) => bytes.toString('utf8', start, end));
}

/** Terms that fill a run of text up to this share of it may share its string. */
const SHARED_TEXT_MIN = 1 / 2;
const SHARED_TERMS_MIN = 4;
/** No more than this is kept in memory by one term that others have left. */
const SHARED_BYTES_MAX = 16_384;

/** The terms of a part; those with the same bytes are the same object. */
export function storedTermsOf({ bytes, count, starts, ends }: StoredTerms): Term[] {
  const sliced = sharedSlices(bytes, count, starts, ends);
  const slice = sliced ?? ((start: number, end: number) => bytes.toString('utf8', start, end));
  const made: Term[] = new Array(count);
  for (let i = 0; i < count; i++) {
    const from = starts[i] as number;
    made[i] = i > 0 && from === starts[i - 1] ? (made[i - 1] as Term) : makeTerm(bytes, from, ends[i] as number, slice);
  }
  return made;
}

/**
 * Reads a text of many terms at once: when it is ASCII, places in the string are those in the bytes.
 * Null when that is not so, or when strings would keep more in memory than they show.
 */
function sharedSlices(
  bytes: Buffer,
  count: number,
  starts: Uint32Array,
  ends: Uint32Array,
): ((start: number, end: number) => string) | null {
  if (count < SHARED_TERMS_MIN) return null;
  const from = starts[0] as number;
  const to = ends[count - 1] as number;
  if (to - from > SHARED_BYTES_MAX) return null;
  let wanted = 0;
  for (let i = 0; i < count; i++) {
    if (i === 0 || starts[i] !== starts[i - 1]) wanted += (ends[i] as number) - (starts[i] as number);
  }
  if (wanted < SHARED_TEXT_MIN * (to - from)) return null;
  const text = bytes.toString('utf8', from, to);
  return text.length === to - from ? (start, end) => text.slice(start - from, end - from) : null;
}

function makeTerm(bytes: Buffer, from: number, to: number, slice: (start: number, end: number) => string): Term {
  const kind = bytes[from];
  switch (kind) {
    case KIND.iri:
      return terms.namedNode(slice(from + 1, to));
    case KIND.blank:
      return terms.blankNode(slice(from + 1, to));
    case KIND.string:
      return terms.literal(slice(from + 1, to));
    case KIND.triple:
      return readTripleText(slice(from + 1, to));
    default:
      break;
  }
  const mark = qualifierEnd(bytes, from, to);
  const qualifier = slice(from + 1, mark);
  const lexical = slice(mark + 1, to);
  if (kind === KIND.typed) return terms.literal(lexical, terms.namedNode(qualifier));
  if (kind === KIND.language) return terms.literal(lexical, qualifier);
  if (kind === KIND.direction) {
    const cut = qualifier.lastIndexOf('--');
    return terms.literal(lexical, {
      language: qualifier.slice(0, cut),
      direction: qualifier.slice(cut + 2) as 'ltr' | 'rtl',
    });
  }
  throw new SvcError('store_corrupt', `a dictionary term has the unknown kind ${kind}`);
}

/** Where the zero byte behind the qualifier of a literal is. */
export function qualifierEnd(bytes: Uint8Array, from: number, to: number): number {
  let mark = from + 1;
  while (mark < to && bytes[mark] !== 0) mark++;
  if (mark < to) return mark;
  throw new SvcError('store_corrupt', `a dictionary term of kind ${bytes[from]} has no qualifier`);
}

/** Where the lexical bytes of a term begin. */
export function lexicalStart(bytes: Uint8Array, from: number, to: number): number {
  const kind = bytes[from] as number;
  return kind >= KIND.language && kind <= KIND.typed ? qualifierEnd(bytes, from, to) + 1 : from + 1;
}
