/**
 * Arithmetic over whole batches. A number is its kind and a double: of integers and decimals the digits as
 * a whole number of at most 2^53 with a scale, exact; of doubles the value; of longer exact numbers the
 * nearest double, or one that is about as near, which mostly tells how two compare. What does not fit,
 * floats, and what is no number are OTHER: the scalar form decides such rows. An unbound operand is an ERROR.
 */

import { type Literal, XSD } from '../../rdf/terms.js';
import { parseValue } from '../../rdf/values/index.js';
import {
  INTEGER_PREFIX,
  numericOfHalves,
  signedOfHalves,
  writeDecimalHalves,
  writeIntegerHalves,
} from '../../storage/ids/halves.js';
import { TAG } from '../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/scan.js';
import type { Expression } from '../algebra/expression.js';
import { LOCAL_DOUBLE, LOCAL_EXACT, LOCAL_HIGH, type LocalTerms } from '../local-terms.js';
import type { BatchContext } from './batch-context.js';

export const OTHER = 0;
export const INTEGER = 1;
export const DECIMAL = 2;
export const DOUBLE = 3;
export const ERROR_KIND = 4;
/** The nearest double of an exact number. */
const NEAREST = 5;
/** A double whose relative error is below ROUGH_ERROR: a product or quotient with a nearest one. */
const ROUGH = 6;
/** Three roundings are less than a quarter of it. */
const ROUGH_ERROR = 2 ** -49;
/** Between these nothing is subnormal or rounded to a multiple of a fixed number of digits. */
const ROUGH_MIN = 1e-6;
const ROUGH_MAX = 1e300;

/** Powers of ten up to this one are exact, and leave room for digits beside them. */
const SCALE_STEP_MAX = 15;
const POWERS = Float64Array.from({ length: SCALE_STEP_MAX + 1 }, (_, power) => 10 ** power);
const MAX = Number.MAX_SAFE_INTEGER;

export class NumberColumn {
  kinds = new Uint8Array(0);
  scales = new Uint8Array(0);
  values = new Float64Array(0);

  /** Room for so many rows; what was there is gone when there was less. */
  reserve(rows: number): void {
    if (rows <= this.kinds.length) return;
    const capacity = Math.max(rows, Math.min(BATCH_ROWS, 2 * this.kinds.length));
    this.kinds = new Uint8Array(capacity);
    this.scales = new Uint8Array(capacity);
    this.values = new Float64Array(capacity);
  }
}

/** Computes the first `rows` numbers of the batch at hand. */
export type Numbers = (rows: number) => NumberColumn;

type ArithmeticOperator = '+' | '-' | '*' | '/';

/** Null for an expression that is not made of variables, numbers, arithmetic and casts to double alone. */
export function compileNumbers(expression: Expression, context: BatchContext): Numbers | null {
  switch (expression.kind) {
    case 'variable':
      return ofVariable(context.columnOf(expression.name), context);
    case 'term':
      return expression.term.termType === 'Literal' ? ofConstant(expression.term) : null;
    case 'function':
      return expression.iri === `${XSD}double` && expression.args.length === 1
        ? map(compileNumbers(expression.args[0] as Expression, context), castToDouble)
        : null;
    case 'call':
      return compileCall(expression.operator, expression.args, context);
    default:
      return null;
  }
}

/** True for what is computed; variables and constants alone are better compared by their ids. */
export function isComputed(expression: Expression): boolean {
  return expression.kind === 'call' || expression.kind === 'function';
}

function compileCall(operator: string, args: readonly Expression[], context: BatchContext): Numbers | null {
  const parts = () => args.map((arg) => compileNumbers(arg, context));
  switch (operator) {
    case '+':
    case '-':
    case '*':
    case '/': {
      const [a, b] = parts() as [Numbers | null, Numbers | null];
      return a === null || b === null ? null : combine(operator, a, b);
    }
    case 'uminus':
      return map(parts()[0] as Numbers | null, negate);
    default:
      return null;
  }
}

