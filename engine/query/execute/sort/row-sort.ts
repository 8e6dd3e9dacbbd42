/**
 * A stable sort of row numbers by a number for each row: few rows by insertion, many in buckets (`bucket-sort.ts`) where there
 * is memory for them, otherwise by the digits of their numbers, lowest first (LSD radix sort). All digits are counted in one
 * go, and those that do not vary are skipped; rows that are in order already are left alone.
 */

import type { MemoryCounter } from '../../runtime/memory.js';
import { PENDING, type Work } from '../../runtime/operator.js';
import { BUCKET_BYTES_PER_ROW, BUCKET_ROWS_MIN, bucketSort } from './bucket-sort.js';

/** Where a sort asks for more memory than it needs. */
export interface RoomForSorting extends MemoryCounter {
  fits(bytes: number): boolean;
}

/** What a sort takes: the order and as much to spare. */
export const SORT_BYTES_PER_ROW = 8;

/** Counting the digits of more rows is faster than moving them. */
const INSERTED_ROWS_MAX = 192;
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const DIGIT_MASK = DIGITS - 1;
/** Digits of a double: of its low half, of its high half. */
const DIGITS_PER_HALF = 3;
const DIGITS_OF_DOUBLE = 2 * DIGITS_PER_HALF;
const SIGN = 0x80000000 | 0;
const ROWS_PER_SLICE = 65_536;

/**
 * The rows below `rows` in the order of their `values`, among which no NaN is. Rows of the same value keep their sequence
 * in `order`, which is sorted in place or given up.
 */
export function* sortRows(
  values: Float64Array,
  rows: number,
  order: Uint32Array | null = null,
  memory: RoomForSorting | null = null,
): Work<Uint32Array> {
  if (rows <= INSERTED_ROWS_MAX) {
    const few = order ?? ascending(rows);
    insertAll(few, values);
    return few;
  }
  const bytes = rows * BUCKET_BYTES_PER_ROW;
  if (memory === null || rows < BUCKET_ROWS_MIN || !memory.fits(bytes)) {
    return yield* sortByDigits(values, order ?? ascending(rows));
  }
  memory.take(bytes);
  try {
    return yield* bucketSort(values, rows, order, (many) => sortByDigits(values, many));
  } finally {
    memory.give(bytes);
  }
}

/** Of any number of rows, in place or in another array. */
function* sortByDigits(values: Float64Array, order: Uint32Array): Work<Uint32Array> {
  const rows = order.length;
  const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const counts = new Uint32Array(DIGITS_OF_DOUBLE * DIGITS);
  let isSorted = true;
  for (let from = 0; from < rows; from += ROWS_PER_SLICE) {
    const to = Math.min(from + ROWS_PER_SLICE, rows);
    if (!countDigits(order, from, to, values, halves, counts)) isSorted = false;
    if (to < rows) yield PENDING;
  }
  if (isSorted) return order;
  let [sorted, spare]: [Uint32Array, Uint32Array] = [order, new Uint32Array(rows)];
  for (let digit = 0; digit < DIGITS_OF_DOUBLE; digit++) {
    const places = counts.subarray(digit * DIGITS, (digit + 1) * DIGITS);
    if (places.indexOf(rows) >= 0) continue;
    startsOf(places);
    for (let from = 0; from < rows; from += ROWS_PER_SLICE) {
      move(digit, sorted.subarray(from, Math.min(from + ROWS_PER_SLICE, rows)), spare, halves, places);
      if (rows > ROWS_PER_SLICE) yield PENDING;
    }
    [sorted, spare] = [spare, sorted];
  }
  return sorted;
}

/** False where a row comes before one that is to come after it. */
function countDigits(
  order: Uint32Array,
  from: number,
  to: number,
  values: Float64Array,
  halves: Uint32Array,
  counts: Uint32Array,
): boolean {
  let isSorted = true;
  let last = from === 0 ? Number.NEGATIVE_INFINITY : (values[order[from - 1] as number] as number);
  for (let at = from; at < to; at++) {
    const row = order[at] as number;
    const value = values[row] as number;
    if (value < last) isSorted = false;
    last = value;
    const flip = flipOf(halves[2 * row + 1] as number);
    const low = (halves[2 * row] as number) ^ flip;
    const high = (halves[2 * row + 1] as number) ^ (flip | SIGN);
    increment(counts, low & DIGIT_MASK);
    increment(counts, DIGITS + ((low >>> DIGIT_BITS) & DIGIT_MASK));
    increment(counts, 2 * DIGITS + (low >>> (2 * DIGIT_BITS)));
    increment(counts, 3 * DIGITS + (high & DIGIT_MASK));
    increment(counts, 4 * DIGITS + ((high >>> DIGIT_BITS) & DIGIT_MASK));
    increment(counts, 5 * DIGITS + (high >>> (2 * DIGIT_BITS)));
  }
  return isSorted;
}

/** Counts of digits become the places of the first rows with them. */
function startsOf(counts: Uint32Array): void {
  let start = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = counts[digit] as number;
    counts[digit] = start;
    start += count;
  }
}

function move(digit: number, rows: Uint32Array, target: Uint32Array, halves: Uint32Array, places: Uint32Array): void {
  const half = digit < DIGITS_PER_HALF ? 0 : 1;
  const sign = half === 0 ? 0 : SIGN;
  const shift = (digit % DIGITS_PER_HALF) * DIGIT_BITS;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as number;
    const flip = flipOf(halves[2 * row + 1] as number);
    const value = (((halves[2 * row + half] as number) ^ (flip | sign)) >>> shift) & DIGIT_MASK;
    const to = places[value] as number;
    target[to] = row;
    places[value] = to + 1;
  }
}

function insertAll(order: Uint32Array, values: Float64Array): void {
  for (let at = 1; at < order.length; at++) {
    const row = order[at] as number;
    const value = values[row] as number;
    let to = at;
    for (; to > 0 && (values[order[to - 1] as number] as number) > value; to--) order[to] = order[to - 1] as number;
    order[to] = row;
  }
}

/** Doubles in the order of unsigned numbers: negative ones backwards, and before the others. */
function flipOf(high: number): number {
  return high >>> 31 === 1 ? -1 : 0;
}

function increment(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] as number) + 1;
}

export function ascending(rows: number): Uint32Array {
  const order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  return order;
}
