/**
 * The terms that all four syntaxes share: IRI references, quoted strings, language tags and blank
 * node labels. Each reader starts behind the opening character, fills a term record, and returns
 * the address behind the term, or 0 after noting the failure. The common case (no escape, ASCII)
 * is inlined; the rest is in functions of their own.
 */

import { isAsciiName, isDigit, isLetter, isNamePart, isNameStart } from './characters';
import { checkIriEscape, checkStringEscape, resolveEscapes } from './escapes';
import { findControl, findIriStop, findStringStop } from './scan-bytes';
import { TERM_KIND } from './term-codes';
import { FIELD, TOKENISE } from './tokenise-codes';
import { atEnd, fail, failAtEnd, LENGTH_MAX, mayGoOn, storeQualifier, storeTerm } from './tokenise-state';
import { decodeUtf8, firstInvalid, NOT_UTF8, skipNonAscii, skipText, utf8Length } from './utf8';

/** Subtags of a language tag have at most this many characters (BCP 47). */
const SUBTAG_LENGTH_MAX: usize = 8;

/** Stores a term, rewritten when it holds escapes. */
function storeBody(state: usize, record: usize, start: usize, end: usize, kind: u32, escaped: bool): bool {
  if (end - start > <usize>LENGTH_MAX) return fail(state, TOKENISE.termTooLong, start - 1) != 0;
  if (!escaped) {
    storeTerm(record, start, <u32>(end - start), kind);
    return true;
  }
  const copy = resolveEscapes(state, start, end);
  if (!copy) return false;
  storeTerm(record, copy, load<u32>(state + FIELD.scratchNext) - <u32>copy, kind);
  return true;
}

/** The IRI reference whose `<` is at `p - 1`. */
// @inline
export function readIri(state: usize, p: usize, record: usize): usize {
  const stop = findIriStop(p);
  if (load<u8>(stop) == 0x3e && stop - p <= <usize>LENGTH_MAX) {
    storeTerm(record, p, <u32>(stop - p), TERM_KIND.iri);
    return stop + 1;
  }
  return readIriSlowly(state, p, stop, record);
}

function readIriSlowly(state: usize, start: usize, stop: usize, record: usize): usize {
  let p = stop;
  let escaped = false;
  while (true) {
    const c: u32 = load<u8>(p);
    if (c == 0x3e) break;
    if (c == 0x5c) {
      escaped = true;
      p = checkIriEscape(state, p);
      if (!p) return 0;
    } else if (c >= 0x80) {
      const next = skipNonAscii(p);
      if (!next) return fail(state, TOKENISE.invalidUtf8, firstInvalid(p));
      p = next;
    } else if (c == 0x7e || c == 0x7f) {
      p++;
    } else if (atEnd(state, p)) {
      return failAtEnd(state, TOKENISE.unterminatedIri, start - 1);
    } else if (c == 0x0a || c == 0x0d) {
      return fail(state, TOKENISE.unterminatedIri, start - 1);
    } else if (c == 0x3c && p == start) {
      return fail(state, TOKENISE.needsSlowPath, start - 1);
    } else {
      return fail(state, TOKENISE.invalidIriCharacter, p);
    }
    p = findIriStop(p);
  }
  return storeBody(state, record, start, p, TERM_KIND.iri, escaped) ? p + 1 : 0;
}

/** The one-line string whose opening `quote` is at `p - 1`; stored as a plain literal. */
// @inline
export function readString(state: usize, p: usize, quote: u8, record: usize): usize {
  const stop = findStringStop(p, quote);
  if (load<u8>(stop) == quote && stop - p <= <usize>LENGTH_MAX) {
    storeTerm(record, p, <u32>(stop - p), TERM_KIND.string);
    return stop + 1;
  }
  return readStringSlowly(state, p, stop, quote, false, record);
}

/** The string whose body is `[start, ...)`; a long one ends with three quotes, and may hold fewer and line ends. */
function readStringSlowly(state: usize, start: usize, stop: usize, quote: u8, long: bool, record: usize): usize {
  const quotes: usize = long ? 3 : 1;
  let p = stop;
  let escaped = false;
  while (true) {
    const c: u32 = load<u8>(p);
    if (c == <u32>quote) {
      if (!long || (load<u8>(p, 1) == quote && load<u8>(p, 2) == quote)) break;
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
      return failAtEnd(state, TOKENISE.unterminatedString, start - quotes);
    } else if (!long && (c == 0x0a || c == 0x0d)) {
      return fail(state, TOKENISE.unterminatedString, start - quotes);
    } else {
      p++;
    }
    p = findStringStop(p, quote);
  }
  return storeBody(state, record, start, p, TERM_KIND.string, escaped) ? p + quotes : 0;
}

/** The string in triple quotes whose body starts at `start`; returns the address behind it, or 0. */
export function readLongString(state: usize, start: usize, quote: u8, record: usize): usize {
  return readStringSlowly(state, start, findStringStop(start, quote), quote, true, record);
}

