/** Twin of `as/lookup-rows.ts`: both sides are lists of rows, sorted by the key. */

import { compareRows, type Row } from './merge-rows.js';

export const NOT_FOUND = 0xffffffff;

/** For each candidate up to the first behind the last row: the row with its key, or `NOT_FOUND`. */
export function lookupRows(rows: readonly Row[], order: readonly number[], candidates: readonly Row[]): number[] {
  const found: number[] = [];
  for (const candidate of candidates) {
    if (rows.every((row) => compareRows(row, candidate, order) < 0)) break;
    const at = rows.findIndex((row) => compareRows(row, candidate, order) === 0);
    found.push(at < 0 ? NOT_FOUND : at);
  }
  return found;
}
