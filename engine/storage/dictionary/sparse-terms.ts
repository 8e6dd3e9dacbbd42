/**
 * A dictionary that has some of the terms of another one, under the numbers that they have there: the terms stand in
 * segments as always, numbered without gaps in the order of those numbers, and beside each segment a list of them.
 *
 * | value of `directories` | meaning                                                                    |
 * |------------------------|----------------------------------------------------------------------------|
 * | list of a segment      | sealed; a varint (LEB128) for each term: its number less that of the one before |
 */

import { invariant, SvcError } from '../../base/errors.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { seal, unseal } from '../lmdb/sealed.js';
import type { Manifest, SegmentRecord } from '../runs/manifest.js';
import type { StoredTerms } from '../seam/scan.js';
import type { DictionaryReader } from './reader.js';

const VARINT_BYTES_MAX = 8;
const CONTINUES = 0x80;
const LIST_WORD_BITS = 7;

/** Of one segment: where its list is, and the first and last number in it. */
export interface NumberList {
  readonly key: number;
  readonly first: number;
  readonly last: number;
}

/** Numbers ascend. */
export function encodeNumbers(numbers: ArrayLike<number>): Buffer {
  const out = Buffer.allocUnsafe(VARINT_BYTES_MAX * Math.max(1, numbers.length));
  let [at, before] = [0, 0];
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number;
    invariant(number > before, 'term numbers ascend');
    let rest = number - before;
    for (; rest >= CONTINUES; rest = Math.floor(rest / CONTINUES)) out[at++] = (rest % CONTINUES) | CONTINUES;
    out[at++] = rest;
    before = number;
  }
  return seal(out.subarray(0, at));
}

export function decodeNumbers(sealed: Buffer | undefined, count: number, what: string): Float64Array {
  const bytes = unseal(sealed, what);
  const numbers = new Float64Array(count);
  let [at, before] = [0, 0];
  for (let i = 0; i < count; i++) {
    let [value, scale] = [0, 1];
    for (let byte = CONTINUES; byte >= CONTINUES; scale *= 1 << LIST_WORD_BITS) {
      if (at >= bytes.length) throw new SvcError('store_corrupt', `${what} is too short`);
      byte = bytes[at++] as number;
      value += (byte % CONTINUES) * scale;
    }
    before += value;
    numbers[i] = before;
  }
  if (at !== bytes.length) throw new SvcError('store_corrupt', `${what} is too long`);
  return numbers;
}

/** Takes the bytes of a term and its place among those that were asked for. */
export type TakeTerm = (index: number, bytes: Buffer, from: number, to: number) => void;

export class SparseTerms {
  readonly #file: LmdbFile;
  readonly #dictionary: DictionaryReader;
  readonly #manifest: Manifest;
  readonly #lists: readonly NumberList[];
  /** The list that was read last. */
  #held: { readonly list: NumberList; readonly numbers: Float64Array } | null = null;

  constructor(file: LmdbFile, dictionary: DictionaryReader, manifest: Manifest, lists: readonly NumberList[]) {
    if (lists.length !== manifest.segments.length) {
      throw new SvcError('store_corrupt', `${file.path} has lists of numbers for other terms than it has`);
    }
    this.#file = file;
    this.#dictionary = dictionary;
    this.#manifest = manifest;
    this.#lists = lists;
  }

  get count(): number {
    return this.#manifest.nextTermNumber - 1;
  }

  /** All numbers that it has, ascending, by segment. */
  *numbers(transaction: ReadTransaction | undefined): Generator<Float64Array> {
    for (let at = 0; at < this.#lists.length; at++) yield this.#numbersOf(at, transaction);
  }

  #numbersOf(at: number, transaction: ReadTransaction | undefined): Float64Array {
    const list = this.#lists[at] as NumberList;
    if (this.#held?.list === list) return this.#held.numbers;
    const { terms } = this.#manifest.segments[at] as SegmentRecord;
    const sealed = this.#file.readCopy('directories', list.key, transaction);
    const numbers = decodeNumbers(sealed, terms, `the list ${list.key} of term numbers of ${this.#file.path}`);
    this.#held = { list, numbers };
    return numbers;
  }

  /** Stored bytes of terms whose numbers ascend; `take` must not keep the buffer. */
  decode(transaction: ReadTransaction | undefined, numbers: ArrayLike<number>, count: number, take: TakeTerm): void {
    this.decodeBlocks(transaction, numbers, count, ({ count: some, bytes, places, starts, ends }) => {
      for (let i = 0; i < some; i++) take(places[i] as number, bytes, starts[i] as number, ends[i] as number);
    });
  }

  /** The same, by blocks of the file. */
  decodeBlocks(
    transaction: ReadTransaction | undefined,
    numbers: ArrayLike<number>,
    count: number,
    take: (terms: StoredTerms) => void,
  ): void {
    let at = 0;
    for (const [segment, { last }] of this.#lists.entries()) {
      if (at >= count) return;
      if ((numbers[at] as number) > last) continue;
      const from = at;
      while (at < count && (numbers[at] as number) <= last) at++;
      this.#decodeIn(segment, transaction, numbers, [from, at], take);
    }
    if (at < count) throw this.#unknown(numbers[at] as number);
  }

  #decodeIn(
    segment: number,
    transaction: ReadTransaction | undefined,
    numbers: ArrayLike<number>,
    [from, to]: readonly [number, number],
    take: (terms: StoredTerms) => void,
  ): void {
    const known = this.#numbersOf(segment, transaction);
    const { firstNumber } = this.#manifest.segments[segment] as SegmentRecord;
    const own = new Float64Array(to - from);
    let place = 0;
    for (let i = from; i < to; i++) {
      place = placeFrom(known, place, numbers[i] as number);
      if (known[place] !== numbers[i]) throw this.#unknown(numbers[i] as number);
      own[i - from] = firstNumber + place;
    }
    const places = new Uint32Array(own.length);
    for (let i = 0; i < places.length; i++) places[i] = from + i;
    this.#dictionary.decodeBlocks(this.#manifest, transaction, own, own.length, false, (decoded, first, end) => {
      const { bytes, starts, ends } = decoded;
      take({ count: end - first, bytes, places: places.subarray(first, end), starts, ends });
    });
  }

  #unknown(number: number): SvcError {
    return new SvcError('store_corrupt', `${this.#file.path} has rows of term ${number}, but not the term`);
  }
}

/** The first place from `from` on whose number is not below `wanted`; mostly it is that one, or the next. */
function placeFrom(known: Float64Array, from: number, wanted: number): number {
  for (let place = from; place < from + 2; place++) if (known[place] === wanted) return place;
  let [low, high] = [from, known.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((known[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
