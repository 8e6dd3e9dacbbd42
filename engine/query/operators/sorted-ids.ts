/** Looking around in columns of ascending ids. */

import type { IdColumn } from '../../storage/scan.js';

export function isBelow(ids: IdColumn, row: number, low: number, high: number): boolean {
  const mine = ids[2 * row + 1] as number;
  return mine < high || (mine === high && (ids[2 * row] as number) < low);
}

/** The first row after `row` that has another id, or `rows`. */
export function endOfRun(ids: IdColumn, row: number, rows: number): number {
  const low = ids[2 * row] as number;
  const high = ids[2 * row + 1] as number;
  let end = row + 1;
  while (end < rows && ids[2 * end] === low && ids[2 * end + 1] === high) end++;
  return end;
}

/** The first row after `row`, which is below it, whose id is at or after the given one; `rows` = none. */
export function firstNotBelow(ids: IdColumn, row: number, rows: number, low: number, high: number): number {
  let start = row + 1;
  let stride = 1;
  // Gallop, then bisect: runs of ids that do not match are often long.
  while (start + stride <= rows && isBelow(ids, start + stride - 1, low, high)) {
    start += stride;
    stride *= 2;
  }
  let end = Math.min(start + stride, rows);
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (isBelow(ids, middle, low, high)) start = middle + 1;
    else end = middle;
  }
  return start;
}
