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

// @ts-ignore: decorator
@inline
function writeVarint(at: usize, value: u32): usize {
  while (value >= 128) {
    store<u8>(at++, <u8>(value | 128));
    value >>>= 7;
  }
  store<u8>(at++, <u8>value);
  return at;
}

// @ts-ignore: decorator
@inline
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

/**
 * Decodes terms `from..to` of a block one behind the other to `out`, which has room for the block's
 * total length plus 8; the end of each, counted from `out`, goes to `ends` (u32). Terms of the first
 * group that lie before `from` are decoded too but not kept. Returns the number of bytes at `out`,
 * or 0xffffffff when the block is damaged; then too nothing is written past `outLength`.
 */
export function decodeTerms(
  block: usize,
  blockLength: u32,
  table: usize,
  from: u32,
  to: u32,
  out: usize,
  outLength: u32,
  ends: usize,
): u32 {
  if (blockLength < HEADER) return DAMAGED;
  const count = <u32>load<u16>(block, 4);
  const coded = (load<u8>(block, 6) & 1) != 0;
  const trailer = load<u32>(block, 8);
  if (from >= to) return 0;
  if (to > count || trailer > blockLength || trailer + (((count + GROUP - 1) / GROUP) << 1) > blockLength) return DAMAGED;
  const group = from / GROUP;
  let at = block + <usize>load<u16>(block + trailer + (<usize>group << 1));
  const end = block + trailer;
  let to8 = out;
  let before: usize = out;
  let beforeLength: u32 = 0;
  const limit = out + outLength;
  for (let i = group * GROUP; i < to; i++) {
    let shared: u32 = 0;
    if (i % GROUP != 0) {
      let shift: u32 = 0;
      let byte: u32 = 0;
      do {
        if (at >= end) return DAMAGED;
        byte = load<u8>(at++);
        shared |= (byte & 127) << shift;
        shift += 7;
      } while (byte >= 128);
    }
    let size: u32 = 0;
    let shift: u32 = 0;
    let byte: u32 = 0;
    do {
      if (at >= end) return DAMAGED;
      byte = load<u8>(at++);
      size |= (byte & 127) << shift;
      shift += 7;
    } while (byte >= 128);
    if (shared > beforeLength || size > <u32>(end - at)) return DAMAGED;
    if (to8 + shared > limit) return DAMAGED;
    // The term before lies right in front when it is kept, else it is overwritten in place.
    if (to8 != before) memory.copy(to8, before, shared);
    let length = shared;
    if (coded) {
      // A code stands for at most 8 bytes, and decoding writes whole words, up to 8 bytes behind the
      // text; only where that could be too much is the text measured.
      const room = <u32>(limit - to8) - shared;
      if (size > (room >>> 3) && (room < 8 || decodedLength(table, at, size) > room - 8)) return DAMAGED;
      length += decodeSymbols(table, at, size, to8 + shared);
    } else {
      if (size > <u32>(limit - to8) - shared) return DAMAGED;
      memory.copy(to8 + shared, at, size);
      length += size;
    }
    at += size;
    before = to8;
    beforeLength = length;
    if (i >= from) {
      to8 += length;
      store<u32>(ends + ((<usize>(i - from)) << 2), <u32>(to8 - out));
    }
  }
  return <u32>(to8 - out);
}
