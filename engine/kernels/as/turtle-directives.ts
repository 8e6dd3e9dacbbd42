/**
 * Directives of Turtle and TriG: `@prefix`, `@base`, `@version` and their forms without `@`. A
 * directive takes effect when it is complete.
 */

import { isLetter } from './characters';
import { declareBase, declarePrefix } from './prefixes';
import { readString } from './terms';
import { FIELD, TOKENISE } from './tokenise-codes';
import { fail, LENGTH_MAX, mayGoOn, unexpected } from './tokenise-state';
import { findPrefixEnd } from './turtle-names';
import { isKeyword, readResolvedIri, skipSpace } from './turtle-tokens';

// The first and the last four letters of the keywords, little-endian, lower case.
const BASE: u32 = 0x65736162;
const PREF: u32 = 0x66657270;
const EFIX: u32 = 0x78696665;
const VERS: u32 = 0x73726576;
const SION: u32 = 0x6e6f6973;

/** The dot behind a directive with `@`; returns the address behind it, or 0. */
function readDot(state: usize, from: usize): usize {
  const p = skipSpace(state, from);
  if (!p) return 0;
  return load<u8>(p) == 0x2e ? p + 1 : unexpected(state, TOKENISE.expectedDot, p);
}

/** `<iri>`, with a dot where the directive ends with one: read into the first frame; returns the address behind it, or 0. */
function readIriToEnd(state: usize, from: usize, dot: bool): usize {
  const open = skipSpace(state, from);
  if (!open) return 0;
  if (load<u8>(open) != 0x3c) return unexpected(state, TOKENISE.expectedIri, open);
  const p = readResolvedIri(state, open + 1, load<u32>(state + FIELD.frames));
  return p && dot ? readDot(state, p) : p;
}

/** `name: <iri>`; `from` is behind the keyword. */
function readPrefixDirective(state: usize, from: usize, dot: bool): usize {
  const name = skipSpace(state, from);
  if (!name) return 0;
  const colon = findPrefixEnd(state, name, TOKENISE.expectedPrefixName);
  const p = colon ? readIriToEnd(state, colon + 1, dot) : 0;
  if (!p) return 0;
  const record = <usize>load<u32>(state + FIELD.frames);
  const length = load<u32>(record, 4) & LENGTH_MAX;
  return declarePrefix(state, name, <u32>(colon - name), load<u32>(record), length, name) ? p : 0;
}

/** `<iri>`; `from` is behind the keyword. */
function readBaseDirective(state: usize, from: usize, dot: bool): usize {
  const open = skipSpace(state, from);
  const p = open ? readIriToEnd(state, open, dot) : 0;
  if (!p) return 0;
  const record = <usize>load<u32>(state + FIELD.frames);
  return declareBase(state, load<u32>(record), load<u32>(record, 4) & LENGTH_MAX, open) ? p : 0;
}

/** A version string in single or double quotes, once each; `from` is behind the keyword. */
function readVersionDirective(state: usize, from: usize, dot: bool): usize {
  const open = skipSpace(state, from);
  if (!open) return 0;
  const quote = load<u8>(open);
  if (quote != 0x22 && quote != 0x27) return unexpected(state, TOKENISE.expectedVersion, open);
  if (load<u8>(open, 1) == quote) {
    if (mayGoOn(state, open + 2)) return fail(state, TOKENISE.incomplete, open);
    if (load<u8>(open, 2) == quote) return fail(state, TOKENISE.expectedVersion, open);
  }
  const p = readString(state, open + 1, quote, load<u32>(state + FIELD.frames));
  return p && dot ? readDot(state, p) : p;
}

/** The directive whose `@` is at `p`. */
export function readAtDirective(state: usize, p: usize): usize {
  const word = p + 1;
  let end = word;
  while (isLetter(load<u8>(end))) end++;
  if (mayGoOn(state, end)) return fail(state, TOKENISE.incomplete, p);
  const length = end - word;
  const first = load<u32>(word);
  // These keywords, unlike the forms without `@`, are in lower case.
  if (length == 4 && first == BASE) return readBaseDirective(state, end, true);
  if (length == 6 && first == PREF && load<u16>(word, 4) == 0x7869) return readPrefixDirective(state, end, true);
  if (length == 7 && first == VERS && load<u32>(word, 3) == SION) return readVersionDirective(state, end, true);
  return fail(state, TOKENISE.unknownDirective, p);
}

/** Whether a directive without `@` stands at `p`. */
// @inline
export function isWordDirective(p: usize): bool {
  const c: u32 = load<u8>(p) | 0x20;
  if (c != 0x70 && c != 0x62 && c != 0x76) return false;
  return isKeyword(p, 6, PREF, EFIX) || isKeyword(p, 4, BASE, BASE) || isKeyword(p, 7, VERS, SION);
}

export function readWordDirective(state: usize, p: usize): usize {
  const c: u32 = load<u8>(p) | 0x20;
  if (c == 0x70) return readPrefixDirective(state, p + 6, false);
  if (c == 0x62) return readBaseDirective(state, p + 4, false);
  return readVersionDirective(state, p + 7, false);
}
