/**
 * Scalar expressions of the relational tree: what a dialect writes as the text of one value. Columns have names that no
 * other column of the query has, so that nothing needs to say where a column comes from. The functions `all`, `any`, `when`
 * and their like leave out what constants decide.
 */

import type { Term } from '../../rdf/terms.js';
import type { LakeType } from '../layout.js';

/** Operators and functions by our names; a dialect says how it writes each, or that it can't. */
export const SCALAR_FUNCTIONS = [
  'and',
  'or',
  'not',
  '=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  'isNull',
  'isNotNull',
  'isSame',
  'coalesce',
  'plus',
  'minus',
  'times',
  'over',
  'negate',
  'isNaN',
  'toFloat',
  'roundDouble',
  'floorDouble',
  'ceilDouble',
  'absolute',
  'addDecimals',
  'subtractDecimals',
  'multiplyDecimals',
  'divideDecimals',
  'floorDecimal',
  'ceilDecimal',
  'truncateDecimal',
  'truncateDouble',
  'decimalOfInt',
  'doubleOfInt',
  'scaledDouble',
  'scaledDecimal',
  'decimalOfDouble',
  'doubleOfDecimal',
  'doubleOfText',
  'decimalText',
  'doubleText',
  'floatText',
  'concat',
  'length',
  'isAscii',
  'upper',
  'lower',
  'startsWith',
  'endsWith',
  'contains',
  'position',
  'substring',
  'from',
  'matches',
  'extract',
  'replaceAll',
  'encodeForUri',
  'md5',
  'sha1',
  'sha256',
  'sha384',
  'sha512',
  'micros',
  'intOfText',
  'decimalOfText',
  'textOfInt',
  'random',
  'uuid',
  'refuse',
  'count',
  'countRows',
  'countDistinct',
  'sum',
  'min',
  'max',
  'joinTexts',
  'anyTrue',
  'rowNumber',
  'rank',
  'leastPair',
  'greatestPair',
] as const;

export type ScalarFunction = (typeof SCALAR_FUNCTIONS)[number];

