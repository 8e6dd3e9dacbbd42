/** Twin of `as/sort-rows.ts`: column by column, the last one first, each sort stable. */

import type { Row } from './merge-rows.js';

export function radixSortPermutation(
  rows: readonly Row[],
  permutation: readonly number[],
  order: readonly number[],
): number[] {
  let sorted = [...permutation];
  for (const c of [...order].reverse()) {
    const value = (row: number): bigint => (rows[row] as Row)[c] as bigint;
    sorted = sorted.sort((x, y) => (value(x) < value(y) ? -1 : value(x) > value(y) ? 1 : 0));
  }
  return sorted;
}
