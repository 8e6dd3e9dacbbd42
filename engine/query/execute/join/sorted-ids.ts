/** Looking around in columns of ascending ids. */

import type { IdColumn } from '../../../storage/seam/scan.js';

/** The first row after `row` that has another id, or `rows`. */
export function endOfRun(ids: IdColumn, row: number, rows: number): number {
  const low = ids[2 * row] as number;
  const high = ids[2 * row + 1] as number;
  let end = row + 1;
  while (end < rows && ids[2 * end] === low && ids[2 * end + 1] === high) end++;
  return end;
}
