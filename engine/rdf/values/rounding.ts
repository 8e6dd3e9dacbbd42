/**
 * ABS, ROUND, CEIL and FLOOR: the result has the type of the number; exact for integers and decimals. And correct rounding
 * of exact decimals to xsd:float, which JavaScript has no parser for.
 */

import { decimalValue, ofInteger, shortest } from './decimal.js';
import type { Decimal, DecimalValue, NumericValue } from './value.js';

export type RoundingMode = 'round' | 'ceil' | 'floor';

export function absolute(value: NumericValue): NumericValue {
  switch (value.kind) {
    case 'integer':
      return { kind: 'integer', value: value.value < 0 ? -value.value : value.value };
    case 'decimal':
      return value.unscaled < 0n ? decimalValue({ unscaled: -value.unscaled, scale: value.scale }) : value;
    default:
      return { kind: value.kind, value: Math.abs(value.value) };
  }
}

/** `round` takes the half towards positive infinity, as XPath does. */
export function toWhole(value: NumericValue, mode: RoundingMode): NumericValue {
  switch (value.kind) {
    case 'integer':
      return value;
    case 'decimal':
      return wholeDecimal(value, mode);
    default:
      return { kind: value.kind, value: Math[mode](value.value) };
  }
}

function wholeDecimal(value: DecimalValue, mode: RoundingMode): DecimalValue {
  if (value.scale === 0) return value;
  const unit = 10n ** BigInt(value.scale);
  if (mode === 'floor') return whole(floorDivide(value.unscaled, unit));
  if (mode === 'ceil') return whole(-floorDivide(-value.unscaled, unit));
  return whole(floorDivide(2n * value.unscaled + unit, 2n * unit));
}

/** The greatest whole number that is not above it. */
export function floorOfDecimal(value: Decimal): bigint {
  return value.scale === 0 ? value.unscaled : floorDivide(value.unscaled, 10n ** BigInt(value.scale));
}

/** The number itself, to the last binary digit; null for NaN and the infinities. */
export function exactOfNumber(value: NumericValue): Decimal | null {
  if (value.kind === 'decimal') return value;
  if (value.kind === 'integer') return ofInteger(value.value);
  if (!Number.isFinite(value.value)) return null;
  const { mantissa, exponent } = exactOfDouble(value.value);
  if (exponent >= 0) return { unscaled: mantissa << BigInt(exponent), scale: 0 };
  return shortest(mantissa * 5n ** BigInt(-exponent), -exponent);
}

/** The whole part towards zero. */
export function truncated(value: Decimal): bigint {
  return value.scale === 0 ? value.unscaled : value.unscaled / 10n ** BigInt(value.scale);
}

function whole(unscaled: bigint): DecimalValue {
  return { kind: 'decimal', unscaled, scale: 0 };
}

function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor !== 0n && dividend < 0n !== divisor < 0n ? quotient - 1n : quotient;
}

export const FLOAT_MAX = (2 - 2 ** -23) * 2 ** 127;
/** From here on a number is rounded to infinity, as in the middle between FLOAT_MAX and 2^128. */
const OVERFLOW = (2 - 2 ** -24) * 2 ** 127;

/** The finite float nearest to `unscaled / 10^scale`, ties to even; infinite beyond the range. */
export function roundToFloat(unscaled: bigint, scale: number): number {
  const wide = Number(`${unscaled}e${-scale}`);
  const near = Math.fround(wide);
  if (Math.abs(wide) === OVERFLOW && compareWithDouble(unscaled < 0n ? -unscaled : unscaled, scale, OVERFLOW) < 0) {
    return Math.sign(wide) * FLOAT_MAX;
  }
  if (near === wide || !Number.isFinite(near)) return near;
  // The double may have been rounded onto the middle between two floats: then the digits decide.
  const other = near + 2 * (wide - near);
  if (Math.fround(other) !== other) return near;
  const middle = compareWithDouble(unscaled, scale, wide);
  if (middle === 0) return near;
  return middle < 0 === near < other ? near : other;
}

/** The float nearest to a lexical number such as `1.5e10`. */
export function parseFloat32(lexical: string): number {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(lexical);
  const wide = Number(lexical);
  const near = Math.fround(wide);
  const overflows = !Number.isFinite(near) && Math.abs(wide) !== OVERFLOW;
  if (match === null || near === wide || overflows) return near;
  const other = near + 2 * (wide - near);
  if (Number.isFinite(near) && Math.fround(other) !== other) return near;
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  const digits = BigInt(`${whole}${fraction}`);
  return roundToFloat(sign === '-' ? -digits : digits, fraction.length - Number(exponent));
}

/** Sign of `unscaled / 10^scale - double`, exactly. */
function compareWithDouble(unscaled: bigint, scale: number, double: number): number {
  const exact = exactOfDouble(double);
  // unscaled / 10^scale ? mantissa * 2^exponent
  let left = unscaled;
  let right = exact.mantissa;
  if (scale > 0) right *= 10n ** BigInt(scale);
  else left *= 10n ** BigInt(-scale);
  if (exact.exponent > 0) right <<= BigInt(exact.exponent);
  else left <<= BigInt(-exact.exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A finite double as `mantissa * 2^exponent`, exactly. */
export function exactOfDouble(double: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, double);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  const size = biased === 0 ? fraction : fraction | (1n << 52n);
  return { mantissa: double < 0 ? -size : size, exponent: (biased === 0 ? 1 : biased) - 1075 };
}
