/**
 * IRIs of an answer as CURIEs (`rdf/curies.ts` is the plain reading). The table is words: how many namespaces, then
 * for each its address and length and those of the name with its colon, the longest namespace first.
 */

import { isAsciiName, isDigit, isLetter } from './characters';

const POINT: u32 = 0x2e;
const HYPHEN: u32 = 0x2d;
const COLON: u32 = 0x3a;
const SPACE: u32 = 0x20;
const UNDERSCORE: u32 = 0x5f;
const PLUS: u32 = 0x2b;
const ENTRY_BYTES: usize = 16;

// @inline
function beginsWith(from: usize, namespace: usize, length: usize): bool {
  // Namespaces begin alike and end differently.
  let at = length;
  while (at > 0 && load<u8>(from + at - 1) == load<u8>(namespace + at - 1)) at--;
  return at == 0;
}

/** A name behind a colon: letters, digits, `_`, and further on `-` and `.`, which is not the last. */
function isLocalName(from: usize, end: usize): bool {
  if (<u32>load<u8>(from) == HYPHEN || <u32>load<u8>(end - 1) == POINT) return false;
  if (<u32>load<u8>(from) == POINT) return false;
  for (; from < end; from++) {
    const c = <u32>load<u8>(from);
    if (!isAsciiName(c) && c != POINT) return false;
  }
  return true;
}

/** The entry of the namespace by which an IRI is shortened, 0 = none. */
export function curieEntry(table: usize, from: usize, end: usize): usize {
  const length = end - from;
  const last = table + 4 + ENTRY_BYTES * <usize>load<u32>(table);
  for (let entry = table + 4; entry < last; entry += ENTRY_BYTES) {
    const size: usize = load<u32>(entry, 4);
    if (size >= length || !beginsWith(from, load<u32>(entry), size)) continue;
    return isLocalName(from + size, end) ? entry : 0;
  }
  return 0;
}

/** Whether a text may be taken for an IRI or a blank node: a name or `_`, a colon, and no space behind. */
export function mayLookLikeIri(from: usize, end: usize): bool {
  if (from == end) return false;
  const first = <u32>load<u8>(from);
  let at = from + 1;
  if (isLetter(first)) {
    for (; at < end; at++) {
      const c = <u32>load<u8>(at);
      if (!isLetter(c) && !isDigit(c) && c != PLUS && c != HYPHEN && c != POINT) break;
    }
  } else if (first != UNDERSCORE) return false;
  if (at == end || <u32>load<u8>(at) != COLON) return false;
  for (at++; at < end; at++) if (<u32>load<u8>(at) == SPACE) return false;
  return true;
}
