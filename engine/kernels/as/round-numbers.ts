/** ABS, ROUND, CEIL, FLOOR and casts to exact types of columns of numbers (`number-columns.ts`), in place. */

import { powerOfTen } from './inline-numbers';
import {
  DECIMAL,
  DOUBLE,
  ERROR,
  INTEGER,
  kindAt,
  NEAREST,
  OTHER,
  put,
  ROUGH,
  SAFE_MAX,
  scaleAt,
  valueAt,
} from './number-columns';

const ROUND: u32 = 0;
const CEIL: u32 = 1;
const ABS: u32 = 3;
/** Twice the relative error of what is ROUGH. */
const NEAR_ERROR: f64 = 1.0 / 281474976710656.0;
const NEAR_MAX: f64 = 281474976710656;

/** Halves go towards positive infinity; the sign of a zero is that of the number. */
// @inline
function wholeDouble(value: f64, mode: u32): f64 {
  const below = floor<f64>(value);
  if (mode == CEIL) return ceil<f64>(value);
  return mode == ROUND && value - below >= 0.5 ? copysign<f64>(below + 1, value) : below;
}

/** Digits and the power of ten that they are divided by are whole numbers below 2^53. */
// @inline
function wholeDigits(digits: i64, unit: i64, mode: u32): i64 {
  let below = digits / unit;
  let rest = digits % unit;
  if (rest < 0) {
    below--;
    rest += unit;
  }
  if (mode == CEIL) return rest > 0 ? below + 1 : below;
  return mode == ROUND && 2 * rest >= unit ? below + 1 : below;
}

/**
 * Numbers whose nearest double, or one about as near, is known: where that surely tells the whole number, and that it is
 * one of a decimal, since integers are near no fraction.
 */
function roundNear(column: usize, row: u32, value: f64, mode: u32): void {
  const doubt = abs(value) * NEAR_ERROR;
  const whole = wholeDouble(value - doubt, mode);
  const isFraction = floor<f64>(value) != value && floor<f64>(value - doubt) == floor<f64>(value + doubt);
  const isTold = isFraction && abs(value) < NEAR_MAX && whole == wholeDouble(value + doubt, mode);
  put(column, row, isTold ? DECIMAL : OTHER, 0, isTold ? whole + 0 : 0);
}

/** By mode: 0 round, 1 ceil, 2 floor, 3 the size. */
export function roundNumbers(column: usize, rows: u32, mode: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    const kind = kindAt(column, row);
    const scale = scaleAt(column, row);
    const value = valueAt(column, row);
    if (mode == ABS) put(column, row, kind, scale, abs(value));
    else if (kind == DOUBLE) put(column, row, kind, 0, wholeDouble(value, mode));
    else if (kind == DECIMAL) put(column, row, kind, 0, <f64>wholeDigits(<i64>value, <i64>powerOfTen(scale), mode));
    else if (kind == NEAREST || kind == ROUGH) roundNear(column, row, value, mode);
  }
}

/** To integers where `isWhole` is 1, which drops fractions, else to decimals. Doubles that are no whole number below 2^53 are left. */
export function castNumbersToExact(column: usize, rows: u32, isWhole: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    const kind = kindAt(column, row);
    const scale = scaleAt(column, row);
    const value = valueAt(column, row);
    const cast = isWhole ? INTEGER : DECIMAL;
    if (kind == INTEGER) put(column, row, cast, 0, value);
    else if (kind == DECIMAL && isWhole) put(column, row, cast, 0, <f64>(<i64>value / <i64>powerOfTen(scale)));
    else if (kind == DOUBLE) {
      const digits = trunc<f64>(value);
      const isExact = abs(digits) <= SAFE_MAX && (isWhole || digits == value);
      // An infinity less itself is no number.
      const other = value - value == 0 ? OTHER : ERROR;
      put(column, row, isExact ? cast : other, 0, isExact ? digits + 0 : 0);
    } else if (isWhole && (kind == NEAREST || kind == ROUGH)) put(column, row, OTHER, 0, 0);
  }
}
