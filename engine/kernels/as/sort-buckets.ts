/**
 * Rows in the order of a number each, in two steps: into buckets by where their numbers lie between the least and the greatest,
 * then each bucket, which the cache holds, by the digits of its numbers. Rows of the same number keep their sequence.
 */
import { sortPairs, varyingBits } from './radix-sort';

/** Fewer rows are moved one by one. */
const INSERTED_MAX: u32 = 40;

/**
 * Widens the range at `figures` (least and greatest f64, infinite ones left out) by the numbers `[from, to)`; gives 0 where one
 * of them is less than the one before it.
 */
export function measureNumbers(numbers: usize, from: u32, to: u32, figures: usize): u32 {
  let least = load<f64>(figures);
  let greatest = load<f64>(figures, 8);
  let before = from == 0 ? -Infinity : load<f64>(numbers + ((<usize>(from - 1)) << 3));
  let sorted: u32 = 1;
  for (let i = from; i < to; i++) {
    const number = load<f64>(numbers + ((<usize>i) << 3));
    sorted &= <u32>(number >= before);
    before = number;
    if (number < least && number != -Infinity) least = number;
    if (number > greatest && number != Infinity) greatest = number;
  }
  store<f64>(figures, least);
  store<f64>(figures, greatest, 8);
  return sorted;
}

/** Of numbers that ascend the buckets never descend, however they are rounded. */
// @inline
function bucketOf(number: f64, least: f64, scale: f64, last: f64): u32 {
  return <u32>max<f64>(0, min<f64>(last, (number - least) * scale));
}

/** Counts the numbers `[from, to)` of each bucket at `counts[bucket + 1]`. */
export function countBuckets(
  numbers: usize,
  from: u32,
  to: u32,
  least: f64,
  scale: f64,
  last: f64,
  counts: usize,
): void {
  for (let i = from; i < to; i++) {
    const bucket = bucketOf(load<f64>(numbers + ((<usize>i) << 3)), least, scale, last);
    const at = counts + ((<usize>bucket) << 2);
    store<u32>(at, load<u32>(at, 4) + 1, 4);
  }
}

/** Doubles in the order of unsigned numbers: negative ones backwards, and before the others. */
// @inline
function sortable(bits: u64): u64 {
  return bits ^ (<u64>(<i64>bits >> 63) | 0x8000000000000000);
}

/**
 * Puts the numbers, as keys whose order is theirs, and their rows where their buckets begin; the start of each bucket moves on
 * to that of the next one. `order` lists the rows; 0: they come as they are numbered.
 */
export function fillBuckets(
  numbers: usize,
  order: usize,
  from: u32,
  to: u32,
  least: f64,
  scale: f64,
  last: f64,
  starts: usize,
  keys: usize,
  rows: usize,
): void {
  for (let i = from; i < to; i++) {
    const number = load<f64>(numbers + ((<usize>i) << 3));
    const start = starts + ((<usize>bucketOf(number, least, scale, last)) << 2);
    const at = load<u32>(start);
    store<u32>(start, at + 1);
    store<u64>(keys + ((<usize>at) << 3), sortable(reinterpret<u64>(number)));
    store<u32>(rows + ((<usize>at) << 2), order ? load<u32>(order + ((<usize>i) << 2)) : i);
  }
}

function insertAll(keys: usize, rows: usize, count: u32): void {
  for (let i: u32 = 1; i < count; i++) {
    const key = load<u64>(keys + ((<usize>i) << 3));
    const row = load<u32>(rows + ((<usize>i) << 2));
    let to = i;
    for (; to > 0 && load<u64>(keys + ((<usize>(to - 1)) << 3)) > key; to--) {
      store<u64>(keys + ((<usize>to) << 3), load<u64>(keys + ((<usize>(to - 1)) << 3)));
      store<u32>(rows + ((<usize>to) << 2), load<u32>(rows + ((<usize>(to - 1)) << 2)));
    }
    store<u64>(keys + ((<usize>to) << 3), key);
    store<u32>(rows + ((<usize>to) << 2), row);
  }
}

/** Sorts the rows of one bucket by their keys, in place; of the keys nothing is left. `histogram` needs 8 KiB. */
export function sortBucket(keys: usize, rows: usize, keys2: usize, rows2: usize, count: u32, histogram: usize): void {
  if (count <= INSERTED_MAX) {
    insertAll(keys, rows, count);
    return;
  }
  const varying = varyingBits(keys, count);
  if (varying == 0) return;
  if (sortPairs(keys, rows, keys2, rows2, count, histogram, <u32>ctz(varying))) {
    memory.copy(rows, rows2, (<usize>count) << 2);
  }
}
