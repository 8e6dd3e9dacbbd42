/** Twin of `as/row-keys.ts`: sort keys of rows of provisional numbers, and what is counted on them. */

import { rotateLeft, wrap } from './bits.js';

/** Provisional numbers of s, p, o, g. */
export type NumberRow = readonly [number, number, number, number];

export interface KeyPart {
  readonly shift: number;
  readonly width: number;
}

/** Of s, p, o, g. */
export type KeyLayout = readonly [KeyPart, KeyPart, KeyPart, KeyPart];

const COLUMNS = [0, 1, 2, 3] as const;

export function partOf(key: bigint, { shift, width }: KeyPart): number {
  return Number((key >> BigInt(shift)) & ((1n << BigInt(width)) - 1n));
}

/** Keys of the rows whose graph passes. `ranks` are those of each column by number. */
export function composeKeys(
  rows: readonly NumberRow[],
  ranks: readonly (readonly number[])[],
  layout: KeyLayout,
  passes: (graph: number) => boolean,
): bigint[] {
  return rows
    .filter((row) => passes(row[3]))
    .map((row) =>
      COLUMNS.filter((c) => layout[c].width > 0)
        .map((c) => BigInt(ranks[c]?.[row[c]] as number) << BigInt(layout[c].shift))
        .reduce((key, part) => key | part, 0n),
    );
}

export function dedupeKeys(keys: readonly bigint[]): bigint[] {
  return keys.filter((key, i) => i === 0 || key !== keys[i - 1]);
}

export function dropMarkedKeys(keys: readonly bigint[], marks: readonly boolean[]): bigint[] {
  return keys.filter((_, i) => !marks[i]);
}

export function relayoutKeys(keys: readonly bigint[], from: KeyLayout, to: KeyLayout): bigint[] {
  return keys.map((key) =>
    COLUMNS.reduce((made, c) => made | (BigInt(partOf(key, from[c])) << BigInt(to[c].shift)), 0n),
  );
}

export function keyColumn(keys: readonly bigint[], part: KeyPart, ids: readonly bigint[]): bigint[] {
  return keys.map((key) => ids[partOf(key, part)] as bigint);
}

/** How many rows have each graph. */
export function countGraphs(rows: readonly NumberRow[], terms: number): number[] {
  return Array.from({ length: terms }, (_, number) => rows.filter((row) => row[3] === number).length);
}

/** Which numbers stand in a column. */
export function markColumn(rows: readonly NumberRow[], column: 0 | 1 | 2 | 3, terms: number): boolean[] {
  const present = new Set(rows.map((row) => row[column]));
  return Array.from({ length: terms }, (_, number) => present.has(number));
}

export interface Ranks {
  /** By number; undefined for numbers without the mark. */
  readonly ranks: readonly (number | undefined)[];
  /** By rank. */
  readonly ids: readonly bigint[];
}

/** Dense ranks of the marked numbers in the order of their ids (by number, `ids`). */
export function assignRanks(ids: readonly bigint[], marks: readonly boolean[] | null): Ranks {
  const marked = ids.filter((_, number) => marks === null || marks[number]);
  const distinct = [...new Set(marked)].sort((a, b) => (a < b ? -1 : 1));
  const ranks = ids.map((id, number) => (marks === null || marks[number] ? distinct.indexOf(id) : undefined));
  return { ranks, ids: distinct };
}

/** The checksum of a set of rows (ids of s, p, o, g): a sum, so that their order does not matter. */
export function sumRows(rows: readonly (readonly [bigint, bigint, bigint, bigint])[], sum: bigint): bigint {
  return rows.reduce((total, [s, p, o, g]) => {
    let h = wrap(s * 0x9e3779b97f4a7c15n);
    h = wrap(rotateLeft(h ^ p, 23) * 0xff51afd7ed558ccdn);
    h = wrap(rotateLeft(h ^ o, 29) * 0xc4ceb9fe1a85ec53n);
    h = wrap(rotateLeft(h ^ g, 31) * 0x9e3779b97f4a7c15n);
    return wrap(total + (h ^ (h >> 32n)));
  }, sum);
}

export interface PredicateFigures {
  readonly rows: number;
  readonly distinct: number;
}

/** Rows of each predicate, and how many values a column has among them. */
export function countByPredicate(
  keys: readonly bigint[],
  layout: KeyLayout,
  column: 0 | 2,
  predicates: number,
): PredicateFigures[] {
  return Array.from({ length: predicates }, (_, predicate) => {
    const own = keys.filter((key) => partOf(key, layout[1]) === predicate);
    return { rows: own.length, distinct: new Set(own.map((key) => partOf(key, layout[column]))).size };
  });
}

export function countDistinct(keys: readonly bigint[], part: KeyPart): number {
  return new Set(keys.map((key) => partOf(key, part))).size;
}

/** How often each of `ranks` ranks occurs. */
export function countRanks(keys: readonly bigint[], part: KeyPart, ranks: number): number[] {
  return Array.from({ length: ranks }, (_, rank) => keys.filter((key) => partOf(key, part) === rank).length);
}
