/**
 * Sets of the numbers of texts within a span: ascending numbers, or a bit each, whichever takes less memory. Where both of two
 * sets are bits they are brought together word by word, and where one is, each number of the other costs one look.
 */

import { advance, intersect, without } from './postings.js';

/** A number takes as many bits as this many places. */
const BITS_A_NUMBER = 32;
/** Sets that are brought together in one pass over their words. */
const SETS_AT_ONCE = 3;

export interface DocSet {
  readonly count: number;
  /** Ascending; null where `bits` tells them. */
  readonly docs: Uint32Array | null;
  readonly bits: Uint32Array | null;
}

const NONE: DocSet = { count: 0, docs: new Uint32Array(0), bits: null };

/** Of ascending numbers below `span`. */
export function docSetOf(docs: Uint32Array, span: number): DocSet {
  if (BITS_A_NUMBER * docs.length <= span) return { count: docs.length, docs, bits: null };
  const bits = new Uint32Array((span >>> 5) + 1);
  for (let at = 0; at < docs.length; at++) {
    const doc = docs[at] as number;
    bits[doc >>> 5] = (bits[doc >>> 5] as number) | (1 << (doc & 31));
  }
  return { count: docs.length, docs: null, bits };
}

export function bytesOfSet({ docs, bits }: DocSet): number {
  return (docs?.byteLength ?? 0) + (bits?.byteLength ?? 0);
}

/** The numbers, ascending, each with another added to it; the caller's to keep. */
export function numbersOf({ docs, bits, count }: DocSet, from: number): Uint32Array {
  if (docs === null) return numbersOfBits(bits as Uint32Array, count, from);
  const numbers = new Uint32Array(count);
  for (let at = 0; at < count; at++) numbers[at] = (docs[at] as number) + from;
  return numbers;
}

function numbersOfBits(bits: Uint32Array, count: number, from: number): Uint32Array {
  const numbers = new Uint32Array(count);
  let found = 0;
  for (let at = 0; at < bits.length; at++) {
    const first = (at << 5) + from;
    for (let word = bits[at] as number; word !== 0; word &= word - 1) {
      numbers[found++] = first + 31 - Math.clz32(word & -word);
    }
  }
  return numbers;
}

/** Of ascending numbers, counted from another one, those in a set. */
export function numbersIn(numbers: Uint32Array, from: number, { docs, bits }: DocSet): Uint32Array {
  const kept = new Uint32Array(numbers.length);
  let [count, place] = [0, 0];
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number;
    const doc = number - from;
    kept[count] = number;
    if (bits !== null) count += ((bits[doc >>> 5] as number) >>> (doc & 31)) & 1;
    else {
      const list = docs as Uint32Array;
      place = advance(list, place, doc);
      if (list[place] === doc) count++;
    }
  }
  return kept.subarray(0, count);
}

function countOf(bits: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < bits.length; at++) {
    let word = bits[at] as number;
    if (word === 0) continue;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

function ofBits(bits: Uint32Array): DocSet {
  const count = countOf(bits);
  if (BITS_A_NUMBER * count > 32 * bits.length) return { count, docs: null, bits };
  return { count, docs: numbersOfBits(bits, count, 0), bits: null };
}

/** Of a sorted list those with a bit, or those without. */
function keptBy(docs: Uint32Array, bits: Uint32Array, isIn: 0 | 1): DocSet {
  const kept = new Uint32Array(docs.length);
  let count = 0;
  for (let at = 0; at < docs.length; at++) {
    const doc = docs[at] as number;
    kept[count] = doc;
    if ((((bits[doc >>> 5] as number) >>> (doc & 31)) & 1) === isIn) count++;
  }
  return { count, docs: kept.subarray(0, count), bits: null };
}

/** Those in both. */
export function both(one: DocSet, other: DocSet): DocSet {
  if (one.bits !== null && other.bits !== null) {
    const [a, b] = [one.bits, other.bits];
    return ofBits(a.map((word, at) => word & (b[at] as number)));
  }
  if (one.docs === null) return keptBy(other.docs as Uint32Array, one.bits as Uint32Array, 1);
  if (other.docs === null) return keptBy(one.docs, other.bits as Uint32Array, 1);
  const docs = intersect([one.docs, other.docs]);
  return { count: docs.length, docs, bits: null };
}

/** Those of one that are not in another. */
export function except(one: DocSet, other: DocSet): DocSet {
  if (one.docs !== null) {
    if (other.bits !== null) return keptBy(one.docs, other.bits, 0);
    const docs = without(one.docs, other.docs as Uint32Array);
    return { count: docs.length, docs, bits: null };
  }
  const bits = (one.bits as Uint32Array).slice();
  const taken = other.bits;
  if (taken !== null) for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] as number) & ~(taken[at] as number);
  for (const doc of other.docs ?? []) bits[doc >>> 5] = (bits[doc >>> 5] as number) & ~(1 << (doc & 31));
  return ofBits(bits);
}

/**
 * Those in all of some sets, which come one after another, those with the fewest first; no more are asked for once at most
 * `few` are left.
 */
export function inAll(sets: Iterable<DocSet>, few: number): DocSet {
  const more = sets[Symbol.iterator]();
  let found: DocSet | null = null;
  for (let next = more.next(); next.done !== true; next = more.next()) {
    if (found === null) found = next.value;
    else if (found.bits !== null && next.value.bits !== null) {
      const several = [found.bits, next.value.bits];
      let sparse: DocSet | null = null;
      while (several.length < SETS_AT_ONCE && sparse === null) {
        const another = more.next();
        if (another.done === true) break;
        if (another.value.bits === null) sparse = another.value;
        else several.push(another.value.bits);
      }
      found = ofBits(wordsInAll(several));
      if (sparse !== null) found = both(found, sparse);
    } else found = both(found, next.value);
    if (found.count <= few) break;
  }
  return found ?? NONE;
}

/** Two or three. */
function wordsInAll([a, b, c]: readonly Uint32Array[]): Uint32Array {
  const [one, two] = [a as Uint32Array, b as Uint32Array];
  const words = new Uint32Array(one.length);
  if (c === undefined) for (let at = 0; at < words.length; at++) words[at] = (one[at] as number) & (two[at] as number);
  else {
    for (let at = 0; at < words.length; at++) {
      words[at] = (one[at] as number) & (two[at] as number) & (c[at] as number);
    }
  }
  return words;
}

/** Those in any of some sets within a span. */
export function inAny(sets: readonly DocSet[], span: number): DocSet {
  const bits = new Uint32Array((span >>> 5) + 1);
  for (const { docs, bits: words } of sets) {
    if (words !== null)
      for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] as number) | (words[at] as number);
    for (const doc of docs ?? []) bits[doc >>> 5] = (bits[doc >>> 5] as number) | (1 << (doc & 31));
  }
  return ofBits(bits);
}
