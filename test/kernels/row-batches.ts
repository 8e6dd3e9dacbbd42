/** Random batches of rows for the kernels of sorted rows, and their way into kernel memory. */

import fc from 'fast-check';
import type { Areas } from './areas.js';
import { compareRows, type Row } from './twins/merge-rows.js';
import { few } from './values.js';

export const COLUMNS = 8;

export const row = fc.array(few, { minLength: COLUMNS, maxLength: COLUMNS });
export const batch = fc.array(row, { maxLength: 40 });
export const orders = fc.constantFrom([0, 1, 2, 3], [1, 2, 0, 3, 4], [3], [2, 0, 1, 3, 4, 6], [7, 6, 5, 4, 3, 2, 1, 0]);
/** A bit per column. */
export const masks = fc.nat({ max: 255 });

export function packOrder(order: readonly number[]): bigint {
  return order.reduce((sum, c, d) => sum | (BigInt(c) << BigInt(8 * d)), 0n);
}

export function placeBatch(areas: Areas, rows: readonly Row[]): number {
  return areas.columns(Array.from({ length: COLUMNS }, (_, c) => rows.map((values) => values[c] as bigint)));
}

/** Columns of exactly so many rows to write into; those without a bit in `wanted` have no room at all. */
export function placeOutput(areas: Areas, rows: number, wanted = 255): { list: number; columns: number[] } {
  const columns = Array.from({ length: COLUMNS }, (_, c) => areas.area((wanted >>> c) & 1 ? 8 * rows : 0));
  return { list: areas.words(columns), columns };
}

export function inOrder(rows: readonly Row[], order: readonly number[]): Row[] {
  return [...rows].sort((a, b) => compareRows(a, b, order));
}