/** A comment from its `#`; returns the address of the line end or of the input's end, or 0. */
export function skipComment(state: usize, from: usize): usize {
  let p = from;
  while (true) {
    p = findControl(p);
    const c: u32 = load<u8>(p);
    if (c == 0x0a || c == 0x0d) return p;
    if (c >= 0x80) {
      const next = skipNonAscii(p);
      if (!next) return fail(state, TOKENISE.invalidUtf8, firstInvalid(p));
      p = next;
    } else if (atEnd(state, p)) {
      return p;
    } else {
      p++;
    }
  }
}

/** The tag whose `@` is at `p - 1`: qualifies `record`, as it is written. */
export function readLanguageTag(state: usize, start: usize, record: usize): usize {
  let p = start;
  let kind = TERM_KIND.language;
  let first = true;
  while (true) {
    const subtag = p;
    while (true) {
      const c: u32 = load<u8>(p);
      if (!(isLetter(c) || (!first && isDigit(c)))) break;
      p++;
    }
    if (p == subtag || p - subtag > SUBTAG_LENGTH_MAX) {
      return fail(state, TOKENISE.invalidLanguageTag, p == subtag ? p : subtag);
    }
    first = false;
    if (load<u8>(p) != 0x2d) break;
    p++;
    if (load<u8>(p) == 0x2d) {
      p = readDirection(state, p + 1);
      if (!p) return 0;
      kind = TERM_KIND.direction;
      break;
    }
  }
  const length = <u32>(p - start);
  if (length > LENGTH_MAX) return fail(state, TOKENISE.termTooLong, start);
  storeQualifier(record, kind, start, length);
  return p;
}

/** `ltr` or `rtl`, exactly. */
function readDirection(state: usize, start: usize): usize {
  let p = start;
  while (isLetter(load<u8>(p))) p++;
  const letters: u32 = load<u8>(start) | ((<u32>load<u8>(start, 1)) << 8) | ((<u32>load<u8>(start, 2)) << 16);
  const known = letters == 0x72746c || letters == 0x6c7472;
  return p - start == 3 && known ? p : fail(state, TOKENISE.invalidDirection, start);
}

/**
 * The end of the run of name characters and dots at `from` (PN_CHARS | '.'), before its trailing
 * dots; 0 after an error. A run that reaches the input's end may go on, which the caller checks.
 */
export function findNameEnd(state: usize, from: usize): usize {
  let p = from;
  let end = from;
  while (true) {
    const c: u32 = load<u8>(p);
    if (isAsciiName(c)) {
      end = ++p;
    } else if (c == 0x2e) {
      p++;
    } else if (c >= 0x80) {
      const point = decodeUtf8(p);
      if (point == NOT_UTF8) return fail(state, TOKENISE.invalidUtf8, p);
      if (!isNamePart(point)) break;
      p += utf8Length(point);
      end = p;
    } else {
      break;
    }
  }
  if (mayGoOn(state, p)) return fail(state, TOKENISE.incomplete, p);
  return end;
}

/** The label whose `_` is at `p - 1` and whose `:` is at `p`. */
export function readBlankLabel(state: usize, p: usize, record: usize): usize {
  if (load<u8>(p) != 0x3a) return fail(state, TOKENISE.invalidBlankLabel, p);
  const start = p + 1;
  const c: u32 = load<u8>(start);
  if (c >= 0x80) {
    const point = decodeUtf8(start);
    if (point == NOT_UTF8) return fail(state, TOKENISE.invalidUtf8, start);
    if (!isNameStart(point)) return fail(state, TOKENISE.invalidBlankLabel, start);
  } else if (!isAsciiName(c) || c == 0x2d) {
    return fail(state, TOKENISE.invalidBlankLabel, start);
  }
  const end = findNameEnd(state, start);
  if (!end) return 0;
  if (end - start > <usize>LENGTH_MAX) return fail(state, TOKENISE.termTooLong, start);
  storeTerm(record, start, <u32>(end - start), TERM_KIND.blank);
  return end;
}

/** `http://…` or any other bytes that begin with a scheme and a colon. */
// @inline
export function hasScheme(start: usize, length: u32): bool {
  // "http" and then ":" or "s:", read as little-endian numbers.
  if (length >= 6 && load<u32>(start) == 0x70747468) {
    const next: u32 = load<u16>(start, 4);
    if ((next & 0xff) == 0x3a || next == 0x3a73) return true;
  }
  return schemeLength(start, length) != 0;
}

/** The length of `scheme:` at `start`, 0 when there is none. */
export function schemeLength(start: usize, length: u32): u32 {
  if (length == 0 || !isLetter(load<u8>(start))) return 0;
  for (let i: u32 = 1; i < length; i++) {
    const c: u32 = load<u8>(start + <usize>i);
    if (c == 0x3a) return i + 1;
    if (!isLetter(c) && !isDigit(c) && c != 0x2b && c != 0x2d && c != 0x2e) return 0;
  }
  return 0;
}
