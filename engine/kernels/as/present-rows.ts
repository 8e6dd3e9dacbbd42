/**
 * Rows of one sorted batch that another one holds too, by key. Rows of a may be given through a selection
 * (u32 row numbers, ascending; 0 = all rows). Both sides are passed over in stretches whose end is found
 * by steps that double, so the cost follows the smaller side.
 */
import { COLUMNS, column, compareRows, firstNotBefore, rowAt } from './row-order';

/** Writes the row numbers at positions `[from, to)` of `list`; `out` may be `list`, at or before them. */
function keep(list: usize, from: u32, to: u32, out: usize): void {
  let at = out;
  for (let i = from; i < to; i++) {
    store<u32>(at, rowAt(list, i));
    at += 4;
  }
}

/**
 * The rows of a whose key rows `[fromB, toB)` of b do not hold: their numbers go to `outSelection`, which
 * may be `selection`. Returns how many there are.
 */
export function dropPresent(
  a: usize,
  selection: usize,
  count: u32,
  b: usize,
  fromB: u32,
  toB: u32,
  order: u64,
  depth: u32,
  outSelection: usize,
): u32 {
  let i: u32 = 0;
  let j = fromB;
  let kept: u32 = 0;
  while (i < count) {
    const end = j < toB ? firstNotBefore(a, selection, i, count, b, j, order, depth, 0) : count;
    keep(selection, i, end, outSelection + ((<usize>kept) << 2));
    kept += end - i;
    i = end;
    if (i == count) break;
    const row = rowAt(selection, i);
    j = firstNotBefore(b, 0, j, toB, a, row, order, depth, 0);
    if (j < toB && compareRows(a, row, b, j, order, depth) == 0) i++;
  }
  return kept;
}

/**
 * Where the key of a row of a stands in rows `[fromB, toB)` of b, the values of b's first such row replace
 * those of a, in the columns that have their bit in `mask`: none of them a key column.
 */
export function overridePresent(
  a: usize,
  selection: usize,
  count: u32,
  b: usize,
  fromB: u32,
  toB: u32,
  order: u64,
  depth: u32,
  mask: u32,
): void {
  let i: u32 = 0;
  let j = fromB;
  while (i < count && j < toB) {
    i = firstNotBefore(a, selection, i, count, b, j, order, depth, 0);
    if (i == count) break;
    const row = rowAt(selection, i);
    j = firstNotBefore(b, 0, j, toB, a, row, order, depth, 0);
    if (j == toB || compareRows(a, row, b, j, order, depth) != 0) continue;
    for (let c: u32 = 0; c < COLUMNS; c++) {
      if (!((mask >>> c) & 1)) continue;
      store<u64>(column(a, c) + ((<usize>row) << 3), load<u64>(column(b, c) + ((<usize>j) << 3)));
    }
    i++;
  }
}
