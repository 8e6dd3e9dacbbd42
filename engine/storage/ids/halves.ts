/**
 * Inlined values read from the two Uint32 halves of an id, for loops that may hold no BigInt. All
 * is exact: an inlined number has at most 15 digits, and two different numbers of 15 digits are
 * never the same double, so comparing doubles compares the decimals themselves.
 *
 * A function that can't decide answers NaN; the caller then decodes the terms and asks
 * `rdf/values`.
 */

import { INTEGER_TYPES } from '../../rdf/values/integer-types.js';
import { roundToFloat } from '../../rdf/values/rounding.js';
import {
  BIAS,
  DATATYPES,
  datatypeCode,
  isIntegerCode,
  makeId,
  TAG,
  type TermId,
  ZONE_NONE,
  zoneMinutes,
} from './layout.js';

const TWO_32 = 2 ** 32;
/** Inlined signed numbers are smaller than this in size. */
export const INLINE_LIMIT = 2 ** 47;
/** Most digits after the point of an inlined decimal, double or float. */
export const SCALE_MAX = 40;
/** Powers of ten up to this one are exact doubles, so that one division rounds once. */
const EXACT_POWER_MAX = 22;
const POWERS = Float64Array.from({ length: EXACT_POWER_MAX + 1 }, (_, power) => Number(`1e${power}`));
/** By the XSD 1.1 order of dateTimes: no zone means somewhere within 14 hours of UTC. */
const ZONE_DOUBT_MS = 14 * 3600 * 1000;
const DAY_MS = 86_400_000;
const NO_ZONES = 256;

/** Range of the integer type with each code; the codes of other types are empty ranges. */
const INTEGER_MIN = new Float64Array(256).fill(Number.POSITIVE_INFINITY);
const INTEGER_MAX = new Float64Array(256).fill(Number.NEGATIVE_INFINITY);
for (const [code, iri] of DATATYPES.entries()) {
  const range = isIntegerCode(code) ? INTEGER_TYPES.get(iri) : undefined;
  if (range === undefined) continue;
  INTEGER_MIN[code] = range.min === undefined ? Number.NEGATIVE_INFINITY : Number(range.min);
  INTEGER_MAX[code] = range.max === undefined ? Number.POSITIVE_INFINITY : Number(range.max);
}

/** The upper 16 bits of the id of an xsd:integer. */
export const INTEGER_PREFIX = (TAG.integer << 8) | datatypeCode('http://www.w3.org/2001/XMLSchema#integer');

/**
 * By the upper 16 bits of an id: 1 where unsigned order among the ids that share them is the order of their
 * values, and different ids have different values.
 */
export const ORDERED_PREFIXES = new Uint8Array(2 ** 16);
for (const tag of [TAG.date, TAG.dateTime, TAG.dateTimeMs, TAG.decimal]) {
  ORDERED_PREFIXES.fill(1, tag << 8, (tag + 1) << 8);
}
ORDERED_PREFIXES.fill(1, TAG.double << 8, (TAG.double << 8) + EXACT_POWER_MAX + 1);
ORDERED_PREFIXES[INTEGER_PREFIX] = 1;

/** Minutes east of UTC by zone code; no zone counts as UTC here. */
const ZONE_MS = Float64Array.from({ length: NO_ZONES }, (_, code) => (zoneMinutes(code) ?? 0) * 60_000);

export function tagOfHigh(high: number): number {
  return high >>> 24;
}

export function auxiliaryOfHigh(high: number): number {
  return (high >>> 16) & 0xff;
}

/** The payload as a number, exact. */
export function payloadOfHalves(low: number, high: number): number {
  return (high & 0xffff) * TWO_32 + (low >>> 0);
}

/** The signed number behind the payload of a biased tag. */
export function signedOfHalves(low: number, high: number): number {
  return (high & 0xffff) * TWO_32 + (low >>> 0) - INLINE_LIMIT;
}

