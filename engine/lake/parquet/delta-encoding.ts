/**
 * Parquet's DELTA_BINARY_PACKED of 64-bit integers, from columns of halves (low first): blocks of 128
 * differences over the least of them, in four parts of 32 that have a width each.
 *
 * Differences are doubles where they are exact, which they are among ids of one tag; a block in which one is not
 * is made with BigInt.
 */

import type { ByteSink } from './byte-sink.js';

const BLOCK = 128;
const PARTS = 4;
const PART = BLOCK / PARTS;
const TWO_32 = 2 ** 32;
/** Differences of high halves below this give whole differences below 2^51. */
const EXACT_HIGH = 2 ** 19;

const differences = new Float64Array(BLOCK);
const wide = new BigInt64Array(BLOCK);
const low = new Uint32Array(BLOCK);
const high = new Uint32Array(BLOCK);

/** The rows of the column, or those of `places`. */
export function appendDelta(sink: ByteSink, halves: Uint32Array, rows: number): void {
  sink.varint(BLOCK);
  sink.varint(PARTS);
  sink.varint(rows);
  sink.zigzag(rows === 0 ? 0n : idAt(halves, 0));
  for (let from = 1; from < rows; from += BLOCK) appendBlock(sink, halves, from, Math.min(BLOCK, rows - from));
}

function idAt(halves: Uint32Array, row: number): bigint {
  return BigInt.asIntN(64, (BigInt(halves[2 * row + 1] as number) << 32n) | BigInt(halves[2 * row] as number));
}

function appendBlock(sink: ByteSink, halves: Uint32Array, from: number, count: number): void {
  let least = Number.POSITIVE_INFINITY;
  let lastLow = halves[2 * from - 2] as number;
  let lastHigh = halves[2 * from - 1] as number;
  for (let i = 0; i < count; i++) {
    const ownLow = halves[2 * (from + i)] as number;
    const ownHigh = halves[2 * (from + i) + 1] as number;
    const step = ownHigh - lastHigh;
    if (step >= EXACT_HIGH || step <= -EXACT_HIGH) {
      appendWideBlock(sink, halves, from, count);
      return;
    }
    const difference = step * TWO_32 + (ownLow - lastLow);
    differences[i] = difference;
    if (difference < least) least = difference;
    lastLow = ownLow;
    lastHigh = ownHigh;
  }
  sink.zigzag(BigInt(least));
  for (let i = 0; i < count; i++) {
    const over = (differences[i] as number) - least;
    const upper = Math.floor(over / TWO_32);
    high[i] = upper;
    low[i] = over - upper * TWO_32;
  }
  appendParts(sink, count);
}

function appendWideBlock(sink: ByteSink, halves: Uint32Array, from: number, count: number): void {
  let last = idAt(halves, from - 1);
  let least = (1n << 63n) - 1n;
  for (let i = 0; i < count; i++) {
    const own = idAt(halves, from + i);
    const difference = BigInt.asIntN(64, own - last);
    wide[i] = difference;
    if (difference < least) least = difference;
    last = own;
  }
  sink.zigzag(least);
  for (let i = 0; i < count; i++) {
    const over = BigInt.asUintN(64, (wide[i] as bigint) - least);
    low[i] = Number(over & 0xffffffffn);
    high[i] = Number(over >> 32n);
  }
  appendParts(sink, count);
}

function appendParts(sink: ByteSink, count: number): void {
  low.fill(0, count);
  high.fill(0, count);
  sink.reserve(PARTS + BLOCK * 8);
  const widths = sink.length;
  sink.length += PARTS;
  for (let part = 0; part < PARTS; part++) {
    const at = part * PART;
    let [lows, highs] = [0, 0];
    for (let i = at; i < at + PART; i++) {
      lows |= low[i] as number;
      highs |= high[i] as number;
    }
    const width = highs !== 0 ? 64 - Math.clz32(highs) : 32 - Math.clz32(lows);
    // Parts behind the last value have no bytes.
    sink.bytes[widths + part] = at < count ? width : 0;
    if (at < count && width > 0) packPart(sink, at, width);
  }
}

/** Packs the 32 values from `at`, the lowest bits first; the result is a whole number of 32-bit words. */
function packPart(sink: ByteSink, at: number, width: number): void {
  const { bytes } = sink;
  let to = sink.length;
  let [word, filled] = [0, 0];
  const upperWidth = width - 32;
  for (let i = at; i < at + PART; i++) {
    for (let half = 0; half < (upperWidth > 0 ? 2 : 1); half++) {
      const value = (half === 0 ? low[i] : high[i]) as number;
      const bits = half === 1 ? upperWidth : Math.min(width, 32);
      word |= filled === 32 ? 0 : value << filled;
      if (filled + bits < 32) {
        filled += bits;
        continue;
      }
      bytes[to] = word;
      bytes[to + 1] = word >>> 8;
      bytes[to + 2] = word >>> 16;
      bytes[to + 3] = word >>> 24;
      to += 4;
      const used = 32 - filled;
      word = used === 32 ? 0 : value >>> used;
      filled = bits - used;
    }
  }
  sink.length = to;
}
