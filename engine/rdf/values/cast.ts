/**
 * Casts (SPARQL 1.1, 17.5; XPath casting): a value to the value of another datatype. Null = there is
 * no such value, or no such cast. White space around a string is ignored, as XPath has it. A double
 * becomes the decimal that it is, to the last digit; a decimal becomes an integer by dropping its fraction.
 */

import { daysFromCivil, SECONDS_PER_DAY } from '../../base/calendar.js';
import { XSD, XSD_STRING } from '../terms.js';
import { decimalValue } from './decimal.js';
import { castToString } from './format.js';
import { INTEGER_TYPES, isInIntegerRange } from './integer-types.js';
import { toDouble, toFloat } from './numeric.js';
import { parseLexical } from './parse.js';
import { exactOfNumber, truncated } from './rounding.js';
import { temporalFields } from './temporal.js';
import {
  booleanValue,
  type DurationValue,
  doubleValue,
  floatValue,
  integerValue,
  isNumeric,
  isTemporal,
  type NumericValue,
  stringValue,
  TEMPORAL_KINDS,
  type TemporalKind,
  type TemporalValue,
  type Value,
} from './value.js';

type Cast = (value: Value) => Value | null;

const DURATIONS = ['duration', 'yearMonthDuration', 'dayTimeDuration'] as const;

/** Strings are read; other values convert, or do not. */
const CASTS = new Map<string, Cast>([
  [XSD_STRING, (value) => stringValue(castToString(value))],
  [`${XSD}boolean`, fromText(`${XSD}boolean`, toBoolean)],
  [`${XSD}double`, fromText(`${XSD}double`, (value) => number(value, (from) => doubleValue(toDouble(from))))],
  [`${XSD}float`, fromText(`${XSD}float`, (value) => number(value, (from) => floatValue(toFloat(from))))],
  [`${XSD}decimal`, fromText(`${XSD}decimal`, (value) => number(value, toDecimal))],
]);
for (const [iri, range] of INTEGER_TYPES) {
  const cast = (value: Value) => number(value, toInteger);
  CASTS.set(
    iri,
    fromText(iri, (value) => {
      const whole = cast(value);
      return whole?.kind === 'integer' && isInIntegerRange(whole.value, range) ? whole : null;
    }),
  );
}
for (const kind of TEMPORAL_KINDS)
  CASTS.set(
    XSD + kind,
    fromText(XSD + kind, (value) => toTemporal(kind, value)),
  );
for (const type of DURATIONS)
  CASTS.set(
    XSD + type,
    fromText(XSD + type, (value) => toDuration(type, value)),
  );

/** The datatypes that can be cast to. */
export const CAST_TYPES: ReadonlySet<string> = new Set(CASTS.keys());

export function castValue(datatype: string, value: Value): Value | null {
  return CASTS.get(datatype)?.(value) ?? null;
}

function fromText(datatype: string, convert: Cast): Cast {
  return (value) => {
    if (value.kind !== 'string') return convert(value);
    const read = parseLexical(datatype, value.value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, ''));
    return read.kind === 'illTyped' || read.kind === 'opaque' ? null : read;
  };
}

function number(value: Value, convert: (from: NumericValue) => Value | null): Value | null {
  if (isNumeric(value)) return convert(value);
  return value.kind === 'boolean' ? convert(integerValue(value.value ? 1 : 0)) : null;
}

function toBoolean(value: Value): Value | null {
  if (value.kind === 'boolean') return value;
  if (!isNumeric(value)) return null;
  const size = value.kind === 'decimal' ? Number(value.unscaled !== 0n) : Number(value.value);
  return booleanValue(!Number.isNaN(size) && size !== 0);
}

function toDecimal(value: NumericValue): Value | null {
  const exact = exactOfNumber(value);
  return exact === null ? null : decimalValue(exact);
}

function toInteger(value: NumericValue): Value | null {
  if (value.kind === 'integer') return value;
  const exact = exactOfNumber(value);
  return exact === null ? null : integerValue(truncated(exact));
}

/** What each kind can be made of, beside itself. */
const SOURCES: Readonly<Record<TemporalKind, readonly TemporalKind[]>> = {
  dateTime: ['date'],
  date: ['dateTime'],
  time: ['dateTime'],
  gYearMonth: ['dateTime', 'date'],
  gYear: ['dateTime', 'date'],
  gMonthDay: ['dateTime', 'date'],
  gDay: ['dateTime', 'date'],
  gMonth: ['dateTime', 'date'],
};

/** The year that stands in for a missing one, as in `temporal.ts`. */
const YEAR_DEFAULT = 1972;

function toTemporal(kind: TemporalKind, value: Value): TemporalValue | null {
  if (!isTemporal(value)) return null;
  if (value.kind === kind) return value;
  if (!SOURCES[kind].includes(value.kind)) return null;
  const fields = temporalFields(value);
  const hasYear = kind !== 'time' && kind !== 'gMonthDay' && kind !== 'gDay' && kind !== 'gMonth';
  const hasMonth = kind !== 'time' && kind !== 'gYear' && kind !== 'gDay';
  const hasDay = kind === 'dateTime' || kind === 'date' || kind === 'gMonthDay' || kind === 'gDay';
  const hasClock = kind === 'dateTime' || kind === 'time';
  const days = daysFromCivil(
    hasYear ? fields.year : YEAR_DEFAULT,
    hasMonth ? fields.month : 1,
    hasDay ? fields.day : 1,
  );
  const clock = hasClock ? fields.hour * 3600 + fields.minute * 60 + fields.second : 0;
  return {
    kind,
    seconds: days * SECONDS_PER_DAY + clock - (value.zone ?? 0) * 60,
    fraction: hasClock ? value.fraction : '',
    zone: value.zone,
  };
}

/** A duration loses what its new type does not have. */
function toDuration(type: DurationValue['type'], value: Value): DurationValue | null {
  if (value.kind !== 'duration') return null;
  return {
    kind: 'duration',
    type,
    months: type === 'dayTimeDuration' ? 0n : value.months,
    seconds: type === 'yearMonthDuration' ? { unscaled: 0n, scale: 0 } : value.seconds,
  };
}
