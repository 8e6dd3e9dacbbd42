/** ABS, ROUND, CEIL and FLOOR: the result has the type of the number; exact for integers and decimals. */

import { decimalValue, ofInteger, shortest } from './decimal.js';
import { exactOfDouble } from './round.js';
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
