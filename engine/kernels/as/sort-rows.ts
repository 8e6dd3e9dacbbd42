/**
 * A stable radix sort of a permutation, for many rows: key columns are packed into 64-bit keys by the bits that their range needs,
 * last columns first, and each key full of them is sorted by its digits. A column whose values are all the same costs one look.
 */
import { sortPairs } from './radix-sort';
import { column, compareRows, keyColumn, rowAt } from './row-order';

/** Histogram of `sortPairs`. */
const HISTOGRAM_BYTES: usize = 16384;

/** Whether rows stand in their order already. */
function isSorted(columns: usize, permutation: usize, count: u32, order: u64, depth: u32): bool {
  for (let i: u32 = 1; i < count; i++) {
    if (compareRows(columns, rowAt(permutation, i - 1), columns, rowAt(permutation, i), order, depth) > 0) return false;
  }
  return true;
}

/** Puts a column, less its least value and moved up by `shift`, into keys; those of a shift of 0 are new. */
function pack(keys: usize, values: usize, permutation: usize, count: u32, least: u64, shift: u64): void {
  for (let i: u32 = 0; i < count; i++) {
    const key = keys + ((<usize>i) << 3);
    const value = load<u64>(values + ((<usize>rowAt(permutation, i)) << 3)) - least;
    store<u64>(key, shift == 0 ? value : load<u64>(key) | (value << shift));
  }
}

/**
 * Sorts a permutation of 1 row or more in place by its key columns; rows with equal keys keep their sequence. `scratch` needs 20 * count bytes
 * and 16 KiB, aligned to 8.
 */
export function radixSortPermutation(
  columns: usize,
  permutation: usize,
  count: u32,
  order: u64,
  depth: u32,
  scratch: usize,
): void {
  if (isSorted(columns, permutation, count, order, depth)) return;
  const keys = scratch + HISTOGRAM_BYTES;
  const keys2 = keys + ((<usize>count) << 3);
  const room = keys2 + ((<usize>count) << 3);
  let rows = permutation;
  let bits: u64 = 0;
  for (let d = depth; d > 0; d--) {
    const values = column(columns, keyColumn(order, d - 1));
    let least = load<u64>(values + ((<usize>rowAt(rows, 0)) << 3));
    let most = least;
    for (let i: u32 = 1; i < count; i++) {
      const value = load<u64>(values + ((<usize>rowAt(rows, i)) << 3));
      least = min(least, value);
      most = max(most, value);
    }
    const width = 64 - clz(most - least);
    if (width == 0) continue;
    if (bits + width > 64) {
      rows = sortedBy(keys, rows, keys2, rows == permutation ? room : permutation, count, scratch);
      bits = 0;
    }
    pack(keys, values, rows, count, least, bits);
    bits += width;
  }
  rows = sortedBy(keys, rows, keys2, rows == permutation ? room : permutation, count, scratch);
  if (rows != permutation) memory.copy(permutation, rows, (<usize>count) << 2);
}

/** The rows sorted by their keys: where they were, or in `rows2`. */
function sortedBy(keys: usize, rows: usize, keys2: usize, rows2: usize, count: u32, histogram: usize): usize {
  return sortPairs(keys, rows, keys2, rows2, count, histogram, 0) ? rows2 : rows;
}
