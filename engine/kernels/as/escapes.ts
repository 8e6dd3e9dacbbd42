/**
 * Backslash escapes of strings and IRIs. Scanning checks an escape in place and says how long it
 * is; rewriting, which happens once the end of the term is known, can then trust its input. The
 * rewritten form is never longer than the written one.
 */

import { hexValue, isIriCharacter } from './characters';
import { FIELD, TOKENISE } from './tokenise-codes';
import { BLOCK_SLACK, fail, reserveScratch } from './tokenise-state';
import { encodeUtf8 } from './utf8';

/** What `\c` stands for, 0 when the grammar has no such escape. */
function simpleEscape(c: u32): u32 {
  switch (c) {
    case 0x74: // t
      return 0x09;
    case 0x62: // b
      return 0x08;
    case 0x6e: // n
      return 0x0a;
    case 0x72: // r
      return 0x0d;
    case 0x66: // f
      return 0x0c;
    case 0x22: // "
    case 0x27: // '
    case 0x5c: // \
      return c;
    default:
      return 0;
  }
}

/** Digits of a numeric escape whose letter is `c`, 0 when `c` is not `u` or `U`. */
// @inline
function numericDigits(c: u32): usize {
  return c == 0x75 ? 4 : c == 0x55 ? 8 : 0;
}

/** Checks the numeric escape at `p`; returns the address behind it, or 0. */
function checkNumeric(state: usize, p: usize, digits: usize, inIri: bool): usize {
  let point: u32 = 0;
  for (let i: usize = 0; i < digits; i++) {
    const value = hexValue(load<u8>(p + 2 + i));
    if (value > 15) return fail(state, TOKENISE.invalidEscape, p);
    point = (point << 4) | value;
  }
  if (point > 0x10ffff || (point & 0xfffff800) == 0xd800) return fail(state, TOKENISE.invalidCodePoint, p);
  if (inIri && !isIriCharacter(point)) return fail(state, TOKENISE.invalidIriCharacter, p);
  return p + 2 + digits;
}

/** Checks the escape at `p` inside a string; returns the address behind it, or 0. */
export function checkStringEscape(state: usize, p: usize): usize {
  const c: u32 = load<u8>(p, 1);
  const digits = numericDigits(c);
  if (digits) return checkNumeric(state, p, digits, false);
  return simpleEscape(c) ? p + 2 : fail(state, TOKENISE.invalidEscape, p);
}

/** Checks the escape at `p` inside an IRI; returns the address behind it, or 0. */
export function checkIriEscape(state: usize, p: usize): usize {
  const digits = numericDigits(load<u8>(p, 1));
  return digits ? checkNumeric(state, p, digits, true) : fail(state, TOKENISE.invalidEscape, p);
}

/** Writes what the checked escape at `p` stands for; returns the address behind the written bytes. */
function writeEscape(to: usize, p: usize, digits: usize): usize {
  if (!digits) {
    store<u8>(to, <u8>simpleEscape(load<u8>(p, 1)));
    return to + 1;
  }
  let point: u32 = 0;
  for (let i: usize = 0; i < digits; i++) point = (point << 4) | hexValue(load<u8>(p + 2 + i));
  return encodeUtf8(to, point);
}

/**
 * Copies [from, end) to scratch with its checked escapes replaced. Returns the address of the copy,
 * which ends at scratchNext, or 0 when the scratch area is full.
 */
export function resolveEscapes(state: usize, from: usize, end: usize): usize {
  const start = reserveScratch(state, <u32>(end - from) + BLOCK_SLACK);
  if (!start) return 0;
  let to = start;
  let p = from;
  while (p < end) {
    const block = v128.load(p);
    v128.store(to, block);
    const mask = i8x16.bitmask(i8x16.eq(block, i8x16.splat(0x5c)));
    const plain = min<usize>(mask ? <usize>ctz(mask) : 16, end - p);
    p += plain;
    to += plain;
    if (p < end && load<u8>(p) == 0x5c) {
      const digits = numericDigits(load<u8>(p, 1));
      to = writeEscape(to, p, digits);
      p += 2 + digits;
    }
  }
  store<u32>(state + FIELD.scratchNext, <u32>to);
  return start;
}
