/**
 * The block codec: up to 4,096 rows of eight u64 columns (s, p, o, g, txFrom, txTo, validFrom,
 * validTo), each packed on its own so that any value can be read in place.
 *
 * | offset | bytes | meaning                                                         |
 * |--------|-------|-----------------------------------------------------------------|
 * | 0      | 4     | checksum of the bytes from 4 to the block's length               |
 * | 4      | 2     | rows                                                            |
 * | 6      | 2     | codec version, 1                                                |
 * | 8      | 4     | length of the block in bytes                                    |
 * | 12     | 4     | zero                                                            |
 * | 16     | 8*24  | per column: u8 encoding, u8 width, u8 entries - 1, u8 index width, u32 data offset, u64 base, u32 index offset, u32 zero |
 * | 208    |       | data                                                            |
 *
 * Encodings
 *   0 constant: base
 *   1 frame of reference: base + packed value of `width` bits
 *   2 list: `entries` u64 values at the data offset, packed index of `index width` bits
 *   3 heads: `entries` u64 values at the data offset; value = head[index] + packed value of `width`
 *     bits. Ids of several tags in one column share no high bits; their heads do.
 *
 * Packed values are read with one unaligned 8-byte load: widths are 0..57 or 64, and 8 bytes of
 * padding end the data.
 */
import { checksum } from './hash';
import { extremes } from './merge-rows';

export const COLUMN_COUNT: u32 = 8;
const HEADER: u32 = 208;
export const DESCRIPTOR: u32 = 24;
const VERSION: u16 = 1;
const LIST_MAX: u32 = 128;
const HEADS_MAX: u32 = 16;
const PROBE_SLOTS: u32 = 512;
/** Of the table that finds the values of a list: 16 bytes a slot. */
const PROBE_BYTES: u32 = PROBE_SLOTS << 4;
/** Bits below which two ids count as neighbours of one head. */
const HEAD_SHIFT: u64 = 48;

// @inline
function bitsOf(value: u64): u32 {
  const width = 64 - <u32>clz(value);
  return width > 57 ? 64 : width;
}

// @inline
export function maskOf(width: u32): u64 {
  return width >= 64 ? ~(<u64>0) : ((<u64>1) << (<u64>width)) - 1;
}

// @inline
function aligned(n: u32): u32 {
  return (n + 7) & ~7;
}

// @inline
function packedBytes(rows: u32, width: u32): u32 {
  return (rows * width + 7) >>> 3;
}

// @inline
function unpackAt(data: usize, width: u32, i: u32): u64 {
  const bit = i * width;
  return (load<u64>(data + (bit >>> 3)) >>> <u64>(bit & 7)) & maskOf(width);
}

/** Appends `width` bits per value, from `values` minus `base`. */
function pack(values: usize, rows: u32, base: u64, width: u32, out: usize): void {
  if (width == 0) return;
  if (width == 64) {
    for (let i: u32 = 0; i < rows; i++)
      store<u64>(out + ((<usize>i) << 3), load<u64>(values + ((<usize>i) << 3)) - base);
    return;
  }
  let word: u64 = 0;
  let filled: u64 = 0;
  const w = <u64>width;
  let at = out;
  for (let i: u32 = 0; i < rows; i++) {
    const value = load<u64>(values + ((<usize>i) << 3)) - base;
    word |= value << filled;
    filled += w;
    if (filled >= 64) {
      store<u64>(at, word);
      at += 8;
      filled -= 64;
      word = filled == 0 ? 0 : value >>> (w - filled);
    }
  }
  store<u64>(at, word);
}

/** The slot of `value` in the probe table of (u64 value, u32 index + 1, u32 0), or of its free place. */
// @inline
function probe(table: usize, value: u64): usize {
  let slot: u32 = <u32>((value * 0x9e3779b97f4a7c15) >>> 55);
  while (true) {
    const entry = table + ((<usize>slot) << 4);
    if (load<u32>(entry, 8) == 0 || load<u64>(entry) == value) return entry;
    slot = (slot + 1) & (PROBE_SLOTS - 1);
  }
}