function ofVariable(column: number, context: BatchContext): Numbers | null {
  if (column < 0) return null;
  const numbers = new NumberColumn();
  return (rows) => {
    numbers.reserve(rows);
    readIds(context.column(column), rows, numbers, context.terms.local);
    return numbers;
  };
}

const KIND_OF_LOCAL = new Uint8Array(3);
KIND_OF_LOCAL[LOCAL_EXACT] = NEAREST;
KIND_OF_LOCAL[LOCAL_DOUBLE] = DOUBLE;

function readIds(ids: IdColumn, rows: number, { kinds, scales, values }: NumberColumn, local: LocalTerms): void {
  for (let row = 0; row < rows; row++) {
    const low = ids[2 * row] as number;
    const high = ids[2 * row + 1] as number;
    const prefix = high >>> 16;
    scales[row] = 0;
    if (prefix === INTEGER_PREFIX) {
      kinds[row] = INTEGER;
      values[row] = signedOfHalves(low, high);
      continue;
    }
    switch (prefix >>> 8) {
      case TAG.decimal:
        kinds[row] = (prefix & 0xff) <= SCALE_STEP_MAX ? DECIMAL : OTHER;
        scales[row] = prefix & 0xff;
        values[row] = signedOfHalves(low, high);
        break;
      case TAG.integer:
      case TAG.double: {
        const value = numericOfHalves(low, high);
        kinds[row] = Number.isNaN(value) ? OTHER : prefix >>> 8 === TAG.double ? DOUBLE : INTEGER;
        values[row] = value;
        break;
      }
      default:
        kinds[row] = prefix >>> 8 === TAG.unbound ? ERROR_KIND : OTHER;
        if (high !== LOCAL_HIGH) break;
        kinds[row] = KIND_OF_LOCAL[local.kinds[low] as number] as number;
        values[row] = local.numbers[low] as number;
    }
  }
}

function ofConstant(literal: Literal): Numbers | null {
  const value = parseValue(literal);
  const numbers = new NumberColumn();
  let filled = 0;
  const fill = (kind: number, scale: number, number: number): Numbers => {
    return (rows) => {
      if (rows <= filled) return numbers;
      numbers.reserve(rows);
      filled = numbers.kinds.length;
      numbers.kinds.fill(kind);
      numbers.scales.fill(scale);
      numbers.values.fill(number);
      return numbers;
    };
  };
  switch (value.kind) {
    case 'integer':
      return Number.isSafeInteger(value.value) ? fill(INTEGER, 0, Number(value.value)) : null;
    case 'decimal': {
      const digits = Number(value.unscaled);
      return Number.isSafeInteger(digits) && value.scale <= SCALE_STEP_MAX ? fill(DECIMAL, value.scale, digits) : null;
    }
    case 'double':
      return fill(DOUBLE, 0, value.value);
    default:
      return null;
  }
}

function map(inner: Numbers | null, change: (numbers: NumberColumn, into: NumberColumn, rows: number) => void) {
  if (inner === null) return null;
  const result = new NumberColumn();
  return (rows: number): NumberColumn => {
    const numbers = inner(rows);
    result.reserve(rows);
    change(numbers, result, rows);
    return result;
  };
}

function castToDouble(from: NumberColumn, into: NumberColumn, rows: number): void {
  for (let row = 0; row < rows; row++) {
    const kind = from.kinds[row] as number;
    into.kinds[row] = isNumber(kind) || kind === NEAREST ? DOUBLE : kind === ROUGH ? OTHER : kind;
    into.scales[row] = 0;
    into.values[row] = doubleAt(from, row);
  }
}

function negate(from: NumberColumn, into: NumberColumn, rows: number): void {
  for (let row = 0; row < rows; row++) {
    const value = from.values[row] as number;
    into.kinds[row] = from.kinds[row] as number;
    into.scales[row] = from.scales[row] as number;
    into.values[row] = from.kinds[row] === DOUBLE ? -value : 0 - value;
  }
}

