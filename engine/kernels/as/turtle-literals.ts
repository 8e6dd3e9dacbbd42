/** Literals of Turtle and TriG: strings in four quotings, their tags and datatypes, numbers. */

import { isDigit } from './characters';
import { checkStringEscape } from './escapes';
import { findStringStop } from './scan-bytes';
import { TERM_KIND } from './term-codes';
import { readLanguageTag, readString, storeLongString } from './terms';
import { TOKENISE, WELL_KNOWN } from './tokenise-codes';
import {
  atEnd,
  fail,
  failAtEnd,
  isWellKnown,
  LENGTH_MAX,
  mayGoOn,
  storeQualifier,
  storeTerm,
  unexpected,
  wellKnownAddress,
  wellKnownLength,
} from './tokenise-state';
import { readIriOrName, skipSpace } from './turtle-tokens';
import { firstInvalid, skipText } from './utf8';

/** The string in triple quotes whose body starts at `start`; returns the address behind it, or 0. */
function readLongString(state: usize, start: usize, quote: u8, record: usize): usize {
  let p = start;
  let escaped = false;
  while (true) {
    p = findStringStop(p, quote);
    const c: u32 = load<u8>(p);
    if (c == <u32>quote) {
      if (load<u8>(p, 1) == quote && load<u8>(p, 2) == quote) break;
      p++;
    } else if (c == 0x5c) {
      escaped = true;
      p = checkStringEscape(state, p);
      if (!p) return 0;
    } else if (c >= 0x80) {
      const next = skipText(p, quote);
      if (!next) return fail(state, TOKENISE.invalidUtf8, firstInvalid(p));
      p = next;
    } else if (atEnd(state, p)) {
      return failAtEnd(state, TOKENISE.unterminatedString, start - 3);
    } else {
      p++;
    }
  }
  return storeLongString(state, record, start, p, escaped) ? p + 3 : 0;
}

/** `^^` and a datatype behind a string, with `p` at the first `^`. */
function readDatatype(state: usize, p: usize, record: usize): usize {
  if (load<u8>(p, 1) != 0x5e) return unexpected(state, TOKENISE.expectedDatatype, p + 1);
  const open = skipSpace(state, p + 2);
  if (!open) return 0;
  const literal = load<u64>(record);
  const behind = readIriOrName(state, open, record, TOKENISE.expectedDatatype);
  if (!behind) return 0;
  const start: usize = load<u32>(record);
  const length = load<u32>(record, 4) & LENGTH_MAX;
  store<u64>(record, literal);
  store<u64>(record, 0, 8);
  if (isWellKnown(state, WELL_KNOWN.xsdString, start, length)) return behind;
  if (
    isWellKnown(state, WELL_KNOWN.rdfLangString, start, length) ||
    isWellKnown(state, WELL_KNOWN.rdfDirLangString, start, length)
  ) {
    return fail(state, TOKENISE.taglessLanguageString, open);
  }
  storeQualifier(record, TERM_KIND.typed, start, length);
  return behind;
}

/** A string in one or three quotes at `from`, without tag or datatype. */
function readAnyString(state: usize, from: usize, quote: u8, record: usize): usize {
  if (load<u8>(from, 1) == quote && load<u8>(from, 2) == quote) {
    return readLongString(state, from + 3, quote, record);
  }
  return readString(state, from + 1, quote, record);
}

/** The string at `from` with what qualifies it; returns the address behind it, or 0. */
export function readTurtleLiteral(state: usize, from: usize, record: usize): usize {
  let p = readAnyString(state, from, load<u8>(from), record);
  if (!p) return 0;
  p = skipSpace(state, p);
  if (!p) return 0;
  const c = load<u8>(p);
  if (c == 0x5e) return readDatatype(state, p, record);
  if (c == 0x40) return readLanguageTag(state, p + 1, record);
  return p;
}

// @inline
function skipDigits(from: usize): usize {
  let p = from;
  while (isDigit(load<u8>(p))) p++;
  return p;
}

/** The address behind the exponent at `p`, or `p` when none stands there. */
function skipExponent(p: usize): usize {
  if ((load<u8>(p) | 0x20) != 0x65) return p;
  const sign = load<u8>(p, 1);
  const digits = sign == 0x2b || sign == 0x2d ? p + 2 : p + 1;
  const behind = skipDigits(digits);
  return behind == digits ? p : behind;
}

/** The integer, decimal or double at `from`; returns the address behind it, or 0. */
export function readNumber(state: usize, from: usize, record: usize): usize {
  const c = load<u8>(from);
  const digits = c == 0x2b || c == 0x2d ? from + 1 : from;
  const whole = skipDigits(digits);
  let end = whole;
  let datatype = WELL_KNOWN.xsdInteger;
  if (load<u8>(whole) == 0x2e) {
    const fraction = skipDigits(whole + 1);
    if (fraction > whole + 1) {
      end = fraction;
      datatype = WELL_KNOWN.xsdDecimal;
    } else if (whole > digits && skipExponent(fraction) > fraction) {
      // `1.e5` is a double, but `1.` is an integer and the end of a statement.
      end = fraction;
    }
  }
  if (end == digits) return unexpected(state, TOKENISE.invalidNumber, digits);
  const behind = skipExponent(end);
  if (behind > end) datatype = WELL_KNOWN.xsdDouble;
  // Up to three more bytes decide whether the number goes on.
  if (mayGoOn(state, behind + 3)) return fail(state, TOKENISE.incomplete, behind);
  if (behind - from > <usize>LENGTH_MAX) return fail(state, TOKENISE.termTooLong, from);
  storeTerm(record, from, <u32>(behind - from), TERM_KIND.typed);
  storeQualifier(record, TERM_KIND.typed, wellKnownAddress(state, datatype), wellKnownLength(state, datatype));
  return behind;
}
