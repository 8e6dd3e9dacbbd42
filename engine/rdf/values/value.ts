/**
 * The value space: what a literal means, apart from how it is written. A discriminated union; the
 * module `parse` makes values of literals, `format` makes literals of values.
 */

/** An exact decimal, `unscaled / 10^scale`, in its shortest form: no needless zeros at the end. */
export interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

/** xsd:integer and all derived types; a bigint exactly when it is beyond the safe integers. */
export interface IntegerValue {
  readonly kind: 'integer';
  readonly value: number | bigint;
}

export interface DecimalValue extends Decimal {
  readonly kind: 'decimal';
}

/** Rounded to single precision. */
export interface FloatValue {
  readonly kind: 'float';
  readonly value: number;
}

export interface DoubleValue {
  readonly kind: 'double';
  readonly value: number;
}

export interface BooleanValue {
  readonly kind: 'boolean';
  readonly value: boolean;
}

export interface StringValue {
  readonly kind: 'string';
  readonly value: string;
}

/** rdf:langString and rdf:dirLangString; the language in lower case. */
export interface LangStringValue {
  readonly kind: 'langString';
  readonly value: string;
  readonly language: string;
  readonly direction: '' | 'ltr' | 'rtl';
}

export const TEMPORAL_KINDS = [
  'dateTime',
  'date',
  'time',
  'gYearMonth',
  'gYear',
  'gMonthDay',
  'gDay',
  'gMonth',
] as const;
export type TemporalKind = (typeof TEMPORAL_KINDS)[number];

/**
 * A point of time, or the first point of a recurring or longer one with what is missing taken from
 * 1972-01-01 (XSD 1.1: types are compared only with themselves, so any such year serves).
 */
export interface TemporalValue {
  readonly kind: TemporalKind;
  /** Whole seconds since 1970-01-01T00:00:00: of UTC with a zone, of local time without. */
  readonly seconds: number;
  /** Digits of the fraction of a second, without zeros at the end. */
  readonly fraction: string;
  /** Minutes east of UTC as written; null without zone. */
  readonly zone: number | null;
}

export const DURATION_TYPES = ['duration', 'yearMonthDuration', 'dayTimeDuration'] as const;

/** All three duration types: one value space. */
export interface DurationValue {
  readonly kind: 'duration';
  readonly type: (typeof DURATION_TYPES)[number];
  readonly months: bigint;
  readonly seconds: Decimal;
}

/** A literal that is not in the lexical space of its datatype. */
export interface IllTypedValue {
  readonly kind: 'illTyped';
  readonly datatype: string;
  readonly lexical: string;
}

/** A literal whose datatype has no value space here, or whose value is beyond `DIGITS_MAX`. */
export interface OpaqueValue {
  readonly kind: 'opaque';
  readonly datatype: string;
  readonly lexical: string;
}

export type NumericValue = IntegerValue | DecimalValue | FloatValue | DoubleValue;

export type Value =
  | NumericValue
  | BooleanValue
  | StringValue
  | LangStringValue
  | TemporalValue
  | DurationValue
  | IllTypedValue
  | OpaqueValue;

/**
 * Most digits of a number that is computed with. Parsing and multiplying such a number takes about
 * a millisecond; without a bound one literal could hold a thread for minutes.
 */
export const DIGITS_MAX = 65_536;

export function isNumeric(value: Value): value is NumericValue {
  return value.kind === 'integer' || value.kind === 'decimal' || value.kind === 'float' || value.kind === 'double';
}

const TEMPORAL: ReadonlySet<string> = new Set(TEMPORAL_KINDS);

export function isTemporal(value: Value): value is TemporalValue {
  return TEMPORAL.has(value.kind);
}

export function integerValue(value: number | bigint): IntegerValue {
  if (typeof value === 'bigint') {
    const small = Number(value);
    return { kind: 'integer', value: Number.isSafeInteger(small) ? small : value };
  }
  return { kind: 'integer', value };
}

export function booleanValue(value: boolean): BooleanValue {
  return { kind: 'boolean', value };
}

export function doubleValue(value: number): DoubleValue {
  return { kind: 'double', value };
}

export function floatValue(value: number): FloatValue {
  return { kind: 'float', value: Math.fround(value) };
}

export function stringValue(value: string): StringValue {
  return { kind: 'string', value };
}