function isNumber(kind: number): boolean {
  return kind === INTEGER || kind === DECIMAL || kind === DOUBLE;
}

/** One division of exact numbers, so it is rounded once. */
export function doubleAt({ kinds, scales, values }: NumberColumn, row: number): number {
  const value = values[row] as number;
  return kinds[row] === DECIMAL ? value / (POWERS[scales[row] as number] as number) : value;
}

function combine(operator: ArithmeticOperator, first: Numbers, second: Numbers): Numbers {
  const result = new NumberColumn();
  return (rows) => {
    const a = first(rows);
    const b = second(rows);
    result.reserve(rows);
    combineRows(operator, a, b, rows, result);
    return result;
  };
}

function combineRows(operator: ArithmeticOperator, a: NumberColumn, b: NumberColumn, rows: number, into: NumberColumn) {
  const { kinds: kindsA, values: valuesA } = a;
  const { kinds: kindsB, values: valuesB } = b;
  const { kinds, scales, values } = into;
  for (let row = 0; row < rows; row++) {
    const kindA = kindsA[row] as number;
    const kindB = kindsB[row] as number;
    if (kindA === INTEGER && kindB === INTEGER && operator !== '/') {
      const value = onDoubles(operator, valuesA[row] as number, valuesB[row] as number);
      kinds[row] = value <= MAX && value >= -MAX ? INTEGER : OTHER;
      scales[row] = 0;
      // Plus zero: there is no negative zero among exact numbers.
      values[row] = value + 0;
    } else if (!isNumber(kindA) || !isNumber(kindB)) {
      kinds[row] = kindA === ERROR_KIND || kindB === ERROR_KIND ? ERROR_KIND : OTHER;
      if (kindA === NEAREST || kindB === NEAREST) withNearest(operator, a, b, row, into);
    } else if (kindA === DOUBLE || kindB === DOUBLE) {
      kinds[row] = DOUBLE;
      scales[row] = 0;
      values[row] = onDoubles(operator, doubleAt(a, row), doubleAt(b, row));
    } else if (operator === '*') multiplyAt(a, b, row, into);
    else if (operator === '/') divideAt(a, b, row, into);
    else addSigned(a, b, operator === '+' ? 1 : -1, row, into);
  }
}

/** A double makes a double of it, as of every exact number; products and quotients with it stay near. */
function withNearest(operator: ArithmeticOperator, a: NumberColumn, b: NumberColumn, row: number, into: NumberColumn) {
  const kindA = a.kinds[row] as number;
  const kindB = b.kinds[row] as number;
  if (!(isNumber(kindA) || kindA === NEAREST) || !(isNumber(kindB) || kindB === NEAREST)) return;
  const first = doubleAt(a, row);
  const second = doubleAt(b, row);
  const value = onDoubles(operator, first, second);
  into.scales[row] = 0;
  into.values[row] = value;
  if (kindA === DOUBLE || kindB === DOUBLE) into.kinds[row] = DOUBLE;
  else if (operator === '*' || (operator === '/' && second !== 0)) {
    const size = Math.abs(value);
    into.kinds[row] = size > ROUGH_MIN && size < ROUGH_MAX ? ROUGH : OTHER;
  }
}

function onDoubles(operator: ArithmeticOperator, a: number, b: number): number {
  return operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : a / b;
}

function addSigned(a: NumberColumn, b: NumberColumn, sign: number, row: number, into: NumberColumn): void {
  const scaleA = a.scales[row] as number;
  const scaleB = b.scales[row] as number;
  let valueA = a.values[row] as number;
  let valueB = b.values[row] as number;
  // No scale is beyond the table, and so no difference of two.
  if (scaleA < scaleB) valueA *= POWERS[scaleB - scaleA] as number;
  else if (scaleB < scaleA) valueB *= POWERS[scaleA - scaleB] as number;
  const sum = valueA + sign * valueB;
  const exact = Math.abs(valueA) <= MAX && Math.abs(valueB) <= MAX && Math.abs(sum) <= MAX;
  into.kinds[row] = !exact ? OTHER : a.kinds[row] === INTEGER && b.kinds[row] === INTEGER ? INTEGER : DECIMAL;
  into.scales[row] = Math.max(scaleA, scaleB);
  into.values[row] = sum + 0;
}

