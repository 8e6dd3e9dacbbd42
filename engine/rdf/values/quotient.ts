/**
 * Quotients of short exact numbers without big integers: long division, some digits at a time, each step
 * within the 53 bits that a double holds. The result is that of `divideDecimals`, digit for digit.
 */

import { QUOTIENT_DIGITS } from './decimal.js';

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
