/** Looks sorted keys up in a packed block, in place: no column is decoded. */
import { valueAt } from './block';
import { keyColumn, valueIn } from './row-order';

export const NOT_FOUND: u32 = 0xffffffff;

/** Row `row` of the block against row `i` of the candidates. */
function compareInBlock(block: usize, row: u32, candidates: usize, i: u32, order: u64, depth: u32): i32 {
  for (let d: u32 = 0; d < depth; d++) {
    const c = keyColumn(order, d);
    const x = valueAt(block, c, row);
    const y = valueIn(candidates, c, i);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/**
 * For each of the candidates `[from, to)`, rows of a columns list ascending by the key, the row of the
 * block with the same key, or `NOT_FOUND`, as u32 to `out` from its start on. Stops at the first
 * candidate behind the last row of the block; returns the number of candidates that were looked up.
 */
export function lookupRows(
  block: usize,
  rows: u32,
  order: u64,
  depth: u32,
  candidates: usize,
  from: u32,
  to: u32,
  out: usize,
): u32 {
  let at: u32 = 0;
  for (let i = from; i < to; i++) {
    // Gallop from the last place, then bisect: candidates ascend.
    let low = at;
    let step: u32 = 1;
    let high = at;
    while (high < rows && compareInBlock(block, high, candidates, i, order, depth) < 0) {
      low = high + 1;
      high += step;
      step <<= 1;
    }
    high = min(high, rows);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareInBlock(block, middle, candidates, i, order, depth) < 0) low = middle + 1;
      else high = middle;
    }
    if (low >= rows) return i - from;
    at = low;
    const found = compareInBlock(block, low, candidates, i, order, depth) == 0;
    store<u32>(out + ((<usize>(i - from)) << 2), found ? low : NOT_FOUND);
  }
  return to - from;
}