/**
 * Encodes a column as a list of its values and the index of each row; returns the new end of the data, or 0 when that is
 * no shorter than `plainBytes`: it gives up at the first value too many.
 */
function encodeAsList(
  values: usize,
  rows: u32,
  block: usize,
  descriptor: usize,
  at: u32,
  scratch: usize,
  plainBytes: u32,
): u32 {
  const indexes = scratch + PROBE_BYTES;
  memory.fill(scratch, 0, PROBE_BYTES);
  let entries: u32 = 0;
  let i: u32 = 0;
  const most = min<u32>(LIST_MAX, rows >>> 2);
  const list = block + at;
  for (; i < rows; i++) {
    const value = load<u64>(values + ((<usize>i) << 3));
    const entry = probe(scratch, value);
    let index = load<u32>(entry, 8);
    if (index == 0) {
      if (entries == most) break;
      store<u64>(list + ((<usize>entries) << 3), value);
      entries++;
      index = entries;
      store<u64>(entry, value);
      store<u32>(entry, index, 8);
    }
    store<u64>(indexes + ((<usize>i) << 3), <u64>(index - 1));
  }
  if (i == rows) {
    const width = bitsOf(<u64>(entries - 1));
    const bytes = (entries << 3) + packedBytes(rows, width);
    if (bytes < plainBytes) {
      store<u8>(descriptor, 2);
      store<u8>(descriptor, <u8>(entries - 1), 2);
      store<u8>(descriptor, <u8>width, 3);
      const start = at + (entries << 3);
      store<u32>(descriptor, start, 16);
      pack(indexes, rows, 0, width, block + start);
      return aligned(start + packedBytes(rows, width));
    }
  }
  return 0;
}

/** Encodes a column by the heads of its values, which pays when it mixes tags; returns the new end of the data, or 0. */
function encodeAsHeads(
  values: usize,
  rows: u32,
  block: usize,
  descriptor: usize,
  at: u32,
  scratch: usize,
  plainBytes: u32,
): u32 {
  const indexes = scratch + PROBE_BYTES;
  let entries: u32 = 0;
  const heads = block + at;
  let lastHigh: u64 = ~(<u64>0);
  let lastIndex: u32 = 0;
  let fits = true;
  // Heads are kept with their least value; scratch holds the index of each row.
  for (let i: u32 = 0; i < rows; i++) {
    const value = load<u64>(values + ((<usize>i) << 3));
    const top = value >>> HEAD_SHIFT;
    if (top != lastHigh) {
      let k: u32 = 0;
      while (k < entries && load<u64>(heads + ((<usize>k) << 3)) >>> HEAD_SHIFT != top) k++;
      if (k == entries) {
        if (entries == HEADS_MAX) {
          fits = false;
          break;
        }
        store<u64>(heads + ((<usize>k) << 3), value);
        entries++;
      }
      lastHigh = top;
      lastIndex = k;
    }
    const head = heads + ((<usize>lastIndex) << 3);
    if (value < load<u64>(head)) store<u64>(head, value);
    store<u64>(indexes + ((<usize>i) << 3), <u64>lastIndex);
  }
  if (fits && entries > 1) {
    let span: u64 = 0;
    for (let i: u32 = 0; i < rows; i++) {
      const head = load<u64>(heads + ((<usize>load<u64>(indexes + ((<usize>i) << 3))) << 3));
      span = max(span, load<u64>(values + ((<usize>i) << 3)) - head);
    }
    const width = bitsOf(span);
    const indexWidth = bitsOf(<u64>(entries - 1));
    const bytes = (entries << 3) + aligned(packedBytes(rows, indexWidth)) + packedBytes(rows, width);
    if (bytes < plainBytes) {
      store<u8>(descriptor, 3);
      store<u8>(descriptor, <u8>width, 1);
      store<u8>(descriptor, <u8>(entries - 1), 2);
      store<u8>(descriptor, <u8>indexWidth, 3);
      const indexStart = at + (entries << 3);
      const dataStart = aligned(indexStart + packedBytes(rows, indexWidth));
      store<u32>(descriptor, indexStart, 16);
      store<u32>(descriptor, dataStart, 20);
      pack(indexes, rows, 0, indexWidth, block + indexStart);
      for (let i: u32 = 0; i < rows; i++) {
        const slot = indexes + ((<usize>i) << 3);
        const head = load<u64>(heads + ((<usize>load<u64>(slot)) << 3));
        store<u64>(slot, load<u64>(values + ((<usize>i) << 3)) - head);
      }
      pack(indexes, rows, 0, width, block + dataStart);
      return aligned(dataStart + packedBytes(rows, width));
    }
  }
  return 0;
}

