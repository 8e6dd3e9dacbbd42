/** What differs between the SQL of engines: how each function is written, and what an engine can't say. */

import type { LAKE_TABLES, LakeType } from '../../layout.js';
import type { ScalarFunction } from '../scalars.js';

export type DialectName = 'duckdb' | 'spark' | 'trino';
export const DIALECT_NAMES: readonly DialectName[] = ['duckdb', 'spark', 'trino'];

/** How a function is written, of the texts of its arguments; a text says why it can't be. */
export type Writing = (args: readonly string[]) => string;

/** Why an engine does not have something, and what to do instead. */
export interface Lacking {
  readonly lacks: string;
  readonly instead?: string;
}

export interface Dialect {
  readonly name: DialectName;
  readonly title: string;
  readonly types: Readonly<Record<LakeType, string>>;
  readonly functions: Readonly<Record<Exclude<ScalarFunction, 'refuse' | 'rowNumber' | 'rank'>, Writing | Lacking>>;
  readonly text: (value: string) => string;
  readonly quoted: (name: string) => string;
  /** Ends the query with a message, typed as what would stand in its place. */
  readonly refuse: (message: string, type: string) => string;
  readonly recursion: 'yes' | Lacking;
  /** Joins that keep rows of the left side with a row of the right, and without one; null = by EXISTS. */
  readonly semiJoin: readonly [semi: string, anti: string] | null;
  readonly table: (name: keyof typeof LAKE_TABLES) => string;
}

export const infix =
  (operator: string): Writing =>
  (args) =>
    `(${args.join(` ${operator} `)})`;

export const named =
  (name: string): Writing =>
  (args) =>
    `${name}(${args.join(', ')})`;

export const DECIMAL_TYPE = 'DECIMAL(38, 18)';

/** What every dialect writes alike. */
export const COMMON = {
  and: infix('AND'),
  or: infix('OR'),
  not: ([a]) => `(NOT ${a})`,
  '=': infix('='),
  '<>': infix('<>'),
  '<': infix('<'),
  '<=': infix('<='),
  '>': infix('>'),
  '>=': infix('>='),
  isNull: ([a]) => `(${a} IS NULL)`,
  isNotNull: ([a]) => `(${a} IS NOT NULL)`,
  coalesce: named('coalesce'),
  plus: infix('+'),
  minus: infix('-'),
  times: infix('*'),
  negate: ([a]) => `(-${a})`,
  absolute: named('abs'),
  floorDouble: named('floor'),
  ceilDouble: named('ceil'),
  roundDouble: ([a]) => `(CASE WHEN ${a} - floor(${a}) >= CAST('0.5' AS DOUBLE) THEN ceil(${a}) ELSE floor(${a}) END)`,
  truncateDouble: ([a]) => `(CASE WHEN ${a} < 0 THEN ceil(${a}) ELSE floor(${a}) END)`,
  addDecimals: ([a, b]) => `CAST(CAST(${a} AS DECIMAL(37, 18)) + CAST(${b} AS DECIMAL(37, 18)) AS ${DECIMAL_TYPE})`,
  subtractDecimals: ([a, b]) =>
    `CAST(CAST(${a} AS DECIMAL(37, 18)) - CAST(${b} AS DECIMAL(37, 18)) AS ${DECIMAL_TYPE})`,
  floorDecimal: ([a]) => `CAST(floor(${a}) AS ${DECIMAL_TYPE})`,
  ceilDecimal: ([a]) => `CAST(ceil(${a}) AS ${DECIMAL_TYPE})`,
  truncateDecimal: ([a]) => `CAST((CASE WHEN ${a} < 0 THEN ceil(${a}) ELSE floor(${a}) END) AS ${DECIMAL_TYPE})`,
  decimalOfInt: ([a]) => `CAST(${a} AS ${DECIMAL_TYPE})`,
  doubleOfInt: ([a]) => `CAST(${a} AS DOUBLE)`,
  // A whole number of at most fifteen digits, of which so many stand behind the point.
  scaledDouble: ([a, digits]) => `(CAST(${a} AS DOUBLE) / CAST('1e${digits}' AS DOUBLE))`,
  scaledDecimal: ([a, digits]) =>
    `CAST(CAST(${a} AS DECIMAL(15, 0)) * CAST('0.${'1'.padStart(Number(digits), '0')}' AS DECIMAL(18, 18)) AS ${DECIMAL_TYPE})`,
  decimalOfText: ([a]) => `CAST(${a} AS ${DECIMAL_TYPE})`,
  length: named('length'),
  lower: named('lower'),
  upper: named('upper'),
  substring: named('substring'),
  from: named('substring'),
  count: named('count'),
  countRows: () => 'count(*)',
  countDistinct: ([a]) => `count(DISTINCT ${a})`,
  sum: named('sum'),
  min: named('min'),
  max: named('max'),
} as const satisfies Partial<Record<ScalarFunction, Writing>>;
