/**
 * Sums and differences of dates, times and durations, as XPath defines them.
 *
 * 1. Months are added first, and a day that the new month lacks becomes its last; then seconds.
 * 2. A date forgets the clock of the result, a time its day.
 * 3. The difference of two points of time is a dayTimeDuration; one without zone is read as UTC
 *    beside one with a zone.
 * 4. Durations of one type give that type, of two types an xsd:duration, whose months and seconds
 *    may not have different signs.
 * Null = a type error, or a result beyond the years that are computed with.
 */

import { civilFromDays, daysFromCivil, daysInMonth, SECONDS_PER_DAY } from '../../base/calendar.js';
import {
  addDecimals,
  compareDecimals,
  decimalValue,
  divideDecimals,
  multiplyDecimals,
  negated,
  ofInteger,
  shortest,
} from './decimal.js';
import type { ArithmeticOperator } from './numeric.js';
import { exactOfNumber, floorOfDecimal } from './rounding.js';
import {
  type Decimal,
  type DurationValue,
  isNumeric,
  isTemporal,
  type NumericValue,
  type TemporalValue,
  type Value,
} from './value.js';

/** Seconds of the years of at most eight digits. */
const SECONDS_MAX = daysFromCivil(100_000_000, 1, 1) * SECONDS_PER_DAY;
const ZERO: Decimal = { unscaled: 0n, scale: 0 };

export function temporalArithmetic(operator: ArithmeticOperator, a: Value, b: Value): Value | null {
  if (isTemporal(a)) {
    if (operator === '-' && isTemporal(b)) return difference(a, b);
    return b.kind === 'duration' && isAdditive(operator) ? moved(a, operator === '+' ? b : negatedDuration(b)) : null;
  }
  if (a.kind === 'duration') {
    if (b.kind === 'duration') return durations(operator, a, b);
    if (isTemporal(b)) return operator === '+' ? moved(b, a) : null;
    return isNumeric(b) && !isAdditive(operator) ? scaled(operator, a, b) : null;
  }
  return isNumeric(a) && b.kind === 'duration' && operator === '*' ? scaled('*', b, a) : null;
}

function isAdditive(operator: ArithmeticOperator): operator is '+' | '-' {
  return operator === '+' || operator === '-';
}

export function negatedDuration(value: DurationValue): DurationValue {
  return { ...value, months: -value.months, seconds: negated(value.seconds) };
}

/** Seconds since the epoch with their fraction. */
function momentOf({ seconds, fraction }: TemporalValue): Decimal {
  if (fraction === '') return ofInteger(seconds);
  return addDecimals(ofInteger(seconds), { unscaled: BigInt(fraction), scale: fraction.length });
}

function difference(a: TemporalValue, b: TemporalValue): DurationValue | null {
  if (a.kind !== b.kind || (a.kind !== 'dateTime' && a.kind !== 'date' && a.kind !== 'time')) return null;
  const seconds = addDecimals(momentOf(a), negated(momentOf(b)));
  return { kind: 'duration', type: 'dayTimeDuration', months: 0n, seconds };
}

function moved(point: TemporalValue, by: DurationValue): TemporalValue | null {
  if (point.kind === 'time' ? by.months !== 0n : point.kind !== 'dateTime' && point.kind !== 'date') return null;
  const offset = (point.zone ?? 0) * 60;
  const local = by.months === 0n ? point.seconds + offset : monthsLater(point.seconds + offset, by.months);
  if (local === null) return null;
  const exact = addDecimals(momentOf({ ...point, seconds: local }), by.seconds);
  const whole = floorOfDecimal(exact);
  if (whole > BigInt(SECONDS_MAX) || whole < BigInt(-SECONDS_MAX)) return null;
  const seconds = atLength(point.kind, Number(whole));
  const fraction = point.kind === 'date' ? '' : fractionOf(exact, whole);
  return { kind: point.kind, seconds: seconds - offset, fraction, zone: point.zone };
}

/** A date begins with its day; a time lies in the day that stands in for all. */
function atLength(kind: TemporalValue['kind'], local: number): number {
  const clock = local - Math.floor(local / SECONDS_PER_DAY) * SECONDS_PER_DAY;
  if (kind === 'date') return local - clock;
  return kind === 'time' ? TIME_DAY_SECONDS + clock : local;
}

const TIME_DAY_SECONDS = daysFromCivil(1972, 1, 1) * SECONDS_PER_DAY;

function fractionOf(exact: Decimal, whole: bigint): string {
  const rest = shortest(exact.unscaled - whole * 10n ** BigInt(exact.scale), exact.scale);
  return rest.scale === 0 ? '' : rest.unscaled.toString().padStart(rest.scale, '0');
}

function monthsLater(local: number, months: bigint): number | null {
  const days = Math.floor(local / SECONDS_PER_DAY);
  const { year, month, day } = civilFromDays(days);
  const total = BigInt(year) * 12n + BigInt(month - 1) + months;
  if (total > 1_200_000_000n || total < -1_200_000_000n) return null;
  const count = Number(total);
  const newYear = Math.floor(count / 12);
  const newMonth = count - newYear * 12 + 1;
  const newDay = Math.min(day, daysInMonth(newYear, newMonth));
  return daysFromCivil(newYear, newMonth, newDay) * SECONDS_PER_DAY + (local - days * SECONDS_PER_DAY);
}

function durations(operator: ArithmeticOperator, a: DurationValue, b: DurationValue): Value | null {
  if (operator === '/') return ratio(a, b);
  if (operator === '*') return null;
  const other = operator === '+' ? b : negatedDuration(b);
  return durationOf(
    a.type === b.type ? a.type : 'duration',
    a.months + other.months,
    addDecimals(a.seconds, other.seconds),
  );
}

/** How often one duration holds the other, where both are months or both are seconds. */
function ratio(a: DurationValue, b: DurationValue): NumericValue | null {
  if (a.type !== b.type || a.type === 'duration') return null;
  const byMonths = a.type === 'yearMonthDuration';
  const quotient = divideDecimals(
    byMonths ? ofInteger(a.months) : a.seconds,
    byMonths ? ofInteger(b.months) : b.seconds,
  );
  return quotient === null ? null : decimalValue(quotient);
}

function scaled(operator: ArithmeticOperator, duration: DurationValue, factor: NumericValue): DurationValue | null {
  const exact = exactOfNumber(factor);
  if (exact === null || duration.type === 'duration') return null;
  const apply = (amount: Decimal) =>
    operator === '*' ? multiplyDecimals(amount, exact) : divideDecimals(amount, exact);
  const months = apply(ofInteger(duration.months));
  const seconds = apply(duration.seconds);
  if (months === null || seconds === null) return null;
  const wholeMonths = floorOfDecimal(addDecimals(months, { unscaled: 5n, scale: 1 }));
  return durationOf(duration.type, wholeMonths, seconds);
}

function durationOf(type: DurationValue['type'], months: bigint, seconds: Decimal): DurationValue | null {
  const sign = compareDecimals(seconds, ZERO);
  if ((months > 0n && sign < 0) || (months < 0n && sign > 0)) return null;
  return { kind: 'duration', type, months, seconds };
}
