/** White space, IRIs and keywords of Turtle and TriG. */

import { isAsciiName } from './characters';
import { resolveIri } from './resolve-iri';
import { hasScheme, readIri, skipComment } from './terms';
import { LENGTH_MAX, unexpected } from './tokenise-state';
import { readPrefixedName, startsName } from './turtle-names';

// @inline
export function isSpace(c: u32): bool {
  return c == 0x20 || c == 0x0a || c == 0x09 || c == 0x0d;
}

/** The first byte at or after `from` that is neither space nor comment; 0 after an error. */
// @inline
export function skipSpace(state: usize, from: usize): usize {
  let p = from;
  while (true) {
    const c: u32 = load<u8>(p);
    if (isSpace(c)) {
      p++;
    } else if (c == 0x23) {
      p = skipComment(state, p);
      if (!p) return 0;
    } else {
      return p;
    }
  }
}

/** The IRI reference whose `<` is at `p - 1`, made absolute. */
// @inline
export function readResolvedIri(state: usize, p: usize, record: usize): usize {
  const behind = readIri(state, p, record);
  if (!behind || hasScheme(load<u32>(record), load<u32>(record, 4) & LENGTH_MAX)) return behind;
  return resolveIri(state, record, p - 1) ? behind : 0;
}

/** An IRI in either form; `expected` is the error when neither starts at `p`. */
export function readIriOrName(state: usize, p: usize, record: usize, expected: u32): usize {
  const c: u32 = load<u8>(p);
  if (c == 0x3c) return readResolvedIri(state, p + 1, record);
  if (c == 0x3a || startsName(p)) return readPrefixedName(state, p, record);
  return unexpected(state, expected, p);
}

/**
 * Whether the word at `p` is a keyword of `length` letters, given as its first four and last four
 * letters in lower case (little-endian), and nothing of a name follows.
 */
export function isKeyword(p: usize, length: usize, first: u32, last: u32): bool {
  if ((load<u32>(p) | 0x20202020) != first) return false;
  if ((load<u32>(p + length - 4) | 0x20202020) != last) return false;
  const c: u32 = load<u8>(p + length);
  return !isAsciiName(c) && c != 0x3a && c != 0x2e && c < 0x80;
}
