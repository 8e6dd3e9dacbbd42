/**
 * Casts (SPARQL 1.1, 17.5; XPath casting): a value to the value of another datatype. Null = there is
 * no such value, or no such cast. White space around a string is ignored, as XPath has it. A double
 * becomes the decimal that it is, to the last digit; a decimal becomes an integer by dropping its fraction.
 */

import { type Term, XSD, XSD_STRING } from '../terms.js';
import { decimalValue } from './decimal.js';
import { castToString } from './format.js';
import { INTEGER_TYPES, type IntegerRange, isInIntegerRange } from './integer-types.js';
import { toDouble, toFloat } from './numeric.js';
import { parseLexical, parseValue } from './parse.js';
import { exactOfNumber, truncated } from './rounding.js';
import { temporalAs } from './temporal.js';
import {
  booleanValue,
  DURATION_TYPES,
  type DurationValue,
  doubleValue,
  floatValue,
  integerValue,
  isNumeric,
  isTemporal,
  type NumericValue,
  stringValue,
  TEMPORAL_KINDS,
  type Value,
} from './value.js';

type Cast = (value: Value) => Value | null;
type Row = [datatype: string, cast: Cast];

/** What becomes of values that are no strings, which are read. */
const CASTS: ReadonlyMap<string, Cast> = new Map([
  [XSD_STRING, (value) => stringValue(castToString(value))],
  [`${XSD}boolean`, toBoolean],
  [`${XSD}double`, (value) => number(value, (from) => doubleValue(toDouble(from)))],
  [`${XSD}float`, (value) => number(value, (from) => floatValue(toFloat(from)))],
  [`${XSD}decimal`, (value) => number(value, toDecimal)],
  ...Array.from(
    INTEGER_TYPES,
    ([iri, range]): Row => [iri, (value) => number(value, (from) => toInteger(from, range))],
  ),
  ...TEMPORAL_KINDS.map((kind): Row => [XSD + kind, (value) => (isTemporal(value) ? temporalAs(kind, value) : null)]),
  ...DURATION_TYPES.map((type): Row => [XSD + type, (value) => toDuration(type, value)]),
] as Row[]);

/** The datatypes that can be cast to. */
export const CAST_TYPES: ReadonlySet<string> = new Set(CASTS.keys());

export function castValue(datatype: string, value: Value): Value | null {
  const cast = CASTS.get(datatype);
  if (cast === undefined || value.kind !== 'string' || datatype === XSD_STRING) return cast?.(value) ?? null;
  const read = parseLexical(datatype, value.value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, ''));
  return read.kind === 'illTyped' || read.kind === 'opaque' ? null : read;
}

/**
 * The effective boolean value: what a FILTER makes of a value. By SPARQL 1.2 (17.2.2) strings with a
 * language and ill-typed numbers and booleans have none; SPARQL 1.1 made them true unless empty, and false.
 * Null = a type error.
 */
export function effectiveBooleanOfValue(value: Value): boolean | null {
  switch (value.kind) {
    case 'boolean':
      return value.value;
    case 'string':
      return value.value !== '';
    case 'integer':
    case 'float':
    case 'double':
      return !(Number.isNaN(value.value) || Number(value.value) === 0);
    case 'decimal':
      return value.unscaled !== 0n;
    default:
      return null;
  }
}

export function effectiveBoolean(term: Term): boolean | null {
  return term.termType === 'Literal' ? effectiveBooleanOfValue(parseValue(term)) : null;
}

function number(value: Value, convert: (from: NumericValue) => Value | null): Value | null {
  if (isNumeric(value)) return convert(value);
  return value.kind === 'boolean' ? convert(integerValue(value.value ? 1 : 0)) : null;
}

function toBoolean(value: Value): Value | null {
  const truth = effectiveBooleanOfValue(value);
  return truth === null ? null : booleanValue(truth);
}

function toDecimal(value: NumericValue): Value | null {
  const exact = exactOfNumber(value);
  return exact === null ? null : decimalValue(exact);
}

function toInteger(value: NumericValue, range: IntegerRange): Value | null {
  if (value.kind === 'integer') return isInIntegerRange(value.value, range) ? value : null;
  const exact = exactOfNumber(value);
  return exact === null ? null : toInteger(integerValue(truncated(exact)), range);
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