export function idOfHalves(low: number, high: number): TermId {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

export function lowOf(id: TermId): number {
  return Number(id & 0xffffffffn);
}

export function highOf(id: TermId): number {
  return Number(id >> 32n);
}

/** Unsigned order of ids. */
export function compareHalves(aLow: number, aHigh: number, bLow: number, bHigh: number): -1 | 0 | 1 {
  if (aHigh !== bHigh) return aHigh >>> 0 < bHigh >>> 0 ? -1 : 1;
  if (aLow !== bLow) return aLow >>> 0 < bLow >>> 0 ? -1 : 1;
  return 0;
}

export function isNumericTag(tag: number): boolean {
  return tag === TAG.integer || tag === TAG.decimal || tag === TAG.double || tag === TAG.float;
}

/**
 * The value of an inlined number as a double; NaN for every other id, and for a derived integer
 * outside the range of its type, which is ill-typed. (NaN itself is never inlined.)
 */
export function numericOfHalves(low: number, high: number): number {
  const auxiliary = (high >>> 16) & 0xff;
  const value = signedOfHalves(low, high);
  switch (high >>> 24) {
    case TAG.integer:
      return value >= (INTEGER_MIN[auxiliary] as number) && value <= (INTEGER_MAX[auxiliary] as number)
        ? value
        : Number.NaN;
    case TAG.decimal:
    case TAG.double:
      return scaled(value, auxiliary);
    case TAG.float:
      return scaledToFloat(value, auxiliary);
    default:
      return Number.NaN;
  }
}

function scaled(value: number, scale: number): number {
  return scale <= EXACT_POWER_MAX ? value / (POWERS[scale] as number) : Number(`${value}e-${scale}`);
}

/**
 * Rounding to double and then to float differs from rounding once only where the double lies just
 * between two floats; those few go the exact way.
 */
function scaledToFloat(value: number, scale: number): number {
  const wide = scaled(value, scale);
  const near = Math.fround(wide);
  const other = near + 2 * (wide - near);
  return near !== wide && Math.fround(other) === other ? roundToFloat(BigInt(value), scale) : near;
}

/**
 * Compares two inlined numbers as SPARQL does: xsd:float meets integers and decimals as floats.
 * NaN when one of them is no inlined number.
 */
export function compareNumericHalves(aLow: number, aHigh: number, bLow: number, bHigh: number): number {
  let a = numericOfHalves(aLow, aHigh);
  let b = numericOfHalves(bLow, bHigh);
  const aTag = aHigh >>> 24;
  const bTag = bHigh >>> 24;
  if (aTag !== bTag && (aTag === TAG.float || bTag === TAG.float) && aTag !== TAG.double && bTag !== TAG.double) {
    a = Math.fround(a);
    b = Math.fround(b);
  }
  return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN;
}

/** 1 or 0 for an inlined boolean, NaN for every other id. */
export function booleanOfHalves(low: number, high: number): number {
  return high >>> 24 === TAG.boolean ? low & 1 : Number.NaN;
}

/** Milliseconds since the epoch of an inlined date or dateTime, no zone counting as UTC; else NaN. */
export function millisecondsOfHalves(low: number, high: number): number {
  const value = signedOfHalves(low, high);
  const zone = ZONE_MS[(high >>> 16) & 0xff] as number;
  switch (high >>> 24) {
    case TAG.date:
      return value * DAY_MS - zone;
    case TAG.dateTime:
      return value * 1000 - zone;
    case TAG.dateTimeMs:
      return value - zone;
    default:
      return Number.NaN;
  }
}

/**
 * Compares two inlined values with the operators of SPARQL: -1, 0, 1, or NaN where the tags don't
 * decide (values of different kinds, or a time with a zone too near one without).
 */
export function compareInlineHalves(aLow: number, aHigh: number, bLow: number, bHigh: number): number {
  const aTag = aHigh >>> 24;
  const bTag = bHigh >>> 24;
  if (isNumericTag(aTag)) return compareNumericHalves(aLow, aHigh, bLow, bHigh);
  if (aTag === TAG.boolean) return bTag === TAG.boolean ? (aLow & 1) - (bLow & 1) : Number.NaN;
  const bothDates = aTag === TAG.date && bTag === TAG.date;
  if (!bothDates && !(isDateTimeTag(aTag) && isDateTimeTag(bTag))) return Number.NaN;
  const difference = millisecondsOfHalves(aLow, aHigh) - millisecondsOfHalves(bLow, bHigh);
  const zonesDiffer = (((aHigh >>> 16) & 0xff) === ZONE_NONE) !== (((bHigh >>> 16) & 0xff) === ZONE_NONE);
  if (zonesDiffer && Math.abs(difference) <= ZONE_DOUBT_MS) return Number.NaN;
  return Math.sign(difference);
}

function isDateTimeTag(tag: number): boolean {
  return tag === TAG.dateTime || tag === TAG.dateTimeMs;
}

/**
 * Writes the id of a signed number under a tag that holds such into row `row` of a column; false, and nothing written,
 * when it is no whole number or too large to be inlined.
 */
export function writeSignedHalves(
  column: Uint32Array,
  row: number,
  tag: number,
  auxiliary: number,
  value: number,
): boolean {
  if (!Number.isInteger(value) || Math.abs(value) >= INLINE_LIMIT) return false;
  const payload = value + INLINE_LIMIT;
  column[2 * row] = payload % TWO_32;
  column[2 * row + 1] = ((tag << 24) | (auxiliary << 16)) + Math.floor(payload / TWO_32);
  return true;
}

export function writeIntegerHalves(column: Uint32Array, row: number, value: number): boolean {
  return writeSignedHalves(column, row, TAG.integer, INTEGER_PREFIX & 0xff, value);
}

/** The same for an xsd:decimal of whole digits with a scale, in its shortest form. */
export function writeDecimalHalves(column: Uint32Array, row: number, digits: number, scale: number): boolean {
  let value = digits;
  let shortest = scale;
  for (; shortest > 0 && value % 10 === 0; shortest--) value /= 10;
  return shortest <= SCALE_MAX && writeSignedHalves(column, row, TAG.decimal, shortest, value);
}

/** The least and the greatest payload that a biased tag can hold, as ids: all of one tag and auxiliary byte. */
export function tagRange(tag: number, auxiliary: number): { readonly from: TermId; readonly to: TermId } {
  const from = makeId(tag, auxiliary, 0n);
  return { from, to: from + 2n * BIAS };
}
