/**
 * Blocks of terms: front-coded in groups of 32, suffixes compressed by a symbol table.
 *
 * | offset | bytes | meaning                                                              |
 * |--------|-------|----------------------------------------------------------------------|
 * | 0      | 4     | checksum of the bytes from 4 to the end (written by the caller)       |
 * | 4      | 2     | number of terms                                                      |
 * | 6      | 1     | flags: 1 = suffixes are symbol-coded, 2 = values follow the trailer  |
 * | 7      | 1     | zero                                                                 |
 * | 8      | 4     | offset of the trailer                                                |
 * | 12     | 4     | total length of the terms' stored bytes                              |
 * | 16     |       | entries                                                              |
 * | trailer| 2 * g | offset of each group's first entry                                   |
 * | ...    | 8 * n | with flag 2, at the next multiple of 8: value of each term as f64    |
 *
 * Entry: varint length of the prefix shared with the term before (absent in a group's first), varint
 * length of the coded suffix, coded suffix.
 */
import { copyWide } from './copy';
import { decodedLength, decodeSymbols, encodeSymbols } from './symbols';

const HEADER: u32 = 16;
const GROUP: u32 = 32;
const TERMS_MAX: u32 = 65535;
const DAMAGED: u32 = 0xffffffff;

// @inline
function writeVarint(at: usize, value: u32): usize {
  while (value >= 128) {
    store<u8>(at++, <u8>(value | 128));
    value >>>= 7;
  }
  store<u8>(at++, <u8>value);
  return at;
}

// @inline
function varintSize(value: u32): u32 {
  return value < 128 ? 1 : value < 16384 ? 2 : value < 2097152 ? 3 : value < 268435456 ? 4 : 5;
}

/** Length of the common prefix of two byte ranges. */
export function sharedPrefix(a: usize, lengthA: u32, b: usize, lengthB: u32): u32 {
  const most = min(lengthA, lengthB);
  let i: u32 = 0;
  while (i + 8 <= most) {
    const differ = load<u64>(a + i) ^ load<u64>(b + i);
    if (differ) return i + <u32>(ctz(differ) >>> 3);
    i += 8;
  }
  while (i < most && load<u8>(a + i) == load<u8>(b + i)) i++;
  return i;
}

/**
 * Encodes terms `list[from..to)` into one block at `out` until it would pass `capacity` bytes; one
 * term always goes in. `table` is a symbol table or 0. `scratch` takes one coded suffix (twice the
 * longest term); `out` must have room for `capacity` plus that. Returns the number of terms; the
 * length of the block is written to `lengthAt`, behind which 4 KiB hold the group offsets meanwhile.
 */
export function encodeTermBlock(
  arena: usize,
  offsets: usize,
  list: usize,
  from: u32,
  to: u32,
  table: usize,
  out: usize,
  capacity: u32,
  scratch: usize,
  lengthAt: usize,
): u32 {
  let at = out + HEADER;
  let count: u32 = 0;
  let groups: u32 = 0;
  let raw: u32 = 0;
  const groupAt = lengthAt + 4;
  let before: usize = 0;
  let beforeLength: u32 = 0;
  for (let i = from; i < to && count < TERMS_MAX; i++) {
    const term = load<u32>(list + ((<usize>i) << 2));
    const start = arena + <usize>load<u32>(offsets + ((<usize>term) << 2));
    const length = load<u32>(offsets + ((<usize>term) << 2), 4) - load<u32>(offsets + ((<usize>term) << 2));
    const first = count % GROUP == 0;
    const shared: u32 = first ? 0 : sharedPrefix(before, beforeLength, start, length);
    const suffix = length - shared;
    let coded = suffix;
    let source = start + shared;
    if (table) {
      coded = encodeSymbols(table, source, suffix, scratch);
      source = scratch;
    }
    const size = (first ? 0 : varintSize(shared)) + varintSize(coded) + coded;
    const total = <u32>(at - out) + size + ((groups + (first ? 1 : 0)) << 1);
    if (count > 0 && total > capacity) break;
    if (first) {
      store<u16>(groupAt + (groups << 1), <u16>(at - out));
      groups++;
    } else at = writeVarint(at, shared);
    at = writeVarint(at, coded);
    copyWide(at, source, coded);
    at += coded;
    raw += length;
    before = start;
    beforeLength = length;
    count++;
  }
  const trailer = <u32>(at - out);
  memory.copy(at, groupAt, groups << 1);
  store<u32>(out, 0);
  store<u16>(out, <u16>count, 4);
  store<u16>(out, table ? 1 : 0, 6);
  store<u32>(out, trailer, 8);
  store<u32>(out, raw, 12);
  store<u32>(lengthAt, trailer + (groups << 1));
  return count;
}

/** Where `readVarint` stopped. */
let varintEnd: usize = 0;

/** A varint that must end before `end`; `varintEnd` is 0 when it doesn't. */
// @inline
function readVarint(from: usize, end: usize): u32 {
  let at = from;
  let value: u32 = 0;
  let shift: u32 = 0;
  let byte: u32 = 0;
  do {
    if (at >= end) {
      varintEnd = 0;
      return 0;
    }
    byte = load<u8>(at++);
    value |= (byte & 127) << shift;
    shift += 7;
  } while (byte >= 128);
  varintEnd = at;
  return value;
}

