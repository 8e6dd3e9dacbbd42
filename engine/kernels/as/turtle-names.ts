/**
 * Prefixed names of Turtle and TriG: the prefix is looked up, its IRI and the local name are copied
 * to scratch. Local names of letters, digits, `_` and `-` take the short way; dots, colons, escapes
 * and non-ASCII characters take two passes, one that checks and one that copies.
 */

import { hexValue, isAsciiName, isLetter, isNamePart, isNameStart } from './characters';
import { findPrefixSlot } from './prefixes';
import { copyBlocks, findNameStop } from './scan-bytes';
import { TERM_KIND } from './term-codes';
import { FIELD, TOKENISE } from './tokenise-codes';
import { BLOCK_SLACK, fail, LENGTH_MAX, mayGoOn, reserveScratch, storeTerm, unexpected } from './tokenise-state';
import { decodeUtf8, NOT_UTF8, utf8Length } from './utf8';

/** Whether a prefix, or a keyword, may start with the character at `p`. */
export function startsName(p: usize): bool {
  const c: u32 = load<u8>(p);
  if (c < 0x80) return isLetter(c);
  const point = decodeUtf8(p);
  return point != NOT_UTF8 && isNameStart(point);
}

/**
 * The address of the colon behind the prefix at `from`, or 0 after an error. A prefix that starts
 * wrongly, ends with a dot or has no colon is reported as `expected`, at `from`.
 */
export function findPrefixEnd(state: usize, from: usize, expected: u32): usize {
  const stop = findNameStop(from);
  if (load<u8>(stop) == 0x3a && (stop == from || isLetter(load<u8>(from)))) return stop;
  let p = from;
  while (true) {
    const c: u32 = load<u8>(p);
    if (isAsciiName(c) || c == 0x2e) {
      p++;
    } else if (c >= 0x80) {
      const point = decodeUtf8(p);
      if (point == NOT_UTF8) return fail(state, TOKENISE.invalidUtf8, p);
      if (!isNamePart(point)) break;
      p += utf8Length(point);
    } else {
      break;
    }
  }
  if (mayGoOn(state, p)) return fail(state, TOKENISE.incomplete, p);
  const closed = load<u8>(p) == 0x3a && (p == from || load<u8>(p - 1) != 0x2e);
  if (!closed || (p > from && !startsName(from))) return unexpected(state, expected, from);
  return p;
}

/** `%xx` or `\c` at `p` inside a local name: the address behind it, or 0 after an error. */
function checkLocalEscape(state: usize, p: usize): usize {
  const c: u32 = load<u8>(p, 1);
  if (load<u8>(p) == 0x25) {
    const valid = hexValue(c) < 16 && hexValue(load<u8>(p, 2)) < 16;
    return valid ? p + 3 : fail(state, TOKENISE.invalidLocalName, p);
  }
  // _ ~ . - ! $ & ' ( ) * + , ; = / ? # @ %
  const punctuation = (c >= 0x23 && c <= 0x2f) || c == 0x21 || c == 0x3b || c == 0x3d || c == 0x3f;
  const allowed = punctuation || c == 0x40 || c == 0x5f || c == 0x7e;
  return allowed ? p + 2 : fail(state, TOKENISE.invalidLocalName, p);
}

/** The end of the local name at `from`, or 0 after an error. */
function findLocalEnd(state: usize, from: usize): usize {
  let p = from;
  let end = from;
  while (true) {
    const c: u32 = load<u8>(p);
    if (c == 0x2e) {
      if (p == from) break;
      p++;
      continue;
    }
    if (isAsciiName(c) || c == 0x3a) {
      if (p == from && c == 0x2d) break;
      p++;
    } else if (c == 0x25 || c == 0x5c) {
      p = checkLocalEscape(state, p);
      if (!p) return 0;
    } else if (c >= 0x80) {
      const point = decodeUtf8(p);
      if (point == NOT_UTF8) return fail(state, TOKENISE.invalidUtf8, p);
      if (!(p == from ? isNameStart(point) : isNamePart(point))) break;
      p += utf8Length(point);
    } else {
      break;
    }
    end = p;
  }
  return mayGoOn(state, p) ? fail(state, TOKENISE.incomplete, p) : end;
}

/** Whether a local name surely ends at `p`, of which only name characters stand before. */
// @inline
function endsLocal(p: usize): bool {
  const c: u32 = load<u8>(p);
  if (c == 0x20 || c == 0x0a) return true;
  if (c >= 0x80 || c == 0x3a || c == 0x25 || c == 0x5c) return false;
  if (c != 0x2e) return true;
  const next: u32 = load<u8>(p, 1);
  return next == 0x20 || next == 0x0a || next == 0x0d;
}

/** Copies [from, end) without the backslashes of its escapes; returns the end of the copy. */
function copyLocal(to: usize, from: usize, end: usize): usize {
  let w = to;
  for (let p = from; p < end; p++) {
    if (load<u8>(p) == 0x5c) p++;
    store<u8>(w++, load<u8>(p));
  }
  return w;
}

/** The prefixed name at `from`, as an IRI in `record`; returns the address behind it, or 0. */
export function readPrefixedName(state: usize, from: usize, record: usize): usize {
  const colon = findPrefixEnd(state, from, TOKENISE.expectedName);
  if (!colon) return 0;
  const slot = findPrefixSlot(state, from, <u32>(colon - from));
  if (load<u32>(slot) == 0) return fail(state, TOKENISE.undeclaredPrefix, from);
  const local = colon + 1;
  let end = findNameStop(local);
  const simple = endsLocal(end) && load<u8>(local) != 0x2d && !mayGoOn(state, end);
  if (!simple) {
    end = findLocalEnd(state, local);
    if (!end) return 0;
  }
  const prefix = load<u32>(slot, 20);
  const length = <u32>(end - local);
  if (<u64>prefix + <u64>length > <u64>LENGTH_MAX) return fail(state, TOKENISE.termTooLong, from);
  const iri = reserveScratch(state, prefix + length + 2 * BLOCK_SLACK);
  if (!iri) return 0;
  copyBlocks(iri, load<u32>(slot, 16), prefix);
  let behind = iri + <usize>prefix;
  if (simple) {
    copyBlocks(behind, local, length);
    behind += <usize>length;
  } else {
    behind = copyLocal(behind, local, end);
  }
  storeTerm(record, iri, <u32>(behind - iri), TERM_KIND.iri);
  store<u32>(state + FIELD.scratchNext, <u32>behind);
  return end;
}