function multiplyAt(a: NumberColumn, b: NumberColumn, row: number, into: NumberColumn): void {
  const product = (a.values[row] as number) * (b.values[row] as number);
  const scale = (a.scales[row] as number) + (b.scales[row] as number);
  const exact = Math.abs(product) <= MAX && scale <= SCALE_STEP_MAX;
  into.kinds[row] = !exact ? OTHER : a.kinds[row] === INTEGER && b.kinds[row] === INTEGER ? INTEGER : DECIMAL;
  into.scales[row] = scale;
  into.values[row] = product + 0;
}

/** Only what ends: the division of whole numbers that leaves nothing. All else has more digits than a double. */
function divideAt(a: NumberColumn, b: NumberColumn, row: number, into: NumberColumn): void {
  const quotient = (a.values[row] as number) / (b.values[row] as number);
  const scale = (a.scales[row] as number) - (b.scales[row] as number);
  const exact = Number.isSafeInteger(quotient) && scale >= 0;
  into.kinds[row] = exact && quotient * (b.values[row] as number) === a.values[row] ? DECIMAL : OTHER;
  into.scales[row] = exact ? scale : 0;
  into.values[row] = quotient + 0;
}

/** Of two numbers: negative, zero, positive; NaN where this does not tell. */
export function compareNumbersAt(a: NumberColumn, b: NumberColumn, row: number): number {
  const kindA = a.kinds[row] as number;
  const kindB = b.kinds[row] as number;
  if (!isNumber(kindA) || !isNumber(kindB)) return compareNearAt(a, b, row);
  if (kindA === DOUBLE || kindB === DOUBLE) return difference(doubleAt(a, row), doubleAt(b, row));
  const scaleA = a.scales[row] as number;
  const scaleB = b.scales[row] as number;
  let valueA = a.values[row] as number;
  let valueB = b.values[row] as number;
  if (scaleA < scaleB) valueA *= POWERS[scaleB - scaleA] as number;
  else if (scaleB < scaleA) valueB *= POWERS[scaleA - scaleB] as number;
  if (Math.abs(valueA) > MAX || Math.abs(valueB) > MAX) return Number.NaN;
  return difference(valueA, valueB);
}

/** Where one of them is not known to the last digit. A double makes a double of the other, the nearest one. */
function compareNearAt(a: NumberColumn, b: NumberColumn, row: number): number {
  const kindA = a.kinds[row] as number;
  const kindB = b.kinds[row] as number;
  if (!isComparable(kindA) || !isComparable(kindB)) return Number.NaN;
  const first = doubleAt(a, row);
  const second = doubleAt(b, row);
  if (kindA === ROUGH || kindB === ROUGH) {
    const near = Math.abs(first - second) <= (Math.abs(first) + Math.abs(second)) * ROUGH_ERROR;
    return near ? Number.NaN : difference(first, second);
  }
  const order = difference(first, second);
  return order === 0 && kindA !== DOUBLE && kindB !== DOUBLE ? Number.NaN : order;
}

function isComparable(kind: number): boolean {
  return isNumber(kind) || kind === NEAREST || kind === ROUGH;
}

function difference(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN;
}

/**
 * Writes the id of a computed number where the number is its own id: an integer, or a decimal in its
 * shortest form. False, and nothing written, where it has to be encoded as a term.
 */
export function writeNumberAt({ kinds, scales, values }: NumberColumn, row: number, out: IdColumn): boolean {
  switch (kinds[row]) {
    case INTEGER:
      return writeIntegerHalves(out, row, values[row] as number);
    case DECIMAL:
      return writeDecimalHalves(out, row, values[row] as number, scales[row] as number);
    default:
      return false;
  }
}
