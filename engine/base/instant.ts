/**
 * Instants: whole seconds since 1970-01-01T00:00:00Z, written `YYYY-MM-DDTHH:MM:SSZ`.
 *
 * Read from RFC 3339 with an offset; the offset is applied and a fraction is dropped. Malformed are:
 * a missing offset, lower-case `t` or `z`, a space for the `T`, `24:00:00`, the leap second `:60`,
 * days that no calendar has, offsets of 24 hours or more, and years outside 0000 to 9999, also when
 * only the offset leads there. A bare date is midnight UTC where the caller allows it.
 */

import { civilFromDays, daysFromCivil, isCivilDate, padded, SECONDS_PER_DAY } from './calendar.js';
import { SvcError } from './errors.js';

/** 0000-01-01T00:00:00Z */
export const INSTANT_MIN = daysFromCivil(0, 1, 1) * SECONDS_PER_DAY;
/** 9999-12-31T23:59:59Z */
export const INSTANT_MAX = daysFromCivil(10_000, 1, 1) * SECONDS_PER_DAY - 1;

const FULL = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const SHOWN_MAX = 40;

export interface InstantOptions {
  /** Takes `YYYY-MM-DD` as that day, 00:00:00Z. */
  readonly allowDate?: boolean;
  /** What the message calls it, for example `valid_from`. */
  readonly name?: string;
}

export function parseInstant(text: string, options: InstantOptions = {}): number {
  const instant = instantOf(text, options.allowDate ?? false);
  if (instant !== null && instant >= INSTANT_MIN && instant <= INSTANT_MAX) return instant;
  const shown = JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}...` : text);
  const forms = options.allowDate ? '2026-03-01T02:30:00Z or 2026-03-01' : '2026-03-01T02:30:00Z';
  throw new SvcError('invalid_request', `${options.name ?? 'time'}: ${shown} is not a time`, {
    hint: `write RFC 3339 with an offset, such as ${forms}`,
  });
}

function instantOf(text: string, allowDate: boolean): number | null {
  const full = FULL.exec(text);
  const match = full ?? (allowDate ? DATE.exec(text) : null);
  if (match === null) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (!isCivilDate(year, month, day)) return null;
  const midnight = daysFromCivil(year, month, day) * SECONDS_PER_DAY;
  if (full === null) return midnight;
  const [hour, minute, second] = [Number(full[4]), Number(full[5]), Number(full[6])];
  const [offsetHour, offsetMinute] = [Number(full[8] ?? 0), Number(full[9] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return null;
  const offset = (offsetHour * 3600 + offsetMinute * 60) * (full[7] === '-' ? -1 : 1);
  return midnight + hour * 3600 + minute * 60 + second - offset;
}

/** The normal form of whole seconds within `INSTANT_MIN` and `INSTANT_MAX`. */
export function formatInstant(instant: number): string {
  const days = Math.floor(instant / SECONDS_PER_DAY);
  const rest = instant - days * SECONDS_PER_DAY;
  const { year, month, day } = civilFromDays(days);
  const clock = [Math.floor(rest / 3600), Math.floor((rest % 3600) / 60), rest % 60];
  const date = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
  return `${date}T${clock.map((part) => padded(part, 2)).join(':')}Z`;
}

/** The instant at which it is asked. */
export function systemClock(): number {
  return Math.floor(Date.now() / 1000);
}
