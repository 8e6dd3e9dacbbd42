/**
 * Dates and times of XSD 1.1: read, written, and compared on one time line.
 *
 * 1. Years have at least four digits, may be negative, and the year 0000 is 1 BCE. Years of more
 *    than eight digits are not computed with (the literal is opaque).
 * 2. `24:00:00` is midnight: of the next day in a dateTime, 00:00:00 in a time.
 * 3. Fractions of a second are kept to the last digit.
 * 4. A value without zone stands for any zone within 14 hours of UTC. So it is before a value with
 *    zone only when it is more than 14 hours before, and so on; in between nothing is known.
 */

import { civilFromDays, daysFromCivil, isCivilDate, padded, SECONDS_PER_DAY } from '../../base/calendar.js';
import type { TemporalKind, TemporalValue } from './value.js';

/** The year that stands in for a missing one; a leap year, so that --02-29 has a place. */
const YEAR_DEFAULT = 1972;
/** Seconds of such years are exact numbers. */
const YEAR_DIGITS_MAX = 8;
const ZONE_DOUBT_SECONDS = 14 * 3600;

const YEAR = '(-?(?:[1-9]\\d{3,}|0\\d{3}))';
const MONTH = '(0[1-9]|1[0-2])';
const DAY = '(0[1-9]|[12]\\d|3[01])';
const CLOCK = '(?:([01]\\d|2[0-3]):([0-5]\\d):([0-5]\\d)(?:\\.(\\d+))?|(24:00:00)(?:\\.0+)?)';
const ZONE = '(Z|[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00))?';

interface Form {
  readonly pattern: RegExp;
  /** Which groups hold what; absent = not part of the form. */
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
  /** First of the five groups of CLOCK. */
  readonly clock?: number;
  readonly zone: number;
}

const form = (text: string, groups: Omit<Form, 'pattern'>): Form => ({
  pattern: new RegExp(`^${text}${ZONE}$`),
  ...groups,
});

const FORMS: Readonly<Record<TemporalKind, Form>> = {
  dateTime: form(`${YEAR}-${MONTH}-${DAY}T${CLOCK}`, { year: 1, month: 2, day: 3, clock: 4, zone: 9 }),
  date: form(`${YEAR}-${MONTH}-${DAY}`, { year: 1, month: 2, day: 3, zone: 4 }),
  time: form(CLOCK, { clock: 1, zone: 6 }),
  gYearMonth: form(`${YEAR}-${MONTH}`, { year: 1, month: 2, zone: 3 }),
  gYear: form(YEAR, { year: 1, zone: 2 }),
  gMonthDay: form(`--${MONTH}-${DAY}`, { month: 1, day: 2, zone: 3 }),
  gDay: form(`---${DAY}`, { day: 1, zone: 2 }),
  gMonth: form(`--${MONTH}`, { month: 1, zone: 2 }),
};

/** The value; `illTyped` when the form or the day is wrong, `opaque` when the year is too large. */
export function parseTemporal(kind: TemporalKind, lexical: string): TemporalValue | 'illTyped' | 'opaque' {
  const groups = FORMS[kind];
  const match = groups.pattern.exec(lexical);
  if (match === null) return 'illTyped';
  const yearText = groups.year === undefined ? String(YEAR_DEFAULT) : (match[groups.year] as string);
  const month = groups.month === undefined ? 1 : Number(match[groups.month]);
  const day = groups.day === undefined ? 1 : Number(match[groups.day]);
  if (yearText.replace('-', '').length > YEAR_DIGITS_MAX) return dayMayExist(month, day) ? 'opaque' : 'illTyped';
  const year = Number(yearText);
  if (!isCivilDate(year, month, day)) return 'illTyped';
  let seconds = daysFromCivil(year, month, day) * SECONDS_PER_DAY;
  let fraction = '';
  if (groups.clock !== undefined) {
    const [hour, minute, second, digits, midnight] = match.slice(groups.clock, groups.clock + 5);
    if (midnight === undefined) {
      seconds += Number(hour) * 3600 + Number(minute) * 60 + Number(second);
      fraction = (digits ?? '').replace(/0+$/, '');
    } else if (kind === 'dateTime') {
      seconds += SECONDS_PER_DAY;
    }
  }
  const zone = zoneMinutesOf(match[groups.zone]);
  return { kind, seconds: seconds - (zone ?? 0) * 60, fraction, zone };
}

