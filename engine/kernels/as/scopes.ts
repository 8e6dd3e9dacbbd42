/**
 * Document scopes of blank nodes. While a document is read its hash is not known yet; its blank
 * nodes carry `d`, the byte 1 and 15 hex digits of the document's number instead of `d` and the 16
 * hex digits of the scope. `patchScopes` puts the digits in and renews the terms' hashes.
 */
import { KIND_BLANK } from './layout';
import { hashTerm } from './hash';

const SCOPE_DIGITS: u32 = 16;

function hexValue(c: u32): u32 {
  return c < 58 ? c - 48 : c - 87;
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
    const start = arena + <usize>load<u32>(offsets + ((<usize>i) << 2));
    if (load<u8>(start) != KIND_BLANK || load<u8>(start, 1) != 100 || load<u8>(start, 2) != 1) continue;
    let document: u32 = 0;
    for (let d: u32 = 0; d < 15; d++) document = (document << 4) | hexValue(load<u8>(start + 3 + d));
    memory.copy(start + 2, scopes + <usize>(document * SCOPE_DIGITS), SCOPE_DIGITS);
    const end = arena + <usize>load<u32>(offsets + ((<usize>i) << 2), 4);
    hashTerm(seedLow, seedHigh, KIND_BLANK, 0, 0, start + 1, <u32>(end - start - 1), scratch);
    store<u64>(hashes + ((<usize>i) << 3), load<u64>(scratch));
    patched++;
  }
  return patched;
}

/** Marks (a byte each, zeroed) the documents whose scopes are still to be put in; returns how many terms wait. */
export function listScopes(arena: usize, offsets: usize, count: u32, used: usize): u32 {
  let waiting: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const start = arena + <usize>load<u32>(offsets + ((<usize>i) << 2));
    if (load<u8>(start) != KIND_BLANK || load<u8>(start, 1) != 100 || load<u8>(start, 2) != 1) continue;
    let document: u32 = 0;
    for (let d: u32 = 0; d < 15; d++) document = (document << 4) | hexValue(load<u8>(start + 3 + d));
    store<u8>(used + document, 1);
    waiting++;
  }
  return waiting;
}
