/** Twin of `as/present-rows.ts`. */

import { compareRows, type Row } from './merge-rows.js';
import type { Selection } from './select-rows.js';

function firstEqual(row: Row, others: readonly Row[], order: readonly number[]): Row | undefined {
  return others.find((other) => compareRows(row, other, order) === 0);
}

/** The selected rows of a whose key no row of b has. */
export function dropPresent(a: readonly Row[], rows: Selection, b: readonly Row[], order: readonly number[]): number[] {
  return rows.filter((row) => firstEqual(a[row] as Row, b, order) === undefined);
}

/** a, with the masked columns of b's first row of the same key in place of its own. */
export function overridePresent(
  a: readonly Row[],
  rows: Selection,
  b: readonly Row[],
  order: readonly number[],
  mask: number,
): Row[] {
  const chosen = new Set(rows);
  return a.map((row, i) => {
    const other = chosen.has(i) ? firstEqual(row, b, order) : undefined;
    return other === undefined ? row : row.map((value, c) => ((mask >>> c) & 1 ? (other[c] as bigint) : value));
  });
}
