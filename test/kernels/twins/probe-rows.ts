/** Twin of `as/probe-rows.ts`: rows and keys are lists, both ascending by the columns of `order`; each key comes once. */

import { compareRows, type Row } from './merge-rows.js';

/** A row and the number of its key. */
export type Found = readonly [row: number, key: number];

/** The rows of the keys `[from, to)` from row `row` on, at most `room` of them. */
export function probeRows(
  rows: readonly Row[],
  order: readonly number[],
  keys: readonly Row[],
  from: number,
  row = 0,
  room = Number.POSITIVE_INFINITY,
): Found[] {
  const found: Found[] = [];
  for (let key = from; key < keys.length; key++) {
    for (let at = row; at < rows.length; at++) {
      if (compareRows(rows[at] as Row, keys[key] as Row, order) === 0) found.push([at, key]);
    }
  }
  return found.slice(0, room);
}

/** How many living rows each key has; keys without any are left out. */
export function probeCounts(
  rows: readonly Row[],
  order: readonly number[],
  keys: readonly Row[],
  dead: readonly number[],
): [key: number, count: number][] {
  const counts = new Map<number, number>();
  for (const [row, key] of dropDeadRows(dead, probeRows(rows, order, keys, 0))) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    void row;
  }
  return [...counts];
}

export function dropDeadRows(dead: readonly number[], found: readonly Found[]): Found[] {
  return found.filter(([row]) => !dead.includes(row));
}

/** The keys of the rows that are kept. */
export function keepKeys(found: readonly Found[], kept: readonly number[]): number[] {
  return found.filter(([row]) => kept.includes(row)).map(([, key]) => key);
}
