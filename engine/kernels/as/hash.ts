/**
 * SipHash-1-3 with 128-bit output, keyed by the store's secret seed. It is the fingerprint of a
 * term: the first word addresses the dictionary's hash index, both words together stand for the
 * term inside one bulk load. Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF"
 * (2012), with one compression and three finalisation rounds.
 *
 * The message of a term is: one word `kind | qualifierLength << 8 | lexicalLength << 32`, the
 * qualifier's bytes as words, the lexical bytes as words; each last word is padded with zeros.
 * Language tags are taken in lower case, since terms whose tags differ in case alone are the same.
 * Reads up to 7 bytes past the end of both: callers keep 64 readable bytes after every buffer.
 */

import { TERM_KIND } from './term-codes';

/** Makes lower case of letters, and leaves digits and hyphens: all that there is in a language tag. */
const LOWER_CASE: u64 = 0x2020202020202020;

/** Mask of the bytes that count in a tail of `rest` bytes, 1..8. */
// @inline
function tailMask(rest: u32): u64 {
  return ~(<u64>0) >>> <u64>(64 - (rest << 3));
}

/** Writes the two words of the fingerprint to `out`. */
export function hashTerm(
  seedLow: u64,
  seedHigh: u64,
  kind: u32,
  qualifier: usize,
  qualifierLength: u32,
  lexical: usize,
  lexicalLength: u32,
  out: usize,
): void {
  let v0: u64 = seedLow ^ 0x736f6d6570736575;
  let v1: u64 = seedHigh ^ 0x646f72616e646f6d ^ 0xee;
  let v2: u64 = seedLow ^ 0x6c7967656e657261;
  let v3: u64 = seedHigh ^ 0x7465646279746573;
  let word: u64 = <u64>kind | ((<u64>qualifierLength) << 8) | ((<u64>lexicalLength) << 32);
  let at = qualifier;
  let left: u32 = qualifierLength;
  let inLexical = false;
  let fold: u64 = kind == TERM_KIND.language || kind == TERM_KIND.direction ? LOWER_CASE : 0;
  while (true) {
    v3 ^= word;
    v0 += v1;
    v1 = rotl<u64>(v1, 13);
    v1 ^= v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16);
    v3 ^= v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21);
    v3 ^= v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17);
    v1 ^= v2;
    v2 = rotl<u64>(v2, 32);
    v0 ^= word;
    if (left == 0) {
      if (inLexical || lexicalLength == 0) break;
      inLexical = true;
      fold = 0;
      at = lexical;
      left = lexicalLength;
    }
    word = load<u64>(at) | fold;
    if (left < 8) {
      word &= tailMask(left);
      left = 0;
    } else {
      at += 8;
      left -= 8;
    }
  }
  v2 ^= 0xee;
  for (let round = 0; round < 6; round++) {
    v0 += v1;
    v1 = rotl<u64>(v1, 13);
    v1 ^= v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16);
    v3 ^= v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21);
    v3 ^= v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17);
    v1 ^= v2;
    v2 = rotl<u64>(v2, 32);
    if (round == 2) {
      store<u64>(out, v0 ^ v1 ^ v2 ^ v3);
      v1 ^= 0xdd;
    }
  }
  store<u64>(out, v0 ^ v1 ^ v2 ^ v3, 8);
}

/** A checksum of stored bytes: 32 bits of a 64-bit multiply-rotate mix. Needs 8 readable bytes past the end. */
export function checksum(start: usize, length: u32): u32 {
  let a: u64 = 0x9e3779b97f4a7c15 ^ <u64>length;
  let b: u64 = 0xd6e8feb86659fd93;
  let at = start;
  const end = start + (length & ~15);
  while (at < end) {
    a = rotl<u64>((a ^ load<u64>(at)) * 0xff51afd7ed558ccd, 29);
    b = rotl<u64>((b + load<u64>(at, 8)) * 0xc4ceb9fe1a85ec53, 31);
    at += 16;
  }
  let left = length & 15;
  if (left >= 8) {
    a = rotl<u64>((a ^ load<u64>(at)) * 0xff51afd7ed558ccd, 29);
    at += 8;
    left -= 8;
  }
  if (left) b = rotl<u64>((b + (load<u64>(at) & tailMask(left))) * 0xc4ceb9fe1a85ec53, 31);
  a ^= b * 0x9e3779b97f4a7c15;
  a ^= a >>> 32;
  a *= 0xff51afd7ed558ccd;
  return <u32>(a >>> 32);
}