/** Encodes one column; returns the new end of the data. `scratch` needs 8 KiB + 8 * rows. */
function encodeColumn(
  values: usize,
  rows: u32,
  block: usize,
  column: u32,
  at: u32,
  scratch: usize,
  ranges: usize,
): u32 {
  const range = ranges + ((<usize>column) << 4);
  extremes(values, rows, range);
  const low = load<u64>(range);
  const high = load<u64>(range, 8);
  const descriptor = block + 16 + <usize>(column * DESCRIPTOR);
  memory.fill(descriptor, 0, DESCRIPTOR);
  store<u64>(descriptor, low, 8);
  store<u32>(descriptor, at, 4);
  if (low == high) return at;
  const plainWidth = bitsOf(high - low);
  const plainBytes = packedBytes(rows, plainWidth);
  if (plainWidth > 6 && rows > 16) {
    const end = encodeAsList(values, rows, block, descriptor, at, scratch, plainBytes);
    if (end != 0) return end;
  }
  if (plainWidth > 40) {
    const end = encodeAsHeads(values, rows, block, descriptor, at, scratch, plainBytes);
    if (end != 0) return end;
  }
  store<u8>(descriptor, 1);
  store<u8>(descriptor, <u8>plainWidth, 1);
  pack(values, rows, low, plainWidth, block + at);
  return aligned(at + plainBytes);
}

/**
 * Encodes `rows` rows. `columns` is the address of eight u32 addresses of u64 columns. Returns the
 * length of the block, a multiple of 8. `out` needs 208 + 8 * (rows + 160) * 9 bytes; `scratch` 8 KiB + 8 * rows.
 * Least and greatest value of each column go to `ranges`, 16 bytes a column.
 */
export function encodeBlock(columns: usize, rows: u32, out: usize, scratch: usize, ranges: usize): u32 {
  store<u16>(out, <u16>rows, 4);
  store<u16>(out, VERSION, 6);
  store<u32>(out, 0, 12);
  let at: u32 = HEADER;
  for (let c: u32 = 0; c < COLUMN_COUNT; c++) {
    at = encodeColumn(load<u32>(columns + ((<usize>c) << 2)), rows, out, c, at, scratch, ranges);
  }
  store<u64>(out + at, 0);
  at += 8;
  store<u32>(out, at, 8);
  store<u32>(out, checksum(out + 4, at - 4));
  return at;
}

/** 0 = sound, 1 = wrong checksum, 2 = the header does not fit the length. */
export function checkBlock(block: usize, length: u32): u32 {
  if (length < HEADER + 8) return 2;
  const stated = load<u32>(block, 8);
  if (stated > length || stated < HEADER + 8 || load<u16>(block, 6) != VERSION) return 2;
  return checksum(block + 4, stated - 4) == load<u32>(block) ? 0 : 1;
}

