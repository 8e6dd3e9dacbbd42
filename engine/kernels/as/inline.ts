/**
 * Inlined ids of literals (`storage/ids/layout.ts` has the table, `storage/ids/inline.ts` is the
 * twin). A literal is inlined only when its lexical form can be regenerated from the id to the byte;
 * 0 means: goes to the dictionary.
 */

import { BIAS, makeId } from './layout';
import { TAG, TYPE_CODE } from './term-codes';

const ZERO: u32 = 48;
const NONE: i64 = i64.MIN_VALUE;
const SCALE_MAX: u32 = 40;
const FLOATING_DIGITS_MAX: u32 = 15;

// @inline
function isDigit(c: u32): bool {
  return c - ZERO < 10;
}

/** Two digits at `at`, or a number above 99. */
// @inline
function twoDigits(at: usize): u32 {
  const a: u32 = <u32>load<u8>(at) - ZERO;
  const b: u32 = <u32>load<u8>(at, 1) - ZERO;
  return a < 10 && b < 10 ? a * 10 + b : 1000;
}

/** `-?(0|[1-9][0-9]*)`, no `-0`, below 2^47 in magnitude; else NONE. */
function canonicalInteger(at: usize, length: u32): i64 {
  const negative = length > 0 && load<u8>(at) == 45;
  const first = negative ? 1 : 0;
  const digits = length - first;
  if (digits == 0 || digits > 15) return NONE;
  if (load<u8>(at + first) == 48 && (digits > 1 || negative)) return NONE;
  let value: i64 = 0;
  for (let i: u32 = first; i < length; i++) {
    const c = <u32>load<u8>(at + i);
    if (!isDigit(c)) return NONE;
    value = value * 10 + <i64>(c - ZERO);
  }
  if (value >= BIAS) return NONE;
  return negative ? -value : value;
}

/**
 * `-?(0|[1-9][0-9]*)(.[0-9]+)?` as id of the given tag, scale in the auxiliary byte; 0 when it is
 * not of that form, is a negative zero, or does not fit.
 */
function scaled(tag: u64, at: usize, length: u32, needPoint: bool, digitsMax: u32): u64 {
  const negative = length > 0 && load<u8>(at) == 45;
  let i: u32 = negative ? 1 : 0;
  const begin = i;
  let value: i64 = 0;
  let significant: u32 = 0;
  /** Where the digits behind the point begin; 0 = there is none. */
  let point: u32 = 0;
  for (; i < length; i++) {
    const c = <u32>load<u8>(at + i);
    if (c == 46 && point == 0) {
      point = i + 1;
      continue;
    }
    if (!isDigit(c)) return 0;
    const digit = <i64>(c - ZERO);
    if (significant || digit) significant++;
    value = value * 10 + digit;
    if (value >= BIAS) return 0;
  }
  const whole = (point ? point - 1 : length) - begin;
  if (whole == 0 || (whole > 1 && load<u8>(at + begin) == 48)) return 0;
  const scale = point ? length - point : 0;
  if (scale == 0 && (needPoint || point != 0)) return 0;
  if (scale > SCALE_MAX || significant > digitsMax) return 0;
  if (negative && value == 0) return 0;
  return makeId(tag, scale, <u64>((negative ? -value : value) + BIAS));
}

/** Days from 1970-01-01 to a proleptic Gregorian date. Howard Hinnant, "chrono-compatible low-level date algorithms". */
function daysFromCivil(year: i64, month: u32, day: u32): i64 {
  const y: i64 = month <= 2 ? year - 1 : year;
  const era: i64 = (y >= 0 ? y : y - 399) / 400;
  const yearOfEra: i64 = y - era * 400;
  const shifted: i64 = <i64>month + (month > 2 ? -3 : 9);
  const dayOfYear: i64 = (153 * shifted + 2) / 5 + <i64>day - 1;
  return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
}

/** `yyyy-mm-dd` with a year of 0001..9999 as days, or NONE. */
function civilDate(at: usize): i64 {
  const century = twoDigits(at);
  const rest = twoDigits(at + 2);
  if (century > 99 || rest > 99 || load<u8>(at, 4) != 45 || load<u8>(at, 7) != 45) return NONE;
  const year: u32 = century * 100 + rest;
  const month = twoDigits(at + 5);
  const day = twoDigits(at + 8);
  if (year == 0 || month < 1 || month > 12 || day < 1) return NONE;
  const leap = (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0);
  const last: u32 = month == 2 ? (leap ? 29 : 28) : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  if (day > last) return NONE;
  return daysFromCivil(<i64>year, month, day);
}

/** Zone code of the text from `at` to `end`, or 255 when it has none. */
function zoneCode(at: usize, end: usize): u32 {
  const length = <u32>(end - at);
  if (length == 0) return 0;
  if (length == 1) return load<u8>(at) == 90 ? 1 : 255;
  if (length != 6 || load<u8>(at, 3) != 58) return 255;
  const sign = load<u8>(at);
  const hours = twoDigits(at + 1);
  const minutes = twoDigits(at + 4);
  if ((sign != 43 && sign != 45) || hours > 14 || minutes > 45 || minutes % 15 != 0) return 255;
  if (hours == 14 && minutes != 0) return 255;
  const quarters: i32 = <i32>(hours * 4 + minutes / 15);
  if (sign == 45 && quarters == 0) return 255;
  return <u32>(2 + 56 + (sign == 45 ? -quarters : quarters));
}

