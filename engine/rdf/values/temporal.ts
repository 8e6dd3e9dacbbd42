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

const PART = /[YMDC]/g;
type Part = 'Y' | 'M' | 'D' | 'C';
const PATTERNS: Readonly<Record<Part, string>> = {
  Y: '(-?(?:[1-9]\\d{3,}|0\\d{3}))',
  M: '(0[1-9]|1[0-2])',
  D: '(0[1-9]|[12]\\d|3[01])',
  C: '(?:([01]\\d|2[0-3]):([0-5]\\d):([0-5]\\d)(?:\\.(\\d+))?|(24:00:00)(?:\\.0+)?)',
};
const ZONE = '(Z|[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00))?';

/** How each kind is written: `Y`, `M`, `D` and `C` stand for year, month, day and clock. A zone may follow. */
const FORMS: Readonly<Record<TemporalKind, Form>> = {
  dateTime: formOf('Y-M-DTC'),
  date: formOf('Y-M-D'),
  time: formOf('C'),
  gYearMonth: formOf('Y-M'),
  gYear: formOf('Y'),
  gMonthDay: formOf('--M-D'),
  gDay: formOf('---D'),
  gMonth: formOf('--M'),
};

interface Form {
  readonly template: string;
  readonly pattern: RegExp;
  /** Which group of the pattern holds what; 0 = not part of the form. Of the five groups of a clock, the first. */
  readonly groups: { readonly Y: number; readonly M: number; readonly D: number; readonly C: number };
  readonly zone: number;
}

function formOf(template: string): Form {
  const groups = { Y: 0, M: 0, D: 0, C: 0 };
  let next = 1;
  const pattern = template.replace(PART, (part) => {
    groups[part as Part] = next;
    next += part === 'C' ? 5 : 1;
    return PATTERNS[part as Part];
  });
  return { template, pattern: new RegExp(`^${pattern}${ZONE}$`), groups, zone: next };
}

/** The value; `illTyped` when the form or the day is wrong, `opaque` when the year is too large. */
export function parseTemporal(kind: TemporalKind, lexical: string): TemporalValue | 'illTyped' | 'opaque' {
  const { pattern, groups, zone: zoneGroup } = FORMS[kind];
  const match = pattern.exec(lexical);
  if (match === null) return 'illTyped';
  const yearText = groups.Y === 0 ? String(YEAR_DEFAULT) : (match[groups.Y] as string);
  const month = groups.M === 0 ? 1 : Number(match[groups.M]);
  const day = groups.D === 0 ? 1 : Number(match[groups.D]);
  if (yearText.replace('-', '').length > YEAR_DIGITS_MAX) {
    return isCivilDate(YEAR_DEFAULT, month, day) ? 'opaque' : 'illTyped';
  }
  const year = Number(yearText);
  if (!isCivilDate(year, month, day)) return 'illTyped';
  let seconds = daysFromCivil(year, month, day) * SECONDS_PER_DAY;
  let fraction = '';
  if (groups.C > 0) {
    const [hour, minute, second, digits, midnight] = match.slice(groups.C, groups.C + 5);
    if (midnight === undefined) {
      seconds += Number(hour) * 3600 + Number(minute) * 60 + Number(second);
      fraction = (digits ?? '').replace(/0+$/, '');
    } else if (kind === 'dateTime') {
      seconds += SECONDS_PER_DAY;
    }
  }
  const zone = zoneMinutesOf(match[zoneGroup]);
  return { kind, seconds: seconds - (zone ?? 0) * 60, fraction, zone };
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
  let text = '';
  for (const part of FORMS[value.kind].template) {
    if (part === 'Y') text += `${fields.year < 0 ? '-' : ''}${padded(Math.abs(fields.year), 4)}`;
    else if (part === 'M') text += padded(fields.month, 2);
    else if (part === 'D') text += padded(fields.day, 2);
    else text += part === 'C' ? clockText(fields) : part;
  }
  return text + zoneText(value.zone);
}

/** The value as one of another kind (XPath casting): what that kind lacks is dropped. Null = there is no such cast. */
export function temporalAs(kind: TemporalKind, value: TemporalValue): TemporalValue | null {
  if (value.kind === kind) return value;
  if (value.kind !== 'dateTime' && (value.kind !== 'date' || kind === 'time')) return null;
  const { Y, M, D, C } = FORMS[kind].groups;
  const { year, month, day, hour, minute, second } = temporalFields(value);
  const days = daysFromCivil(Y > 0 ? year : YEAR_DEFAULT, M > 0 ? month : 1, D > 0 ? day : 1);
  const clock = C > 0 ? hour * 3600 + minute * 60 + second : 0;
  return {
    kind,
    seconds: days * SECONDS_PER_DAY + clock - (value.zone ?? 0) * 60,
    fraction: C > 0 ? value.fraction : '',
    zone: value.zone,
  };
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
