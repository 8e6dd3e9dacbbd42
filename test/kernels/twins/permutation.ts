/** Twin of `as/permutation.ts`: rows are lists of values, a permutation a list of row numbers. */

import { compareRows, type Row } from './merge-rows.js';

/** The columns of a row that `order` names, in its sequence. */
export function keyOf(row: Row, order: readonly number[]): bigint[] {
  return order.map((c) => row[c] as bigint);
}

function compareToKey(row: Row, order: readonly number[], key: readonly bigint[]): number {
  const positions = order.map((_, d) => d);
  return compareRows(keyOf(row, order), key, positions);
}

export function lowerBoundRows(
  rows: readonly Row[],
  permutation: readonly number[],
  order: readonly number[],
  key: readonly bigint[],
  from: number,
): number {
  const at = permutation.findIndex((row, i) => i >= from && compareToKey(rows[row] as Row, order, key) >= 0);
  return at < 0 ? Math.max(from, permutation.length) : at;
}

export function findRow(
  rows: readonly Row[],
  permutation: readonly number[],
  order: readonly number[],
  key: readonly bigint[],
): number {
  const equal = permutation.map((row) => compareToKey(rows[row] as Row, order, key) === 0);
  return equal.lastIndexOf(true);
}

export function sortPermutation(
  rows: readonly Row[],
  permutation: readonly number[],
  order: readonly number[],
): number[] {
  return [...permutation].sort((x, y) => compareRows(rows[x] as Row, rows[y] as Row, order));
}

/** `old` comes first among equals, since sorting is stable. */
export function mergePermutation(
  rows: readonly Row[],
  old: readonly number[],
  added: readonly number[],
  order: readonly number[],
): number[] {
  return sortPermutation(rows, [...old, ...added], order);
}

/** The wanted columns of the rows at positions `[from, to)`; null for the others. */
export function gatherRows(
  rows: readonly Row[],
  permutation: readonly number[],
  from: number,
  to: number,
  wanted: number,
): (bigint[] | null)[] {
  const taken = permutation.slice(from, to).map((row) => rows[row] as Row);
  return Array.from({ length: 8 }, (_, c) => ((wanted >>> c) & 1 ? taken.map((row) => row[c] as bigint) : null));
}
