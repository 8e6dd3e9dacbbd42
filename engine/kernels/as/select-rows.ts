/**
 * Selections over decoded columns: tests that a scan could not push into the key. A selection is a
 * u32 list of row numbers, ascending. Each test reads `count` rows (through `from` unless it is 0)
 * and writes those that pass to `to`, which may be `from`; it returns their number.
 */

import { column, compareFrom, compareToKey, keyColumn, rowAt, valueIn } from './row-order';

/** low <= value < high, unsigned. */
export function selectRange(values: usize, from: usize, count: u32, low: u64, high: u64, to: usize): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(from, i);
    const value = load<u64>(values + ((<usize>row) << 3));
    store<u32>(to + ((<usize>kept) << 2), row);
    kept += <u32>(value >= low && value < high);
  }
  return kept;
}

/** value == wanted. */
export function selectEqual(values: usize, from: usize, count: u32, wanted: u64, to: usize): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(from, i);
    store<u32>(to + ((<usize>kept) << 2), row);
    kept += <u32>(load<u64>(values + ((<usize>row) << 3)) == wanted);
  }
  return kept;
}

/** value in one of `ranges` half-open ranges (u64 pairs, ascending, disjoint) at `bounds`. */
export function selectRanges(values: usize, from: usize, count: u32, bounds: usize, ranges: u32, to: usize): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(from, i);
    const value = load<u64>(values + ((<usize>row) << 3));
    let low: u32 = 0;
    let high = ranges;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (load<u64>(bounds + ((<usize>middle) << 4), 8) <= value) low = middle + 1;
      else high = middle;
    }
    store<u32>(to + ((<usize>kept) << 2), row);
    kept += <u32>(low < ranges && value >= load<u64>(bounds + ((<usize>low) << 4)));
  }
  return kept;
}

/** Copies the selected rows of a u64 column to `out`, densely. */
export function gatherColumn(values: usize, selection: usize, count: u32, out: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    store<u64>(out + ((<usize>i) << 3), load<u64>(values + ((<usize>load<u32>(selection + ((<usize>i) << 2))) << 3)));
  }
}

/** Drops rows that equal the row before in three columns; `last` holds three u64 carried between calls and a u64 flag. */
export function selectDistinct(a: usize, b: usize, c: usize, from: usize, count: u32, last: usize, to: usize): u32 {
  let kept: u32 = 0;
  let x = load<u64>(last);
  let y = load<u64>(last, 8);
  let z = load<u64>(last, 16);
  let seen = load<u64>(last, 24) != 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(from, i);
    const at = (<usize>row) << 3;
    const va = load<u64>(a + at);
    const vb = load<u64>(b + at);
    const vc = load<u64>(c + at);
    if (seen && va == x && vb == y && vc == z) continue;
    x = va;
    y = vb;
    z = vc;
    seen = true;
    store<u32>(to + ((<usize>kept) << 2), row);
    kept++;
  }
  store<u64>(last, x);
  store<u64>(last, y, 8);
  store<u64>(last, z, 16);
  store<u64>(last, seen ? 1 : 0, 24);
  return kept;
}

/**
 * Drops rows that equal the row before in the first `depth` columns of `order`; `columns` is a columns
 * list. `last` holds `depth` u64 carried between calls and a u64 flag, which is 0 at first.
 */
export function selectDistinctRows(
  columns: usize,
  order: u64,
  depth: u32,
  from: usize,
  count: u32,
  last: usize,
  to: usize,
): u32 {
  if (count == 0) return 0;
  const flag = last + ((<usize>depth) << 3);
  let before = rowAt(from, 0);
  let kept: u32 = 0;
  if (load<u64>(flag) == 0 || compareToKey(columns, before, order, depth, last) != 0) {
    store<u32>(to, before);
    kept = 1;
  }
  const first = column(columns, keyColumn(order, 0));
  for (let i: u32 = 1; i < count; i++) {
    const row = rowAt(from, i);
    const isNew = load<u64>(first + ((<usize>row) << 3)) != load<u64>(first + ((<usize>before) << 3));
    if (isNew || compareFrom(columns, row, columns, before, order, 1, depth) != 0) {
      store<u32>(to + ((<usize>kept) << 2), row);
      kept++;
    }
    before = row;
  }
  for (let d: u32 = 0; d < depth; d++) {
    store<u64>(last + ((<usize>d) << 3), valueIn(columns, keyColumn(order, d), before));
  }
  store<u64>(flag, 1);
  return kept;
}
