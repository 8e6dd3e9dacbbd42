/**
 * Sorted batches of rows against each other. A batch is eight u64 columns, given as the address of
 * eight u32 addresses; `order` packs the numbers of the key columns, a byte each, most significant
 * first, `depth` of them.
 */

// @ts-ignore: decorator
@inline
function column(columns: usize, c: u32): usize {
  return <usize>load<u32>(columns + ((<usize>c) << 2));
}

function compareRows(a: usize, i: u32, b: usize, j: u32, order: u64, depth: u32): i32 {
  for (let d: u32 = 0; d < depth; d++) {
    const c = <u32>((order >>> (<u64>(d << 3))) & 255);
    const x = load<u64>(column(a, c) + ((<usize>i) << 3));
    const y = load<u64>(column(b, c) + ((<usize>j) << 3));
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function copyRow(from: usize, i: u32, to: usize, k: u32): void {
  for (let c: u32 = 0; c < 8; c++) {
    store<u64>(column(to, c) + ((<usize>k) << 3), load<u64>(column(from, c) + ((<usize>i) << 3)));
  }
}

/**
 * Merges rows `[fromA, toA)` of a and `[fromB, toB)` of b into `out`, at most `room` rows, until one
 * input is used up or `out` is full; a comes first among equals. The positions reached are written
 * to `positions`: u32 a, u32 b. Returns the number of rows written.
 */
export function mergeRows(
  a: usize,
  fromA: u32,
  toA: u32,
  b: usize,
  fromB: u32,
  toB: u32,
  order: u64,
  depth: u32,
  out: usize,
  room: u32,
  positions: usize,
): u32 {
  let i = fromA;
  let j = fromB;
  let k: u32 = 0;
  while (i < toA && j < toB && k < room) {
    if (compareRows(a, i, b, j, order, depth) <= 0) {
      copyRow(a, i, out, k);
      i++;
    } else {
      copyRow(b, j, out, k);
      j++;
    }
    k++;
  }
  store<u32>(positions, i);
  store<u32>(positions, j, 4);
  return k;
}

/**
 * Marks (one byte each) the rows of a that occur in b, both sorted by the key, comparing the key
 * only. Stops when either is used up; the positions reached go to `positions`.
 */
export function markPresent(
  a: usize,
  fromA: u32,
  toA: u32,
  b: usize,
  fromB: u32,
  toB: u32,
  order: u64,
  depth: u32,
  marks: usize,
  positions: usize,
): void {
  let i = fromA;
  let j = fromB;
  while (i < toA && j < toB) {
    const c = compareRows(a, i, b, j, order, depth);
    if (c < 0) i++;
    else if (c > 0) j++;
    else {
      store<u8>(marks + i, 1);
      i++;
    }
  }
  store<u32>(positions, i);
  store<u32>(positions, j, 4);
}

/** 0 when rows `[0, rows)` ascend strictly by the key, else the first row that does not, from 1. */
export function firstDisorder(columns: usize, rows: u32, order: u64, depth: u32): u32 {
  for (let i: u32 = 1; i < rows; i++) {
    if (compareRows(columns, i - 1, columns, i, order, depth) >= 0) return i;
  }
  return 0;
}

/** Least and greatest of a u64 column, to two u64 at `out`. */
export function extremes(values: usize, rows: u32, out: usize): void {
  let low: u64 = ~(<u64>0);
  let high: u64 = 0;
  for (let i: u32 = 0; i < rows; i++) {
    const value = load<u64>(values + ((<usize>i) << 3));
    low = min(low, value);
    high = max(high, value);
  }
  store<u64>(out, low);
  store<u64>(out, high, 8);
}