function inlineDate(at: usize, length: u32): u64 {
  if (length < 10) return 0;
  const days = civilDate(at);
  const zone = zoneCode(at + 10, at + length);
  if (days == NONE || zone == 255) return 0;
  return makeId(TAG.date, zone, <u64>(days + BIAS));
}

function inlineDateTime(at: usize, length: u32): u64 {
  if (length < 19 || load<u8>(at, 10) != 84 || load<u8>(at, 13) != 58 || load<u8>(at, 16) != 58) return 0;
  const days = civilDate(at);
  const hours = twoDigits(at + 11);
  const minutes = twoDigits(at + 14);
  const seconds = twoDigits(at + 17);
  if (days == NONE || hours > 23 || minutes > 59 || seconds > 59) return 0;
  const instant: i64 = ((days * 24 + <i64>hours) * 60 + <i64>minutes) * 60 + <i64>seconds;
  let rest = at + 19;
  const end = at + length;
  let milliseconds: i32 = -1;
  if (rest < end && load<u8>(rest) == 46) {
    if (rest + 4 > end) return 0;
    const high = twoDigits(rest + 1);
    const low = <u32>load<u8>(rest, 3) - ZERO;
    if (high > 99 || low > 9) return 0;
    milliseconds = <i32>(high * 10 + low);
    rest += 4;
  }
  const zone = zoneCode(rest, end);
  if (zone == 255) return 0;
  if (milliseconds < 0) return makeId(TAG.dateTime, zone, <u64>(instant + BIAS));
  const value: i64 = instant * 1000 + <i64>milliseconds;
  if (value >= BIAS || value < -BIAS) return 0;
  return makeId(TAG.dateTimeMs, zone, <u64>(value + BIAS));
}

function inlineBoolean(at: usize, length: u32): u64 {
  if (length == 1) {
    const c = load<u8>(at);
    return c == 48 ? makeId(TAG.boolean, 0, 2) : c == 49 ? makeId(TAG.boolean, 0, 3) : 0;
  }
  if (length == 4 && load<u32>(at) == 0x65757274) return makeId(TAG.boolean, 0, 1);
  if (length == 5 && load<u32>(at) == 0x736c6166 && load<u8>(at, 4) == 101) return makeId(TAG.boolean, 0, 0);
  return 0;
}

/** The inlined id of a literal of the datatype with the given code, or 0. */
export function inlineId(code: u32, at: usize, length: u32): u64 {
  if (code == TYPE_CODE.integer || (code >= <u32>TYPE_CODE.derivedFirst && code <= <u32>TYPE_CODE.derivedLast)) {
    const value = canonicalInteger(at, length);
    return value == NONE ? 0 : makeId(TAG.integer, code, <u64>(value + BIAS));
  }
  if (code == TYPE_CODE.decimal) return scaled(TAG.decimal, at, length, false, 15);
  if (code == TYPE_CODE.double) return scaled(TAG.double, at, length, true, FLOATING_DIGITS_MAX);
  if (code == TYPE_CODE.float) return scaled(TAG.float, at, length, true, FLOATING_DIGITS_MAX);
  if (code == TYPE_CODE.date) return inlineDate(at, length);
  if (code == TYPE_CODE.dateTime) return inlineDateTime(at, length);
  if (code == TYPE_CODE.boolean) return inlineBoolean(at, length);
  return 0;
}

/**
 * The code of a datatype IRI from the table at `types`: u32 count, then per code u32 start, u32
 * length; 0 when it has none.
 */
export function datatypeCode(types: usize, iri: usize, length: u32): u32 {
  const count = load<u32>(types);
  for (let code: u32 = 1; code < count; code++) {
    const entry = types + 4 + ((<usize>code) << 3);
    if (load<u32>(entry, 4) == length && memory.compare(load<u32>(entry), iri, length) == 0) return code;
  }
  return 0;
}

/**
 * Ids of the terms of an epoch that need no dictionary. Term i's stored bytes are
 * `[arena + offsets[i], arena + offsets[i + 1])`. Writes its id (0 = dictionary) to `ids` and, for
 * dictionary terms, i to `list` and the datatype code to `codes`. Returns the length of `list`.
 */
export function inlineTerms(
  arena: usize,
  offsets: usize,
  count: u32,
  types: usize,
  ids: usize,
  codes: usize,
  list: usize,
): u32 {
  let listed: u32 = 0;
  // Neighbours often share a datatype: remember the last one seen.
  let lastIri: usize = 0;
  let lastLength: u32 = 0;
  let lastCode: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const start = arena + <usize>load<u32>(offsets + ((<usize>i) << 2));
    const end = arena + <usize>load<u32>(offsets + ((<usize>i) << 2), 4);
    let id: u64 = 0;
    let code: u32 = 0;
    if (load<u8>(start) == 6) {
      let mark = start + 1;
      while (load<u8>(mark) != 0) mark++;
      const length = <u32>(mark - start - 1);
      if (length == lastLength && memory.compare(lastIri, start + 1, length) == 0) {
        code = lastCode;
      } else {
        code = datatypeCode(types, start + 1, length);
        lastIri = start + 1;
        lastLength = length;
        lastCode = code;
      }
      if (code) id = inlineId(code, mark + 1, <u32>(end - mark - 1));
    }
    store<u64>(ids + ((<usize>i) << 3), id);
    store<u8>(codes + i, <u8>code);
    if (id == 0) {
      store<u32>(list + ((<usize>listed) << 2), i);
      listed++;
    }
  }
  return listed;
}
