/**
 * Permutations: u32 lists of the row numbers of a columns list, sorted by a key, over columns that stay
 * where they are. They make a small set of rows readable in every order without a copy per order.
 * Rows with equal keys keep the order in which they came.
 */
import { COLUMNS, column, compareFrom, compareToKey, keyColumn, rowAt } from './row-order';

/** Below this, an insertion sort beats a merge sort. */
const SMALL: u32 = 24;
/** Shorter stretches of row numbers are copied by a loop, which costs less than a call. */
const CALL_FROM: u32 = 64;

// @inline
function numberAt(list: usize, i: u32): u32 {
  return load<u32>(list + ((<usize>i) << 2));
}

// @inline
function setNumber(list: usize, i: u32, row: u32): void {
  store<u32>(list + ((<usize>i) << 2), row);
}

function copyNumbers(to: usize, from: usize, count: u32): void {
  if (count >= CALL_FROM) {
    memory.copy(to, from, (<usize>count) << 2);
    return;
  }
  for (let i: u32 = 0; i < count; i++) setNumber(to, i, numberAt(from, i));
}

/** Whether row x sorts after row y; `first` is the column that decides most. */
// @inline
function isAfter(columns: usize, first: usize, x: u32, y: u32, order: u64, depth: u32): bool {
  const a = load<u64>(first + ((<usize>x) << 3));
  const b = load<u64>(first + ((<usize>y) << 3));
  return a != b ? a > b : compareFrom(columns, x, columns, y, order, 1, depth) > 0;
}

/** The first position in `[low, high)` whose row compares with the `depth` u64 at `key` by `limit` or more. */
// @inline
function bound(
  columns: usize,
  permutation: usize,
  low: u32,
  high: u32,
  order: u64,
  depth: u32,
  key: usize,
  limit: i32,
): u32 {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareToKey(columns, rowAt(permutation, middle), order, depth, key) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The first position in `[from, count)` of a sorted permutation whose row's key is not less than the
 * `depth` u64 at `key`; `count` when there is none. A permutation of 0 stands for rows that are sorted
 * themselves.
 */
export function lowerBoundRows(
  columns: usize,
  permutation: usize,
  count: u32,
  order: u64,
  depth: u32,
  key: usize,
  from: u32,
): u32 {
  return bound(columns, permutation, from, count, order, depth, key, 0);
}

/** The position of the last row whose first `depth` key columns are those at `key`; -1 when there is none. */
export function findRow(columns: usize, permutation: usize, count: u32, order: u64, depth: u32, key: usize): i32 {
  const end = bound(columns, permutation, 0, count, order, depth, key, 1);
  if (end == 0 || compareToKey(columns, rowAt(permutation, end - 1), order, depth, key) != 0) return -1;
  return <i32>(end - 1);
}

/** The first position of `[from, count)` whose row sorts after `row`: steps that double, then halves. First columns are compared by themselves. */
function firstAfter(
  columns: usize,
  first: usize,
  permutation: usize,
  from: u32,
  count: u32,
  row: u32,
  order: u64,
  depth: u32,
): u32 {
  let low = from;
  let step: u32 = 1;
  while (step <= count - low && !isAfter(columns, first, numberAt(permutation, low + step - 1), row, order, depth)) {
    low += step;
    step <<= 1;
  }
  let high = min(count, low + step - 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(columns, first, numberAt(permutation, middle), row, order, depth)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Merges two sorted permutations of the same columns into `out`, which is neither of them; `old` comes
 * first among equals. Made for few added rows: the work beside the copying grows with their number.
 */
export function mergePermutation(
  columns: usize,
  old: usize,
  oldCount: u32,
  added: usize,
  addedCount: u32,
  order: u64,
  depth: u32,
  out: usize,
): void {
  const first = column(columns, keyColumn(order, 0));
  let at: u32 = 0;
  for (let i: u32 = 0; i < addedCount; i++) {
    const row = numberAt(added, i);
    const end = firstAfter(columns, first, old, at, oldCount, row, order, depth);
    copyNumbers(out + ((<usize>(at + i)) << 2), old + ((<usize>at) << 2), end - at);
    setNumber(out, end + i, row);
    at = end;
  }
  copyNumbers(out + ((<usize>(at + addedCount)) << 2), old + ((<usize>at) << 2), oldCount - at);
}

function insertionSort(columns: usize, first: usize, list: usize, count: u32, order: u64, depth: u32): void {
  for (let i: u32 = 1; i < count; i++) {
    const row = numberAt(list, i);
    let k = i;
    while (k > 0 && isAfter(columns, first, numberAt(list, k - 1), row, order, depth)) {
      setNumber(list, k, numberAt(list, k - 1));
      k--;
    }
    setNumber(list, k, row);
  }
}

/** Merges the sorted neighbours `[0, middle)` and `[middle, count)` of `from` into `to`. */
function mergeNeighbours(
  columns: usize,
  first: usize,
  from: usize,
  middle: u32,
  count: u32,
  order: u64,
  depth: u32,
  to: usize,
): void {
  let i: u32 = 0;
  let j = middle;
  let k: u32 = 0;
  const inOrder = !isAfter(columns, first, numberAt(from, middle - 1), numberAt(from, middle), order, depth);
  while (!inOrder && i < middle && j < count) {
    const takesLeft = !isAfter(columns, first, numberAt(from, i), numberAt(from, j), order, depth);
    setNumber(to, k++, numberAt(from, takesLeft ? i : j));
    i += <u32>takesLeft;
    j += <u32>!takesLeft;
  }
  copyNumbers(to + ((<usize>k) << 2), from + ((<usize>i) << 2), middle - i);
  k += middle - i;
  copyNumbers(to + ((<usize>k) << 2), from + ((<usize>j) << 2), count - j);
}

/** Sorts a permutation in place. `scratch` needs 4 * count bytes, unless there are fewer than 24 rows. */
export function sortPermutation(
  columns: usize,
  permutation: usize,
  count: u32,
  order: u64,
  depth: u32,
  scratch: usize,
): void {
  const first = column(columns, keyColumn(order, 0));
  for (let at: u32 = 0; at < count; at += SMALL) {
    insertionSort(columns, first, permutation + ((<usize>at) << 2), min(SMALL, count - at), order, depth);
  }
  let from = permutation;
  let to = scratch;
  for (let width = SMALL; width < count; width <<= 1) {
    for (let at: u32 = 0; at < count; at += width << 1) {
      const bytes = (<usize>at) << 2;
      const rest = count - at;
      if (rest <= width) copyNumbers(to + bytes, from + bytes, rest);
      else mergeNeighbours(columns, first, from + bytes, width, min(rest, width << 1), order, depth, to + bytes);
    }
    const sorted = to;
    to = from;
    from = sorted;
  }
  if (from != permutation) copyNumbers(permutation, from, count);
}

/**
 * Copies the rows at positions `[from, to)` of a permutation into the columns of `out`, from its first
 * row on: those columns that have their bit in `wanted`.
 */
export function gatherRows(columns: usize, permutation: usize, from: u32, to: u32, wanted: u32, out: usize): void {
  for (let c: u32 = 0; c < COLUMNS; c++) {
    if (!((wanted >>> c) & 1)) continue;
    const source = column(columns, c);
    let target = column(out, c);
    for (let i = from; i < to; i++) {
      store<u64>(target, load<u64>(source + ((<usize>numberAt(permutation, i)) << 3)));
      target += 8;
    }
  }
}
