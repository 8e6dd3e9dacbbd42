/** Literals of Turtle and TriG: strings in four quotings, their tags and datatypes, numbers. */

import { isDigit } from './characters';
import { TERM_KIND } from './term-codes';
import { readLanguageTag, readLongString, readString } from './terms';
import { TOKENISE, WELL_KNOWN } from './tokenise-codes';
import {
  fail,
  LENGTH_MAX,
  mayGoOn,
  storeDatatype,
  storeQualifier,
  storeTerm,
  unexpected,
  wellKnownAddress,
  wellKnownLength,
} from './tokenise-state';
import { readIriOrName, skipSpace } from './turtle-tokens';

/** `^^` and a datatype behind a string, with `p` at the first `^`. */
function readDatatype(state: usize, p: usize, record: usize): usize {
  if (load<u8>(p, 1) != 0x5e) return unexpected(state, TOKENISE.expectedDatatype, p + 1);
  const open = skipSpace(state, p + 2);
  if (!open) return 0;
  const literal = load<u64>(record);
  const behind = readIriOrName(state, open, record, TOKENISE.expectedDatatype);
  if (!behind) return 0;
  return storeDatatype(state, record, literal, open) ? behind : 0;
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