/** One value in place. */
export function valueAt(block: usize, column: u32, row: u32): u64 {
  const descriptor = block + 16 + <usize>(column * DESCRIPTOR);
  const encoding = load<u8>(descriptor);
  const base = load<u64>(descriptor, 8);
  if (encoding == 0) return base;
  const data = block + load<u32>(descriptor, 4);
  if (encoding == 1) return base + unpackAt(data, load<u8>(descriptor, 1), row);
  const index = unpackAt(block + load<u32>(descriptor, 16), load<u8>(descriptor, 3), row);
  const value = load<u64>(data + ((<usize>index) << 3));
  if (encoding == 2) return value;
  return value + unpackAt(block + load<u32>(descriptor, 20), load<u8>(descriptor, 1), row);
}

/** Rows `from..to` of one column to `out`. */
export function decodeColumn(block: usize, column: u32, from: u32, to: u32, out: usize): void {
  const descriptor = block + 16 + <usize>(column * DESCRIPTOR);
  const encoding = load<u8>(descriptor);
  const base = load<u64>(descriptor, 8);
  const end = out + ((<usize>(to - from)) << 3);
  let at = out;
  if (encoding == 0) {
    for (; at < end; at += 8) store<u64>(at, base);
    return;
  }
  const data = block + load<u32>(descriptor, 4);
  if (encoding == 1) {
    const width = <u32>load<u8>(descriptor, 1);
    const mask = maskOf(width);
    let bit = from * width;
    for (; at < end; at += 8) {
      store<u64>(at, base + ((load<u64>(data + (bit >>> 3)) >>> <u64>(bit & 7)) & mask));
      bit += width;
    }
    return;
  }
  const indexWidth = <u32>load<u8>(descriptor, 3);
  const indexMask = maskOf(indexWidth);
  const indexes = block + load<u32>(descriptor, 16);
  let indexBit = from * indexWidth;
  if (encoding == 2) {
    for (; at < end; at += 8) {
      const index = (load<u64>(indexes + (indexBit >>> 3)) >>> <u64>(indexBit & 7)) & indexMask;
      store<u64>(at, load<u64>(data + ((<usize>index) << 3)));
      indexBit += indexWidth;
    }
    return;
  }
  const width = <u32>load<u8>(descriptor, 1);
  const mask = maskOf(width);
  const packed = block + load<u32>(descriptor, 20);
  let bit = from * width;
  for (; at < end; at += 8) {
    const index = (load<u64>(indexes + (indexBit >>> 3)) >>> <u64>(indexBit & 7)) & indexMask;
    const value = (load<u64>(packed + (bit >>> 3)) >>> <u64>(bit & 7)) & mask;
    store<u64>(at, load<u64>(data + ((<usize>index) << 3)) + value);
    indexBit += indexWidth;
    bit += width;
  }
}

/** True when every row of the column has the same value. */
export function isConstant(block: usize, column: u32): bool {
  return load<u8>(block + 16 + <usize>(column * DESCRIPTOR)) == 0;
}

/** Base of a constant column. */
export function constantOf(block: usize, column: u32): u64 {
  return load<u64>(block + 16 + <usize>(column * DESCRIPTOR), 8);
}

/**
 * The first row of `[from, to)` whose columns `c0, c1, ...` (`depth` of them) are not less than the
 * key, in a block that is sorted by them. `columns` packs the column numbers, a byte each; `key` is
 * the address of `depth` u64 values.
 */
export function lowerBound(block: usize, columns: u32, depth: u32, key: usize, from: u32, to: u32): u32 {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    let less = false;
    for (let d: u32 = 0; d < depth; d++) {
      const value = valueAt(block, (columns >>> (d << 3)) & 255, middle);
      const wanted = load<u64>(key + ((<usize>d) << 3));
      if (value != wanted) {
        less = value < wanted;
        break;
      }
    }
    if (less) low = middle + 1;
    else high = middle;
  }
  return low;
}
