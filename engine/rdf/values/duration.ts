/**
 * Durations: whole months and exact seconds, two numbers that do not convert into each other.
 * `P1M` and `P30D` are therefore neither equal nor ordered; `P1M` and `P32D` are, since every
 * month is shorter. XSD 1.1 decides that by adding both to four dates that show all cases.
 */

import { daysFromCivil, SECONDS_PER_DAY } from '../../base/calendar.js';
import { addDecimals, compareDecimals, decimalText, ofInteger, parseDecimal } from './decimal.js';
import type { Decimal, DurationValue } from './value.js';

const PATTERN = /^(-?)P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
/** Years and months at which adding the same duration gives the least and the greatest results. */
const REFERENCES: readonly (readonly [number, number])[] = [
  [1696, 9],
  [1697, 2],
  [1903, 3],
  [1903, 7],
];

/** The value, or null when the lexical form is wrong for the type. */
export function parseDuration(type: DurationValue['type'], lexical: string): DurationValue | null {
  const match = PATTERN.exec(lexical);
  if (match === null) return null;
  const [, sign, years, monthsText, days, hours, minutes, secondsText] = match;
  const hasTime = lexical.includes('T');
  if (type === 'yearMonthDuration' && (days !== undefined || hasTime)) return null;
  if (type === 'dayTimeDuration' && (years !== undefined || monthsText !== undefined)) return null;
  const months = BigInt(years ?? 0) * 12n + BigInt(monthsText ?? 0);
  const whole = BigInt(days ?? 0) * 86_400n + BigInt(hours ?? 0) * 3600n + BigInt(minutes ?? 0) * 60n;
  const seconds = addDecimals(ofInteger(whole), parseDecimal(secondsText ?? '0'));
  if (sign === '') return { kind: 'duration', type, months, seconds };
  return { kind: 'duration', type, months: -months, seconds: { unscaled: -seconds.unscaled, scale: seconds.scale } };
}

/** Null where the answer depends on the date to which they are added. */
export function compareDurations(a: DurationValue, b: DurationValue): -1 | 0 | 1 | null {
  const bySeconds = compareDecimals(a.seconds, b.seconds);
  if (a.months === b.months) return bySeconds;
  const byMonths = a.months < b.months ? -1 : 1;
  if (bySeconds === 0 || bySeconds === byMonths) return byMonths;
  const outcomes = new Set(
    REFERENCES.map(([year, month]) => compareDecimals(addedTo(year, month, a), addedTo(year, month, b))),
  );
  const [outcome] = outcomes;
  return outcomes.size === 1 ? (outcome as -1 | 0 | 1) : null;
}

/** Seconds from 1970 to the first of a month plus a duration. */
function addedTo(year: number, month: number, duration: DurationValue): Decimal {
  const total = BigInt(year) * 12n + BigInt(month - 1) + duration.months;
  // Calendars repeat after 400 years, so that years of any size stay small numbers.
  const cycle = 4800n;
  const eras = total / cycle - (total % cycle < 0n ? 1n : 0n);
  const inEra = Number(total - eras * cycle);
  const days = BigInt(daysFromCivil(Math.floor(inEra / 12), (inEra % 12) + 1, 1)) + eras * 146_097n;
  return addDecimals(ofInteger(days * BigInt(SECONDS_PER_DAY)), duration.seconds);
}

/** A total order for sorting: by length with average months, then months, then seconds. */
export function orderDurations(a: DurationValue, b: DurationValue): -1 | 0 | 1 {
  const byLength = compareDecimals(averageLength(a), averageLength(b));
  if (byLength !== 0) return byLength;
  return a.months === b.months ? 0 : a.months < b.months ? -1 : 1;
}

/** 400 Gregorian years are 146,097 days, so that a month has 2,629,746 seconds. */
function averageLength(duration: DurationValue): Decimal {
  return addDecimals(ofInteger(duration.months * 2_629_746n), duration.seconds);
}

/** The canonical form of XSD 1.1. */
export function durationText(value: DurationValue): string {
  const { months, seconds, type } = value;
  if (months === 0n && seconds.scale === 0 && type !== 'yearMonthDuration') {
    const whole = Number(seconds.unscaled);
    if (Number.isSafeInteger(whole)) return wholeSecondsText(whole);
  }
  return longDurationText(value);
}

function wholeSecondsText(seconds: number): string {
  if (seconds === 0) return 'PT0S';
  const size = Math.abs(seconds);
  const days = Math.floor(size / SECONDS_PER_DAY);
  const clock = size - days * SECONDS_PER_DAY;
  const part = (amount: number, letter: string) => (amount === 0 ? '' : `${amount}${letter}`);
  const time = part(Math.floor(clock / 3600), 'H') + part(Math.floor(clock / 60) % 60, 'M') + part(clock % 60, 'S');
  return `${seconds < 0 ? '-' : ''}P${part(days, 'D')}${time === '' ? '' : `T${time}`}`;
}

function longDurationText(value: DurationValue): string {
  const negative = value.months < 0n || value.seconds.unscaled < 0n;
  const months = negative ? -value.months : value.months;
  const unscaled = negative ? -value.seconds.unscaled : value.seconds.unscaled;
  const unit = 10n ** BigInt(value.seconds.scale);
  const whole = unscaled / unit;
  const rest: Decimal = { unscaled: unscaled - (whole / 60n) * 60n * unit, scale: value.seconds.scale };
  const part = (amount: bigint, letter: string) => (amount === 0n ? '' : `${amount}${letter}`);
  const date = part(months / 12n, 'Y') + part(months % 12n, 'M') + part(whole / 86_400n, 'D');
  const secondsPart = rest.unscaled === 0n ? '' : `${decimalText(rest)}S`;
  const time = part((whole / 3600n) % 24n, 'H') + part((whole / 60n) % 60n, 'M') + secondsPart;
  if (date === '' && time === '') return value.type === 'yearMonthDuration' ? 'P0M' : 'PT0S';
  return `${negative ? '-' : ''}P${date}${time === '' ? '' : `T${time}`}`;
}
