/** What the table of terms says of a literal's value, for those who fill it and for the constants of a query. */

import { compareDecimals, decimalText, isTemporal, type Value } from '../rdf/values/index.js';

/** Of DECIMAL(38, 18). */
const SCALE_MAX = 18;
const LIMIT = { unscaled: 10n ** 20n, scale: 0 };

/** An integer or decimal as the column `exact` has it; null where it has none. */
export function exactText(value: Value): string | null {
  if (value.kind === 'integer') {
    const whole = BigInt(value.value);
    return (whole < 0n ? -whole : whole) < LIMIT.unscaled ? String(whole) : null;
  }
  if (value.kind !== 'decimal' || value.scale > SCALE_MAX) return null;
  const size = { unscaled: value.unscaled < 0n ? -value.unscaled : value.unscaled, scale: value.scale };
  return compareDecimals(size, LIMIT) < 0 ? decimalText(value) : null;
}

/** Of the years that every engine reads, 0001 to 9999. */
const SECONDS_MIN = -62_135_596_800;
const SECONDS_MAX = 253_402_300_800;
const MICRO_DIGITS = 6;

/** Microseconds since 1970 of a date or a dateTime, no zone read as UTC; null where a timestamp can't be it. */
export function timeOf(value: Value): bigint | null {
  if (!isTemporal(value) || (value.kind !== 'dateTime' && value.kind !== 'date')) return null;
  if (value.seconds < SECONDS_MIN || value.seconds >= SECONDS_MAX || value.fraction.length > MICRO_DIGITS) return null;
  return BigInt(value.seconds) * 1_000_000n + BigInt(value.fraction.padEnd(MICRO_DIGITS, '0'));
}
