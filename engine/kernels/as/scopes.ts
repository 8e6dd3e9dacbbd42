/**
 * Document scopes of blank nodes. While a document is read its hash is not known yet; its blank
 * nodes carry `d`, the byte 1 and 15 hex digits of the document's number instead of `d` and the 16
 * hex digits of the scope. `patchScopes` puts the digits in and renews the terms' hashes. The text of a
 * triple term has such labels inside, and the byte 1 nowhere else (`storage/dictionary/triple-text.ts`).
 */

import { hashTerm } from './hash';
import { TERM_KIND } from './term-codes';

const SCOPE_DIGITS: u32 = 16;

function hexValue(c: u32): u32 {
  return c < 58 ? c - 48 : c - 87;
}

function documentAt(mark: usize): u32 {
  let document: u32 = 0;
  for (let d: u32 = 0; d < SCOPE_DIGITS - 1; d++) document = (document << 4) | hexValue(load<u8>(mark + 1 + d));
  return document;
}

/** The address of the byte 1 of the first label in `[at, end)` that waits; 0 when none does. */
function nextMark(at: usize, end: usize): usize {
  for (let p = at; p + SCOPE_DIGITS < end; p++) if (load<u8>(p) == 100 && load<u8>(p, 1) == 1) return p + 1;
  return 0;
}

/** The same for the stored bytes of a term. */
function firstMark(start: usize, end: usize): usize {
  const kind = <u32>load<u8>(start);
  if (kind == TERM_KIND.triple) return nextMark(start + 1, end);
  return kind == TERM_KIND.blank && load<u8>(start, 1) == 100 && load<u8>(start, 2) == 1 ? start + 2 : 0;
}

// @inline
function startOf(arena: usize, offsets: usize, term: u32): usize {
  return arena + <usize>load<u32>(offsets + ((<usize>term) << 2));
}

/**
 * `scopes` has 16 bytes per document number. Returns the number of terms patched. `scratch` needs 16 bytes.
 */
export function patchScopes(
  arena: usize,
  offsets: usize,
  count: u32,
  hashes: usize,
  scopes: usize,
  seedLow: u64,
  seedHigh: u64,
  scratch: usize,
): u32 {
  let patched: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const start = startOf(arena, offsets, i);
    const end = startOf(arena, offsets, i + 1);
    let mark = firstMark(start, end);
    if (!mark) continue;
    const kind = <u32>load<u8>(start);
    while (mark) {
      memory.copy(mark, scopes + <usize>(documentAt(mark) * SCOPE_DIGITS), SCOPE_DIGITS);
      mark = kind == TERM_KIND.triple ? nextMark(mark + SCOPE_DIGITS, end) : 0;
    }
    hashTerm(seedLow, seedHigh, kind, 0, 0, start + 1, <u32>(end - start - 1), scratch);
    store<u64>(hashes + ((<usize>i) << 3), load<u64>(scratch));
    patched++;
  }
  return patched;
}

/** Marks (a byte each, zeroed) the documents whose scopes are still to be put in; returns how many terms wait. */
export function listScopes(arena: usize, offsets: usize, count: u32, used: usize): u32 {
  let waiting: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const start = startOf(arena, offsets, i);
    const end = startOf(arena, offsets, i + 1);
    let mark = firstMark(start, end);
    if (!mark) continue;
    waiting++;
    while (mark) {
      store<u8>(used + documentAt(mark), 1);
      mark = <u32>load<u8>(start) == TERM_KIND.triple ? nextMark(mark + SCOPE_DIGITS, end) : 0;
    }
  }
  return waiting;
}
