/**
 * The rows of a batch in the order of their keys, of one or more columns of ids: insertion for a few rows,
 * otherwise a stable radix sort from the last column to the first (least significant digit first) that
 * touches only the digits in which the keys differ. Small batches take small digits: a pass costs a histogram.
 */

import { sortDigit, varyingBits } from './radix-sort';

const INSERTION_ROWS_MAX: u32 = 24;
const SMALL_ROWS_MAX: u32 = 1024;
const SMALL_DIGIT_BITS: u64 = 8;
const DIGIT_BITS: u64 = 11;

// @inline
function columnOf(columns: usize, column: u32): usize {
  return <usize>load<u32>(columns + ((<usize>column) << 2));
}

function compareRows(columns: usize, width: u32, a: u32, b: u32): i32 {
  for (let c: u32 = 0; c < width; c++) {
    const column = columnOf(columns, c);
    const x = load<u64>(column + ((<usize>a) << 3));
    const y = load<u64>(column + ((<usize>b) << 3));
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/**
 * Returns 0 when the keys ascend, each above the one before; then nothing else is written. Otherwise the number
 * of distinct keys: the rows by key go to `order` (u32), the place of each key's first one to `starts` (u32, one more than there are
 * keys), the keys to the columns listed at `out`. `scratch` takes 20 bytes a row and 8 KiB.
 */
export function orderKeys(
  columns: usize,
  width: u32,
  rows: u32,
  order: usize,
  starts: usize,
  out: usize,
  scratch: usize,
): u32 {
  let ascends = true;
  let sorted = true;
  for (let row: u32 = 1; row < rows; row++) {
    const place = compareRows(columns, width, row - 1, row);
    if (place < 0) continue;
    ascends = false;
    if (place == 0) continue;
    sorted = false;
    break;
  }
  if (ascends) return 0;
  for (let row: u32 = 0; row < rows; row++) store<u32>(order + ((<usize>row) << 2), row);
  if (!sorted) {
    if (rows <= INSERTION_ROWS_MAX) insertRows(columns, width, rows, order);
    else for (let c = width; c > 0; c--) sortByColumn(columnOf(columns, c - 1), rows, order, scratch);
  }
  return groupRows(columns, width, rows, order, starts, out);
}

function insertRows(columns: usize, width: u32, rows: u32, order: usize): void {
  for (let i: u32 = 1; i < rows; i++) {
    const row = load<u32>(order + ((<usize>i) << 2));
    let to = i;
    for (; to > 0; to--) {
      const before = load<u32>(order + ((<usize>(to - 1)) << 2));
      if (compareRows(columns, width, before, row) <= 0) break;
      store<u32>(order + ((<usize>to) << 2), before);
    }
    store<u32>(order + ((<usize>to) << 2), row);
  }
}

/** Stable, by the ids of one column. */
function sortByColumn(column: usize, rows: u32, order: usize, scratch: usize): void {
  let keys = scratch;
  let keys2 = keys + ((<usize>rows) << 3);
  let values = order;
  let values2 = keys2 + ((<usize>rows) << 3);
  const histogram = (values2 + ((<usize>rows) << 2) + 7) & ~7;
  for (let i: u32 = 0; i < rows; i++) {
    const row = load<u32>(order + ((<usize>i) << 2));
    store<u64>(keys + ((<usize>i) << 3), load<u64>(column + ((<usize>row) << 3)));
  }
  const bits = rows <= SMALL_ROWS_MAX ? SMALL_DIGIT_BITS : DIGIT_BITS;
  const digits: u32 = (<u32>1) << (<u32>bits);
  let varying = varyingBits(keys, rows);
  while (varying != 0) {
    // The digit begins at the lowest bit that differs.
    const shift = ctz<u64>(varying);
    sortDigit(keys, values, keys2, values2, rows, shift, digits, histogram);
    let t = keys;
    keys = keys2;
    keys2 = t;
    t = values;
    values = values2;
    values2 = t;
    varying = shift + bits >= 64 ? 0 : (varying >>> (shift + bits)) << (shift + bits);
  }
  if (values != order) memory.copy(order, values, (<usize>rows) << 2);
}

function groupRows(columns: usize, width: u32, rows: u32, order: usize, starts: usize, out: usize): u32 {
  let count: u32 = 0;
  let before: u32 = 0;
  for (let at: u32 = 0; at < rows; at++) {
    const row = load<u32>(order + ((<usize>at) << 2));
    if (at > 0 && compareRows(columns, width, before, row) == 0) continue;
    before = row;
    store<u32>(starts + ((<usize>count) << 2), at);
    for (let c: u32 = 0; c < width; c++) {
      const id = load<u64>(columnOf(columns, c) + ((<usize>row) << 3));
      store<u64>(columnOf(out, c) + ((<usize>count) << 3), id);
    }
    count++;
  }
  store<u32>(starts + ((<usize>count) << 2), rows);
  return count;
}
