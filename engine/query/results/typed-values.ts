/**
 * The types that a column of values may have in Arrow and Parquet, and the numbers that stand for a
 * literal in them. A column has a type when all its terms agree on one; whole numbers and others
 * together are double.
 */

import type { Term } from '../../rdf/terms.js';
import { type IntegerValue, parseValue, type TemporalValue } from '../../rdf/values/index.js';

export type ValueType = 'boolean' | 'int64' | 'float64' | 'date' | 'timestamp' | 'timestampUtc';

export interface TypedValue {
  readonly type: ValueType;
  /**
   * Days of a date, microseconds of a timestamp, 0 or 1 of a boolean; a bigint beyond the safe integers;
   * null for a date or time that the calendars of readers do not reach.
   */
  readonly value: number | bigint | null;
}

const INT64_LIMIT = 2n ** 63n;
/** The years 1 to 9999: beyond them pandas and Python refuse the whole table. */
const CALENDAR_FIRST_SECOND = -62_135_596_800;
const CALENDAR_LAST_SECOND = 253_402_300_799;
const DAY_SECONDS = 86_400;
const MICROSECOND_DIGITS = 6;

/** Null for terms that have no place in a typed column: IRIs, strings, ill-typed literals, times of day. */
export function typedValueOf(term: Term): TypedValue | null {
  if (term.termType !== 'Literal') return null;
  const value = parseValue(term);
  switch (value.kind) {
    case 'boolean':
      return { type: 'boolean', value: value.value ? 1 : 0 };
    case 'integer':
      return wholeNumber(value);
    case 'decimal':
      return { type: 'float64', value: Number(term.value) };
    case 'float':
    case 'double':
      return { type: 'float64', value: value.value };
    case 'date':
      return dateValue(value);
    case 'dateTime':
      return timestampValue(value);
    default:
      return null;
  }
}

function wholeNumber({ value }: IntegerValue): TypedValue {
  if (typeof value === 'number' || (value >= -INT64_LIMIT && value < INT64_LIMIT)) return { type: 'int64', value };
  return { type: 'float64', value: Number(value) };
}

/** A date with a zone is an interval that begins at another hour: it is no plain day. */
function dateValue({ seconds, zone }: TemporalValue): TypedValue | null {
  if (zone !== null) return null;
  return { type: 'date', value: inCalendar(seconds) ? seconds / DAY_SECONDS : null };
}

function inCalendar(seconds: number): boolean {
  return seconds >= CALENDAR_FIRST_SECOND && seconds <= CALENDAR_LAST_SECOND;
}

/** Digits of a second beyond the microsecond are cut off. */
function timestampValue({ seconds, fraction, zone }: TemporalValue): TypedValue | null {
  const type = zone === null ? 'timestamp' : 'timestampUtc';
  if (!inCalendar(seconds)) return { type, value: null };
  const micros =
    BigInt(seconds) * 1_000_000n + BigInt(fraction.slice(0, MICROSECOND_DIGITS).padEnd(MICROSECOND_DIGITS, '0'));
  const small = Number(micros);
  return { type, value: Number.isSafeInteger(small) ? small : micros };
}

/** The one type of all these values; null when they have none in common, or are not there. */
export function commonType(seen: ReadonlySet<ValueType | null>): ValueType | null {
  const types = [...seen];
  if (types.length === 0 || types.includes(null)) return null;
  if (types.length === 1) return types[0] as ValueType;
  return types.every((type) => type === 'int64' || type === 'float64') ? 'float64' : null;
}

/** The value as the column's type has it; null when it is of another. */
export function valueAs(type: ValueType, typed: TypedValue | null): number | bigint | null {
  if (typed === null) return null;
  if (typed.type === type) return typed.value;
  return type === 'float64' && typed.type === 'int64' ? Number(typed.value) : null;
}