export type Scalar =
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'text'; readonly value: string }
  /** A number as the engine reads it. */
  | { readonly kind: 'number'; readonly type: 'bigint' | 'int' | 'double' | 'decimal'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null'; readonly type: LakeType }
  /** The id of a constant, which the table of terms knows. */
  | { readonly kind: 'id'; readonly term: Term }
  | { readonly kind: 'call'; readonly name: ScalarFunction; readonly args: readonly Scalar[]; readonly type?: LakeType }
  | { readonly kind: 'case'; readonly whens: readonly When[]; readonly otherwise: Scalar };

export type When = readonly [condition: Scalar, value: Scalar];

export const TRUE: Scalar = { kind: 'boolean', value: true };
export const FALSE: Scalar = { kind: 'boolean', value: false };
export const UNKNOWN: Scalar = { kind: 'null', type: 'boolean' };

export const column = (name: string): Scalar => ({ kind: 'column', name });
export const text = (value: string): Scalar => ({ kind: 'text', value });
export const int = (value: number): Scalar => ({ kind: 'number', type: 'int', text: String(value) });
export const bigint = (value: bigint): Scalar => ({ kind: 'number', type: 'bigint', text: String(value) });
export const decimal = (value: string): Scalar => ({ kind: 'number', type: 'decimal', text: value });
export const nothing = (type: LakeType): Scalar => ({ kind: 'null', type });

export function double(value: number): Scalar {
  return { kind: 'number', type: 'double', text: Object.is(value, -0) ? '-0' : String(value) };
}

export function call(name: ScalarFunction, ...args: readonly Scalar[]): Scalar {
  return { kind: 'call', name, args };
}

export function isConstant(scalar: Scalar): boolean {
  return scalar.kind !== 'column' && scalar.kind !== 'call' && scalar.kind !== 'case';
}

/** All are true; false where one is, unknown where none is false and one unknown. */
export function all(...conditions: readonly Scalar[]): Scalar {
  const left = conditions.filter((one) => !isBoolean(one, true));
  if (left.some((one) => isBoolean(one, false))) return FALSE;
  if (left.length === 0) return TRUE;
  return left.length === 1 ? (left[0] as Scalar) : call('and', ...left);
}

export function any(...conditions: readonly Scalar[]): Scalar {
  const left = conditions.filter((one) => !isBoolean(one, false));
  if (left.some((one) => isBoolean(one, true))) return TRUE;
  if (left.length === 0) return FALSE;
  return left.length === 1 ? (left[0] as Scalar) : call('or', ...left);
}

export function not(condition: Scalar): Scalar {
  if (condition.kind === 'boolean') return condition.value ? FALSE : TRUE;
  if (condition.kind === 'null') return UNKNOWN;
  if (condition.kind === 'call' && condition.name === 'not') return condition.args[0] as Scalar;
  return call('not', condition);
}

export function isNull(scalar: Scalar): Scalar {
  if (scalar.kind === 'null') return TRUE;
  return isConstant(scalar) && scalar.kind !== 'id' ? FALSE : call('isNull', scalar);
}

export function isNotNull(scalar: Scalar): Scalar {
  return not(isNull(scalar));
}

export function equal(a: Scalar, b: Scalar): Scalar {
  if (a.kind === 'null' || b.kind === 'null') return UNKNOWN;
  if (a.kind === 'text' && b.kind === 'text') return a.value === b.value ? TRUE : FALSE;
  if (a.kind === 'number' && b.kind === 'number' && a.type !== 'double') return a.text === b.text ? TRUE : FALSE;
  if (a.kind === 'boolean' && b.kind === 'boolean') return a.value === b.value ? TRUE : FALSE;
  return call('=', a, b);
}

/** Equal, or both null. */
export function isSame(a: Scalar, b: Scalar): Scalar {
  if (a.kind === 'null') return isNull(b);
  if (b.kind === 'null') return isNull(a);
  if (isConstant(a) && isConstant(b) && a.kind !== 'id' && b.kind !== 'id') return equal(a, b);
  return call('isSame', a, b);
}

export function isOneOf(scalar: Scalar, values: readonly string[]): Scalar {
  return any(...values.map((value) => equal(scalar, text(value))));
}

/** The value of the first condition that is true. */
export function when(whens: readonly When[], otherwise: Scalar): Scalar {
  const left: When[] = [];
  let last = otherwise;
  for (const [condition, value] of whens) {
    if (condition.kind === 'null' || isBoolean(condition, false)) continue;
    if (isBoolean(condition, true)) {
      last = value;
      break;
    }
    left.push([condition, value]);
  }
  while (left.length > 0 && sameConstant((left.at(-1) as When)[1], last)) left.pop();
  return left.length === 0 ? last : { kind: 'case', whens: left, otherwise: last };
}

export function coalesce(...values: readonly Scalar[]): Scalar {
  const left = values.filter(({ kind }) => kind !== 'null');
  const [first] = left;
  if (first === undefined) return values[0] as Scalar;
  return left.length === 1 || (isConstant(first) && first.kind !== 'id') ? first : call('coalesce', ...left);
}

/** What the row can't be answered with ends the query with this message. */
export function refuse(message: string, type: LakeType): Scalar {
  return { kind: 'call', name: 'refuse', args: [text(message)], type };
}

function isBoolean(scalar: Scalar, value: boolean): boolean {
  return scalar.kind === 'boolean' && scalar.value === value;
}

function sameConstant(a: Scalar, b: Scalar): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'null') return true;
  if (a.kind === 'text' || a.kind === 'boolean') return a.value === (b as typeof a).value;
  if (a.kind === 'column') return a.name === (b as typeof a).name;
  return a.kind === 'number' && a.text === (b as typeof a).text && a.type === (b as typeof a).type;
}

/** Calls `visit` for the scalar and all parts of it. */
export function visitScalar(scalar: Scalar, visit: (part: Scalar) => void): void {
  visit(scalar);
  if (scalar.kind === 'call') for (const arg of scalar.args) visitScalar(arg, visit);
  if (scalar.kind !== 'case') return;
  for (const [condition, value] of scalar.whens) {
    visitScalar(condition, visit);
    visitScalar(value, visit);
  }
  visitScalar(scalar.otherwise, visit);
}

/** The number of its parts. */
export function scalarSize(scalar: Scalar): number {
  let size = 0;
  visitScalar(scalar, () => {
    size++;
  });
  return size;
}