function dayMayExist(month: number, day: number): boolean {
  return isCivilDate(YEAR_DEFAULT, month, day);
}

function zoneMinutesOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (text === 'Z') return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4, 6));
  return text.startsWith('-') ? -minutes : minutes;
}

/** Compares two values of one kind; null where only a zone would tell. */
export function compareTemporals(a: TemporalValue, b: TemporalValue): -1 | 0 | 1 | null {
  if ((a.zone === null) === (b.zone === null)) return compareInstants(a, b);
  const [zoned, local] = a.zone === null ? [b, a] : [a, b];
  const earliest = { seconds: local.seconds - ZONE_DOUBT_SECONDS, fraction: local.fraction };
  const latest = { seconds: local.seconds + ZONE_DOUBT_SECONDS, fraction: local.fraction };
  if (compareInstants(zoned, earliest) < 0) return zoned === a ? -1 : 1;
  if (compareInstants(zoned, latest) > 0) return zoned === a ? 1 : -1;
  return null;
}

/** A total order: no zone is read as UTC, and stands before Z at the same instant. */
export function orderTemporals(a: TemporalValue, b: TemporalValue): -1 | 0 | 1 {
  const instants = compareInstants(a, b);
  if (instants !== 0) return instants;
  if ((a.zone === null) === (b.zone === null)) return 0;
  return a.zone === null ? -1 : 1;
}

type Moment = Pick<TemporalValue, 'seconds' | 'fraction'>;

function compareInstants(a: Moment, b: Moment): -1 | 0 | 1 {
  if (a.seconds !== b.seconds) return a.seconds < b.seconds ? -1 : 1;
  // Digits without zeros at the end compare as text.
  return a.fraction === b.fraction ? 0 : a.fraction < b.fraction ? -1 : 1;
}

export interface TemporalFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly fraction: string;
  /** Minutes east of UTC; null without zone. */
  readonly zone: number | null;
}

/** Calendar and clock as in the zone of the value; fields that its kind lacks have their stand-ins. */
export function temporalFields(value: TemporalValue): TemporalFields {
  const local = value.seconds + (value.zone ?? 0) * 60;
  const days = Math.floor(local / SECONDS_PER_DAY);
  const rest = local - days * SECONDS_PER_DAY;
  const { year, month, day } = civilFromDays(days);
  return {
    year,
    month,
    day,
    hour: Math.floor(rest / 3600),
    minute: Math.floor((rest % 3600) / 60),
    second: rest % 60,
    fraction: value.fraction,
    zone: value.zone,
  };
}

/** The canonical form, but in the zone of the value; a zero offset is `Z`. */
export function temporalText(value: TemporalValue): string {
  const fields = temporalFields(value);
  const year = `${fields.year < 0 ? '-' : ''}${padded(Math.abs(fields.year), 4)}`;
  const [month, day] = [padded(fields.month, 2), padded(fields.day, 2)];
  const zone = zoneText(value.zone);
  switch (value.kind) {
    case 'dateTime':
      return `${year}-${month}-${day}T${clockText(fields)}${zone}`;
    case 'date':
      return `${year}-${month}-${day}${zone}`;
    case 'time':
      return clockText(fields) + zone;
    case 'gYearMonth':
      return `${year}-${month}${zone}`;
    case 'gYear':
      return year + zone;
    case 'gMonthDay':
      return `--${month}-${day}${zone}`;
    case 'gDay':
      return `---${day}${zone}`;
    case 'gMonth':
      return `--${month}${zone}`;
  }
}

function clockText(fields: TemporalFields): string {
  const clock = `${padded(fields.hour, 2)}:${padded(fields.minute, 2)}:${padded(fields.second, 2)}`;
  return fields.fraction === '' ? clock : `${clock}.${fields.fraction}`;
}

/** `Z`, `+02:00`, or nothing without zone. */
export function zoneText(minutes: number | null): string {
  if (minutes === null) return '';
  if (minutes === 0) return 'Z';
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${padded(Math.floor(size / 60), 2)}:${padded(size % 60, 2)}`;
}
