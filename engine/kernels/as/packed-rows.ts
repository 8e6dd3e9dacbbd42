/**
 * Reads some rows of a packed column without decoding the rest: tests in place, and the values of the rows
 * that passed. Row numbers count from row `first` of the block; selections are as in `select-rows.ts`.
 */
import { DESCRIPTOR, maskOf, valueAt } from './block';
import { rowAt } from './row-order';

const OPEN: u64 = ~(<u64>0);
const TX_TO: u32 = 5;
const VALID_TO: u32 = 7;

// @inline
function bitsAt(data: usize, bit: u32): u64 {
  return load<u64>(data + (bit >>> 3)) >>> <u64>(bit & 7);
}

/** low <= value < high, unsigned. */
export function selectPacked(
  block: usize,
  column: u32,
  low: u64,
  high: u64,
  first: u32,
  from: usize,
  count: u32,
  to: usize,
): u32 {
  const descriptor = block + 16 + <usize>(column * DESCRIPTOR);
  const span = high > low ? high - low : 0;
  let kept: u32 = 0;
  if (load<u8>(descriptor) == 1) {
    // (base + packed) - low < span: one comparison, whatever wraps.
    const base = load<u64>(descriptor, 8) - low;
    const data = block + load<u32>(descriptor, 4);
    const width = <u32>load<u8>(descriptor, 1);
    const mask = maskOf(width);
    if (!from) {
      let bit = first * width;
      for (let i: u32 = 0; i < count; i++) {
        store<u32>(to + ((<usize>kept) << 2), i);
        kept += <u32>(base + (bitsAt(data, bit) & mask) < span);
        bit += width;
      }
      return kept;
    }
    for (let i: u32 = 0; i < count; i++) {
      const row = load<u32>(from + ((<usize>i) << 2));
      store<u32>(to + ((<usize>kept) << 2), row);
      kept += <u32>(base + (bitsAt(data, (first + row) * width) & mask) < span);
    }
    return kept;
  }
  if (load<u8>(descriptor) == 2) return selectListed(block, descriptor, low, span, first, from, count, to);
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(from, i);
    store<u32>(to + ((<usize>kept) << 2), row);
    kept += <u32>(valueAt(block, column, first + row) - low < span);
  }
  return kept;
}

/** Of a list's entries `[from, from + 64)` a bit each: low <= value < low + span. */
function passingEntries(block: usize, descriptor: usize, low: u64, span: u64, from: u32): u64 {
  const values = block + load<u32>(descriptor, 4);
  const to = min(<u32>load<u8>(descriptor, 2) + 1, from + 64);
  let bits: u64 = 0;
  for (let e = from; e < to; e++) {
    bits |= (<u64>(load<u64>(values + ((<usize>e) << 3)) - low < span)) << (<u64>(e - from));
  }
  return bits;
}

// @inline
function bitOf(near: u64, far: u64, entry: u64): u64 {
  return (select<u64>(far, near, entry >= 64) >>> (entry & 63)) & 1;
}

/** The same for a list of at most 128 values: each of them is tested once, a row by the bit of its entry. */
function selectListed(
  block: usize,
  descriptor: usize,
  low: u64,
  span: u64,
  first: u32,
  from: usize,
  count: u32,
  to: usize,
): u32 {
  const near = passingEntries(block, descriptor, low, span, 0);
  const far = passingEntries(block, descriptor, low, span, 64);
  const indexes = block + load<u32>(descriptor, 16);
  const width = <u32>load<u8>(descriptor, 3);
  const mask = maskOf(width);
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(from, i);
    const entry = bitsAt(indexes, (first + row) * width) & mask;
    store<u32>(to + ((<usize>kept) << 2), row);
    kept += <u32>bitOf(near, far, entry);
  }
  return kept;
}

/**
 * Closed after transaction `tx`, or valid until after the instant `at`: the end as `tx` knew it lies after `at`. Ends
 * of a stretch of history are mostly two lists, of which only the entries are compared.
 */
export function selectKnownEnd(block: usize, tx: u64, at: u64, first: u32, from: usize, count: u32, to: usize): u32 {
  const closes = block + 16 + <usize>(TX_TO * DESCRIPTOR);
  const ends = block + 16 + <usize>(VALID_TO * DESCRIPTOR);
  let kept: u32 = 0;
  if (load<u8>(closes) == 2 && load<u8>(ends) == 2) {
    // tx < value < OPEN, and at < value.
    const closeSpan = tx == OPEN ? 0 : OPEN - tx - 1;
    const endSpan = OPEN - at;
    const nearClose = passingEntries(block, closes, tx + 1, closeSpan, 0);
    const farClose = passingEntries(block, closes, tx + 1, closeSpan, 64);
    const nearEnd = passingEntries(block, ends, at + 1, endSpan, 0);
    const farEnd = passingEntries(block, ends, at + 1, endSpan, 64);
    const closeIndexes = block + load<u32>(closes, 16);
    const endIndexes = block + load<u32>(ends, 16);
    const closeWidth = <u32>load<u8>(closes, 3);
    const endWidth = <u32>load<u8>(ends, 3);
    const closeMask = maskOf(closeWidth);
    const endMask = maskOf(endWidth);
    for (let i: u32 = 0; i < count; i++) {
      const row = rowAt(from, i);
      const close = bitsAt(closeIndexes, (first + row) * closeWidth) & closeMask;
      const end = bitsAt(endIndexes, (first + row) * endWidth) & endMask;
      store<u32>(to + ((<usize>kept) << 2), row);
      kept += <u32>(bitOf(nearClose, farClose, close) | bitOf(nearEnd, farEnd, end));
    }
    return kept;
  }
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(from, i);
    const closed = valueAt(block, TX_TO, first + row);
    store<u32>(to + ((<usize>kept) << 2), row);
    if ((closed != OPEN && closed > tx) || valueAt(block, VALID_TO, first + row) > at) kept++;
  }
  return kept;
}

/** The values of selected rows, densely. */
export function decodeRows(block: usize, column: u32, first: u32, selection: usize, count: u32, out: usize): void {
  const descriptor = block + 16 + <usize>(column * DESCRIPTOR);
  const encoding = load<u8>(descriptor);
  const base = load<u64>(descriptor, 8);
  const data = block + load<u32>(descriptor, 4);
  const width = <u32>load<u8>(descriptor, 1);
  const mask = maskOf(width);
  const indexes = block + load<u32>(descriptor, 16);
  const indexWidth = <u32>load<u8>(descriptor, 3);
  const indexMask = maskOf(indexWidth);
  if (encoding == 0) {
    for (let i: u32 = 0; i < count; i++) store<u64>(out + ((<usize>i) << 3), base);
    return;
  }
  if (encoding == 1) {
    for (let i: u32 = 0; i < count; i++) {
      const row = first + load<u32>(selection + ((<usize>i) << 2));
      store<u64>(out + ((<usize>i) << 3), base + (bitsAt(data, row * width) & mask));
    }
    return;
  }
  const rests = block + load<u32>(descriptor, 20);
  for (let i: u32 = 0; i < count; i++) {
    const row = first + load<u32>(selection + ((<usize>i) << 2));
    let value = load<u64>(data + ((<usize>(bitsAt(indexes, row * indexWidth) & indexMask)) << 3));
    if (encoding == 3) value += bitsAt(rests, row * width) & mask;
    store<u64>(out + ((<usize>i) << 3), value);
  }
}
