/**
 * Which texts have a key (a word, a trigram): their numbers, ascending, counted from the first of a segment, and for words a
 * byte each that says how much it counts (`impact.ts`).
 *
 * Stored: a byte for the form, then the numbers, then the bytes. Form 0: differences, each as a varint of 7 bits a byte, low
 * first; form 1, where it is shorter: a bit for each text of the segment.
 */

import { SvcError } from '../../../base/errors.js';
import { lesserImpact } from './impact.js';
import { TEXT_DAMAGE_HINT } from './text-database.js';

const DIFFERENCES = 0;
const BITS = 1;
/** Numbers to a block, for which the greatest worth is known. */
export const POSTINGS_BLOCK = 64;

export interface Postings {
  readonly docs: Uint32Array;
  /** Null for keys whose occurrences all count alike. */
  readonly impacts: Uint8Array | null;
  /** What the segment numbers from. */
  readonly from: number;
}

/** Appends to a growing buffer. */
export class PostingsWriter {
  bytes = Buffer.allocUnsafe(1 << 16);
  length = 0;

  /** Of a segment of `texts` numbers. */
  write(docs: Uint32Array, impacts: Uint8Array | null, texts: number): void {
    const count = docs.length;
    const needed = 1 + 5 * count + Math.ceil(texts / 8) + count;
    if (this.bytes.length < needed) this.bytes = Buffer.allocUnsafe(2 * needed);
    const { bytes } = this;
    let at = 1;
    let before = 0;
    for (let i = 0; i < count; i++) {
      const doc = docs[i] as number;
      let difference = i === 0 ? doc : doc - before;
      before = doc;
      while (difference >= 0x80) {
        bytes[at++] = (difference & 0x7f) | 0x80;
        difference >>>= 7;
      }
      bytes[at++] = difference;
    }
    bytes[0] = DIFFERENCES;
    const bitBytes = Math.ceil(texts / 8);
    if (bitBytes < at - 1) {
      bytes[0] = BITS;
      bytes.fill(0, 1, 1 + bitBytes);
      for (let i = 0; i < count; i++) {
        const doc = docs[i] as number;
        bytes[1 + (doc >>> 3)] = (bytes[1 + (doc >>> 3)] as number) | (1 << (doc & 7));
      }
      at = 1 + bitBytes;
    }
    if (impacts !== null) {
      bytes.set(impacts, at);
      at += count;
    }
    this.length = at;
  }
}

/** What `PostingsWriter` has written, `count` of them. Throws `store_corrupt` where that is not what the bytes hold. */
export function readPostings(bytes: Uint8Array, count: number, hasImpacts: boolean, from: number): Postings {
  const docs = new Uint32Array(count);
  let at = 1;
  if (bytes[0] === BITS) {
    const end = bytes.length - (hasImpacts ? count : 0);
    let found = 0;
    for (; at < end; at++) {
      let byte = bytes[at] as number;
      while (byte !== 0 && found < count) {
        docs[found++] = ((at - 1) << 3) + (31 - Math.clz32(byte & -byte));
        byte &= byte - 1;
      }
    }
    if (found !== count) throw damaged();
  } else {
    let doc = 0;
    for (let i = 0; i < count; i++) {
      let byte = bytes[at++] as number;
      let difference = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = bytes[at++] as number;
        difference |= (byte & 0x7f) << shift;
      }
      doc += difference;
      docs[i] = doc;
    }
  }
  const length = at + (hasImpacts ? count : 0);
  if (length !== bytes.length) throw damaged();
  return { docs, impacts: hasImpacts ? bytes.slice(at, at + count) : null, from };
}

function damaged(): SvcError {
  return new SvcError('store_corrupt', 'a list of the text index does not hold what its vocabulary says', {
    hint: TEXT_DAMAGE_HINT,
  });
}

/** First place in ascending numbers whose number is not less than `doc`, looked for from `from` on. */
export function advance(docs: Uint32Array, from: number, doc: number): number {
  const end = docs.length;
  if (from >= end || (docs[from] as number) >= doc) return from;
  let step = 1;
  while (from + step < end && (docs[from + step] as number) < doc) step <<= 1;
  let low = from + (step >> 1);
  let high = Math.min(end, from + step + 1);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((docs[middle] as number) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Those in all of some lists. */
export function intersect(lists: readonly Uint32Array[]): Uint32Array {
  const [first = new Uint32Array(0), ...rest] = [...lists].sort((a, b) => a.length - b.length);
  let found = first;
  for (const docs of rest) {
    if (found.length === 0) break;
    const kept = new Uint32Array(found.length);
    let [at, count] = [0, 0];
    for (let i = 0; i < found.length; i++) {
      const doc = found[i] as number;
      at = advance(docs, at, doc);
      if (at >= docs.length) break;
      if (docs[at] === doc) kept[count++] = doc;
    }
    found = kept.subarray(0, count);
  }
  return found;
}

/** Those of a list that are not in another. */
export function without(docs: Uint32Array, others: Uint32Array): Uint32Array {
  const kept = new Uint32Array(docs.length);
  let [at, count] = [0, 0];
  for (let i = 0; i < docs.length; i++) {
    const doc = docs[i] as number;
    at = advance(others, at, doc);
    if (others[at] !== doc) kept[count++] = doc;
  }
  return kept.subarray(0, count);
}

/**
 * One list of several over a span of texts: of each text the impact that is worth most by a table. Where `lesser` says so, those
 * of a list count as another word of its kind.
 */
export function unite(
  lists: readonly { readonly postings: Postings; readonly lesser: boolean }[],
  span: number,
  table: Float64Array,
): Postings | null {
  const [first] = lists;
  if (first === undefined) return null;
  if (lists.length === 1 && !first.lesser) return first.postings;
  const total = lists.reduce((sum, { postings }) => sum + postings.docs.length, 0);
  const marks = marksOf(span);
  const seen = new Uint32Array((span >>> 5) + 1);
  for (const { postings, lesser } of lists) {
    const { docs, impacts } = postings;
    for (let i = 0; i < docs.length; i++) {
      const doc = docs[i] as number;
      const own = impacts === null ? 0 : (impacts[i] as number);
      const impact = lesser ? lesserImpact(own) : own;
      const bit = 1 << (doc & 31);
      const word = seen[doc >>> 5] as number;
      if ((word & bit) === 0) {
        seen[doc >>> 5] = word | bit;
        marks[doc] = impact;
      } else if ((table[impact] as number) > (table[marks[doc] as number] as number)) marks[doc] = impact;
    }
  }
  const [docs, impacts] = [new Uint32Array(total), new Uint8Array(total)];
  let count = 0;
  for (let at = 0; at < seen.length; at++) {
    for (let word = seen[at] as number; word !== 0; word &= word - 1) {
      const doc = (at << 5) + 31 - Math.clz32(word & -word);
      docs[count] = doc;
      impacts[count++] = marks[doc] as number;
    }
  }
  return { docs: docs.slice(0, count), impacts: impacts.slice(0, count), from: first.postings.from };
}

let marks = new Uint8Array(0);

function marksOf(span: number): Uint8Array {
  if (marks.length < span) marks = new Uint8Array(span);
  return marks;
}
