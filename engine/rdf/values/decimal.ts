/** Exact decimal arithmetic on unscaled bigints. Every result is in its shortest form. */

import type { Decimal, DecimalValue } from './value.js';

/** A quotient that does not end has this many digits that count, and at least as many after the point. */
const QUOTIENT_DIGITS = 18;

export function decimalValue(decimal: Decimal): DecimalValue {
  return { kind: 'decimal', unscaled: decimal.unscaled, scale: decimal.scale };
}

/** Drops zeros at the end of the fraction. */
export function shortest(unscaled: bigint, scale: number): Decimal {
  if (scale <= 0) return { unscaled: unscaled * 10n ** BigInt(-scale), scale: 0 };
  if (unscaled === 0n) return { unscaled, scale: 0 };
  if (unscaled % 10n !== 0n) return { unscaled, scale };
  const digits = unscaled.toString();
  let zeros = 0;
  while (zeros < scale && digits.charCodeAt(digits.length - 1 - zeros) === 48) zeros++;
  return { unscaled: unscaled / 10n ** BigInt(zeros), scale: scale - zeros };
}

/** Reads `-?digits(.digits)?`, `.5` and `5.`; the caller has checked the form. */
export function parseDecimal(lexical: string): Decimal {
  const point = lexical.indexOf('.');
  if (point < 0) return { unscaled: BigInt(withoutPlus(lexical)), scale: 0 };
  const fraction = lexical.slice(point + 1).replace(/0+$/, '');
  const whole = withoutPlus(lexical.slice(0, point));
  const digits = whole + fraction;
  return { unscaled: /\d/.test(digits) ? signed(digits) : 0n, scale: fraction.length };
}

function withoutPlus(text: string): string {
  return text.startsWith('+') ? text.slice(1) : text;
}

function signed(digits: string): bigint {
  return digits.startsWith('-') ? -BigInt(digits.slice(1)) : BigInt(digits);
}

export function ofInteger(value: number | bigint): Decimal {
  return { unscaled: BigInt(value), scale: 0 };
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return shortest(raised(a, scale) + raised(b, scale), scale);
}

export function negated(a: Decimal): Decimal {
  return { unscaled: -a.unscaled, scale: a.scale };
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return shortest(a.unscaled * b.unscaled, a.scale + b.scale);
}

/** Rounded half away from zero; null for a divisor of zero. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal | null {
  if (b.unscaled === 0n) return null;
  const missing = digitCount(b.unscaled) - b.scale - (digitCount(a.unscaled) - a.scale);
  // Never fewer than the dividend has, so that dividing by one changes nothing.
  const scale = Math.max(QUOTIENT_DIGITS + Math.max(0, missing), a.scale);
  // a / b = (a.unscaled * 10^(b.scale - a.scale)) / b.unscaled
  const shift = scale + b.scale - a.scale;
  const dividend = shift >= 0 ? a.unscaled * 10n ** BigInt(shift) : a.unscaled;
  const divisor = shift >= 0 ? b.unscaled : b.unscaled * 10n ** BigInt(-shift);
  return shortest(divideRounded(dividend, divisor), scale);
}

function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const rest = dividend % divisor;
  if (2n * size(rest) < size(divisor)) return quotient;
  return quotient + (dividend < 0n === divisor < 0n ? 1n : -1n);
}

export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const scale = Math.max(a.scale, b.scale);
  const x = raised(a, scale);
  const y = raised(b, scale);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The canonical form of XSD 1.1: no point in a whole number. */
export function decimalText(a: Decimal): string {
  if (a.scale === 0) return a.unscaled.toString();
  const digits = size(a.unscaled)
    .toString()
    .padStart(a.scale + 1, '0');
  const point = digits.length - a.scale;
  return `${a.unscaled < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The nearest double. */
export function decimalToNumber(a: Decimal): number {
  if (a.scale === 0) return Number(a.unscaled);
  return Number(`${a.unscaled}e-${a.scale}`);
}

export function digitCount(value: bigint): number {
  return size(value).toString().length;
}

function raised(a: Decimal, scale: number): bigint {
  return a.scale === scale ? a.unscaled : a.unscaled * 10n ** BigInt(scale - a.scale);
}

function size(value: bigint): bigint {
  return value < 0n ? -value : value;
}

// Quotients of short exact numbers without big integers: long division, some digits at a time, each step within the 53 bits
// that a double holds. The result is that of `divideDecimals`, digit for digit.

/** A remainder below the divisor times ten to the digits of a step stays below 2^53. */
const STEP_DIGITS = 9;
export const SHORT_DIVISOR_MAX = Math.floor(Number.MAX_SAFE_INTEGER / 10 ** STEP_DIGITS);
const STEP = 10 ** STEP_DIGITS;

/**
 * The canonical text of `digits / 10^scale / divisor`: a whole number of at most 2^53, a scale of at most
 * 15, and a positive whole number of at most `SHORT_DIVISOR_MAX`.
 */
export function shortQuotientText(digits: number, scale: number, divisor: number): string {
  let size = Math.abs(digits);
  let shortest = scale;
  for (; shortest > 0 && size % 10 === 0; shortest--) size /= 10;
  if (size === 0) return '0';
  const missing = String(divisor).length - (String(size).length - shortest);
  const wanted = Math.max(QUOTIENT_DIGITS + Math.max(0, missing), shortest);
  return placed(longDivision(size, divisor, wanted - shortest), wanted, digits < 0);
}

/** All digits of `size / divisor` with `more` of them behind the point, rounded half up; without the point. */
function longDivision(size: number, divisor: number, more: number): string {
  let rest = size % divisor;
  const whole = (size - rest) / divisor;
  const steps: number[] = [];
  const first = more % STEP_DIGITS;
  if (first > 0) {
    const raised = rest * 10 ** first;
    rest = raised % divisor;
    steps.push((raised - rest) / divisor);
  }
  for (let left = more - first; left > 0; left -= STEP_DIGITS) {
    const raised = rest * STEP;
    rest = raised % divisor;
    steps.push((raised - rest) / divisor);
  }
  let carry = 2 * rest >= divisor ? 1 : 0;
  let text = '';
  for (let step = steps.length - 1; step >= 0; step--) {
    const width = step === 0 && first > 0 ? first : STEP_DIGITS;
    const value = (steps[step] as number) + carry;
    carry = value === 10 ** width ? 1 : 0;
    text = (carry === 1 ? '' : String(value)).padStart(width, '0') + text;
  }
  return String(whole + carry) + text;
}

/** With the point before the last `scale` digits, and without needless zeros. */
function placed(digits: string, scale: number, negative: boolean): string {
  const padded = digits.padStart(scale + 1, '0');
  const point = padded.length - scale;
  let end = padded.length;
  while (end > point && padded.charCodeAt(end - 1) === 48) end--;
  const whole = padded.slice(0, point);
  const text = end === point ? whole : `${whole}.${padded.slice(point, end)}`;
  return negative && text !== '0' ? `-${text}` : text;
}
