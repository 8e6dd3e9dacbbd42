/**
 * Literal -> value. Never throws: a literal outside the lexical space of its datatype is an
 * `illTyped` value, one whose datatype is not known here an `opaque` one. White space is not
 * trimmed: in RDF `" 1"^^xsd:integer` is ill-typed.
 */

import { type Literal, RDF_DIR_LANG_STRING, RDF_LANG_STRING, XSD, XSD_STRING } from '../terms.js';
import { parseDecimal } from './decimal.js';
import { parseDuration } from './duration.js';
import { INTEGER_TYPES, type IntegerRange, isInIntegerRange } from './integer-types.js';
import { parseFloat32 } from './rounding.js';
import { parseTemporal } from './temporal.js';
import {
  booleanValue,
  DIGITS_MAX,
  DURATION_TYPES,
  type DurationValue,
  integerValue,
  TEMPORAL_KINDS,
  type Value,
} from './value.js';

type Reader = (lexical: string) => Value | 'illTyped' | 'opaque';
type Row = [datatype: string, read: Reader];

const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const DOUBLE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** A whole number of fewer digits is exact as a double. */
const SAFE_DIGITS = 15;

const READERS: ReadonlyMap<string, Reader> = new Map([
  [`${XSD}decimal`, readDecimal],
  [`${XSD}double`, (lexical) => readFloating('double', lexical)],
  [`${XSD}float`, (lexical) => readFloating('float', lexical)],
  [`${XSD}boolean`, readBoolean],
  [`${XSD}dateTimeStamp`, readDateTimeStamp],
  [XSD_STRING, (lexical) => ({ kind: 'string', value: lexical })],
  ...Array.from(INTEGER_TYPES, ([iri, range]): Row => [iri, (lexical) => readInteger(range, lexical)]),
  ...TEMPORAL_KINDS.map((kind): Row => [XSD + kind, (lexical) => parseTemporal(kind, lexical)]),
  ...DURATION_TYPES.map((type): Row => [XSD + type, (lexical) => readDuration(type, lexical)]),
] as Row[]);

export function parseValue(literal: Literal): Value {
  const datatype = literal.datatype.value;
  if (datatype === RDF_LANG_STRING || datatype === RDF_DIR_LANG_STRING) {
    if (literal.language === '') return { kind: 'illTyped', datatype, lexical: literal.value };
    return {
      kind: 'langString',
      value: literal.value,
      language: literal.language.toLowerCase(),
      direction: literal.direction || '',
    };
  }
  return parseLexical(datatype, literal.value);
}

/** The same from a datatype IRI and a lexical form, for literals without language. */
export function parseLexical(datatype: string, lexical: string): Value {
  const value = READERS.get(datatype)?.(lexical) ?? 'opaque';
  return typeof value === 'string' ? { kind: value, datatype, lexical } : value;
}

function readInteger(range: IntegerRange, lexical: string): ReturnType<Reader> {
  if (!INTEGER.test(lexical)) return 'illTyped';
  if (lexical.length > DIGITS_MAX) return 'opaque';
  // BigInt takes no plus sign; -0 is 0.
  const value = lexical.length <= SAFE_DIGITS ? Number(lexical) + 0 : bigintOf(lexical);
  return isInIntegerRange(value, range) ? integerValue(value) : 'illTyped';
}

function bigintOf(lexical: string): bigint {
  return BigInt(lexical.startsWith('+') ? lexical.slice(1) : lexical);
}

function readDecimal(lexical: string): ReturnType<Reader> {
  if (!DECIMAL.test(lexical)) return 'illTyped';
  if (lexical.length > DIGITS_MAX) return 'opaque';
  return { kind: 'decimal', ...parseDecimal(lexical) };
}

function readFloating(kind: 'double' | 'float', lexical: string): ReturnType<Reader> {
  if (DOUBLE.test(lexical)) {
    if (lexical.length > DIGITS_MAX) return 'opaque';
    return { kind, value: kind === 'float' ? parseFloat32(lexical) : Number(lexical) };
  }
  switch (lexical) {
    case 'INF':
    case '+INF':
      return { kind, value: Number.POSITIVE_INFINITY };
    case '-INF':
      return { kind, value: Number.NEGATIVE_INFINITY };
    case 'NaN':
      return { kind, value: Number.NaN };
    default:
      return 'illTyped';
  }
}

function readBoolean(lexical: string): ReturnType<Reader> {
  if (lexical === 'true' || lexical === '1') return booleanValue(true);
  return lexical === 'false' || lexical === '0' ? booleanValue(false) : 'illTyped';
}

function readDateTimeStamp(lexical: string): ReturnType<Reader> {
  const value = parseTemporal('dateTime', lexical);
  return typeof value === 'string' || value.zone !== null ? value : 'illTyped';
}

function readDuration(type: DurationValue['type'], lexical: string): ReturnType<Reader> {
  return lexical.length > DIGITS_MAX ? 'opaque' : (parseDuration(type, lexical) ?? 'illTyped');
}