/**
 * The first `wanted` bytes of a suffix or a few more, all of it where it is shorter; with `toZero` at least
 * as much as ends with the first zero byte. Returns their number, or 0xffffffff when they don't fit before `limit`.
 */
function decodeBeginning(
  table: usize,
  coded: bool,
  from: usize,
  size: u32,
  out: usize,
  wanted: u32,
  toZero: bool,
  limit: usize,
): u32 {
  const end = from + size;
  let at = from;
  let to = out;
  let looksFor = toZero;
  while (at < end && (looksFor || <u32>(to - out) < wanted)) {
    if (to + 8 > limit) return DAMAGED;
    const begun = to;
    if (coded) {
      const escaped = load<u8>(at) == 255;
      if (escaped && at + 1 >= end) return DAMAGED;
      const length = decodeSymbols(table, at, escaped ? 2 : 1, to);
      at += escaped ? 2 : 1;
      to += length;
    } else store<u8>(to++, load<u8>(at++));
    if (looksFor) for (let byte = begun; byte < to; byte++) if (load<u8>(byte) == 0) looksFor = false;
  }
  return <u32>(to - out);
}

/** Whether one of the bytes is zero. */
function holdsZero(from: usize, length: u32): bool {
  for (let at = from; at < from + length; at++) if (load<u8>(at) == 0) return true;
  return false;
}

/**
 * Decodes the terms at the `count` ascending, distinct places of `places` (u32) one behind the other to
 * `out`, which has room for the block's total length plus 8; the end of each, counted from `out`, goes
 * to `ends` (u32). Of the terms between only as much is decoded as the next one shares with them. With
 * `heads` the terms end where their first zero byte has been decoded. Returns the number of bytes at
 * `out`, or 0xffffffff when the block is damaged; then too nothing is written past `outLength`.
 */
export function decodeTerms(
  block: usize,
  blockLength: u32,
  table: usize,
  places: usize,
  count: u32,
  heads: bool,
  out: usize,
  outLength: u32,
  ends: usize,
): u32 {
  if (blockLength < HEADER) return DAMAGED;
  const terms = <u32>load<u16>(block, 4);
  const coded = (load<u8>(block, 6) & 1) != 0;
  const trailer = load<u32>(block, 8);
  if (count == 0) return 0;
  const lastPlace = load<u32>(places + ((<usize>(count - 1)) << 2));
  if (lastPlace >= terms || trailer > blockLength) return DAMAGED;
  if (trailer + (((terms + GROUP - 1) / GROUP) << 1) > blockLength) return DAMAGED;
  const end = block + trailer;
  const limit = out + outLength;
  let to = out;
  let wanted: u32 = 0;
  while (wanted < count) {
    const group = load<u32>(places + ((<usize>wanted) << 2)) / GROUP;
    let at = block + <usize>load<u16>(end + ((<usize>group) << 1));
    let before: usize = to;
    let beforeLength: u32 = 0;
    let shared: u32 = 0;
    let place = group * GROUP;
    for (;;) {
      const size = readVarint(at, end);
      at = varintEnd;
      if (at == 0 || shared > beforeLength || size > <u32>(end - at) || to + shared > limit) return DAMAGED;
      const suffix = at;
      at += size;
      const isWanted = load<u32>(places + ((<usize>wanted) << 2)) == place;
      // Whether this term is the last to be read of the group, and else what the next one shares with it.
      const next = wanted + (isWanted ? 1 : 0);
      const isLast = next >= count || load<u32>(places + ((<usize>next) << 2)) / GROUP != group;
      let sharedNext: u32 = 0;
      if (!isLast) {
        sharedNext = readVarint(at, end);
        at = varintEnd;
        if (at == 0) return DAMAGED;
      }
      // The term before lies right in front when it is kept, else it is overwritten in place.
      if (to != before) memory.copy(to, before, shared);
      let length = shared;
      if (isWanted && !heads) {
        if (coded) {
          // A code stands for at most 8 bytes, and decoding writes whole words, up to 8 bytes behind the
          // text; only where that could be too much is the text measured.
          const room = <u32>(limit - to) - shared;
          if (size > room >>> 3 && (room < 8 || decodedLength(table, suffix, size) > room - 8)) return DAMAGED;
          length += decodeSymbols(table, suffix, size, to + shared);
        } else {
          if (size > <u32>(limit - to) - shared) return DAMAGED;
          memory.copy(to + shared, suffix, size);
          length += size;
        }
      } else {
        const toZero = isWanted && !holdsZero(to, shared);
        const more = sharedNext > shared ? sharedNext - shared : 0;
        if (more || toZero) {
          const begun = decodeBeginning(table, coded, suffix, size, to + shared, more, toZero, limit);
          if (begun == DAMAGED) return DAMAGED;
          length += begun;
        }
      }
      before = to;
      beforeLength = length;
      if (isWanted) {
        to += length;
        store<u32>(ends + ((<usize>wanted) << 2), <u32>(to - out));
        wanted++;
      }
      if (isLast) break;
      shared = sharedNext;
      place++;
    }
  }
  return <u32>(to - out);
}
