/**
 * Numbers: promotion, comparison and arithmetic as XPath has them. Two integers or decimals are
 * computed exactly, whatever their size; a float makes a float of a decimal, a double makes a
 * double of anything. Division of integers gives a decimal. Null = a type error or an overflow.
 */

import {
  addDecimals,
  compareDecimals,
  decimalToNumber,
  decimalValue,
  digitCount,
  divideDecimals,
  multiplyDecimals,
  negated,
  ofInteger,
} from './decimal.js';
import { exactOfNumber, roundToFloat } from './rounding.js';
import {
  type Decimal,
  DIGITS_MAX,
  doubleValue,
  floatValue,
  type IntegerValue,
  integerValue,
  isNumeric,
  type NumericValue,
  type Value,
} from './value.js';

export type ArithmeticOperator = '+' | '-' | '*' | '/';

/** The nearest double. */
export function toDouble(value: NumericValue): number {
  switch (value.kind) {
    case 'integer':
      return Number(value.value);
    case 'decimal':
      return decimalToNumber(value);
    default:
      return value.value;
  }
}

/** The nearest float. */
export function toFloat(value: NumericValue): number {
  if (value.kind === 'decimal') return roundToFloat(value.unscaled, value.scale);
  if (value.kind === 'integer' && typeof value.value === 'bigint') return roundToFloat(value.value, 0);
  return Math.fround(Number(value.value));
}

/** -1, 0, 1, or NaN when one of them is NaN. */
export function compareNumbers(a: NumericValue, b: NumericValue): number {
  if (a.kind === 'double' || b.kind === 'double') return compareDoubles(toDouble(a), toDouble(b));
  if (a.kind === 'float' || b.kind === 'float') return compareDoubles(toFloat(a), toFloat(b));
  if (a.kind === 'integer' && b.kind === 'integer') return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
  return compareDecimals(exact(a), exact(b));
}

function compareDoubles(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN;
}

/**
 * The order of the real numbers themselves, for sorting: unlike comparison with promotion it is
 * transitive. NaN is before all others.
 */
export function orderNumbers(a: NumericValue, b: NumericValue): -1 | 0 | 1 {
  const x = toDouble(a);
  const y = toDouble(b);
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) ? (Number.isNaN(y) ? 0 : -1) : 1;
  // Rounding keeps the order, so that different doubles decide.
  if (x !== y) return x < y ? -1 : 1;
  if (isInfinite(a) || isInfinite(b)) return isInfinite(a) === isInfinite(b) ? 0 : isInfinite(a) === x > 0 ? 1 : -1;
  return compareDecimals(exactOfNumber(a) as Decimal, exactOfNumber(b) as Decimal);
}

/** An infinite double or float; a decimal beyond the range of doubles is not. */
function isInfinite(value: NumericValue): boolean {
  return (value.kind === 'double' || value.kind === 'float') && !Number.isFinite(value.value);
}

function exact(value: NumericValue): Decimal {
  if (value.kind === 'decimal') return value;
  return ofInteger((value as IntegerValue).value);
}

export function arithmetic(operator: ArithmeticOperator, a: Value, b: Value): NumericValue | null {
  if (!isNumeric(a) || !isNumeric(b)) return null;
  if (a.kind === 'double' || b.kind === 'double') return doubleValue(onDoubles(operator, toDouble(a), toDouble(b)));
  if (a.kind === 'float' || b.kind === 'float') return floatValue(onDoubles(operator, toFloat(a), toFloat(b)));
  if (a.kind === 'integer' && b.kind === 'integer' && operator !== '/') return onIntegers(operator, a.value, b.value);
  return onDecimals(operator, exact(a), exact(b));
}

export function negate(value: Value): NumericValue | null {
  switch (value.kind) {
    case 'integer':
      return integerValue(typeof value.value === 'bigint' ? -value.value : 0 - value.value);
    case 'decimal':
      return decimalValue(negated(value));
    case 'float':
    case 'double':
      return { kind: value.kind, value: -value.value };
    default:
      return null;
  }
}

/** A double operation on two floats, rounded to float, is the float operation. */
function onDoubles(operator: ArithmeticOperator, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
  }
}

function onIntegers(operator: '+' | '-' | '*', a: number | bigint, b: number | bigint): IntegerValue | null {
  if (typeof a === 'number' && typeof b === 'number') {
    const result = onDoubles(operator, a, b);
    if (Number.isSafeInteger(result)) return integerValue(result + 0);
  }
  const x = BigInt(a);
  const y = BigInt(b);
  const result = operator === '+' ? x + y : operator === '-' ? x - y : x * y;
  return fits(result) ? integerValue(result) : null;
}

function onDecimals(operator: ArithmeticOperator, a: Decimal, b: Decimal): NumericValue | null {
  const result = decimalResult(operator, a, b);
  return result !== null && fits(result.unscaled) ? decimalValue(result) : null;
}

function decimalResult(operator: ArithmeticOperator, a: Decimal, b: Decimal): Decimal | null {
  switch (operator) {
    case '+':
      return addDecimals(a, b);
    case '-':
      return addDecimals(a, negated(b));
    case '*':
      return multiplyDecimals(a, b);
    case '/':
      return divideDecimals(a, b);
  }
}

/** False for a result that is too long to compute with; the check is skipped for all usual ones. */
function fits(value: bigint): boolean {
  const usual = 1n << 1024n;
  return (value < usual && value > -usual) || digitCount(value) <= DIGITS_MAX;
}
