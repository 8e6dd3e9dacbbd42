/**
 * Reads some rows of a packed column without decoding the rest: tests in place, and the values of the rows
 * that passed. Row numbers count from row `first` of the block; selections are as in `select-rows.ts`.
 */
import { DESCRIPTOR, maskOf, valueAt } from './block';
import { rowAt } from './row-order';

const OPEN: u64 = ~(<u64>0);
const TX_TO: u32 = 5;
const VALID_TO: u32 = 7;

// @ts-ignore: decorator
@inline
function bitsAt(data: usize, bit: u32): u64 {
  return load<u64>(data + (bit >>> 3)) >>> (<u64>(bit & 7));
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
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(from, i);
    store<u32>(to + ((<usize>kept) << 2), row);
    kept += <u32>(valueAt(block, column, first + row) - low < span);
  }
  return kept;
}

/** Closed after transaction `tx`, or valid until after the instant `at`: the end as `tx` knew it lies after `at`. */
export function selectKnownEnd(block: usize, tx: u64, at: u64, first: u32, from: usize, count: u32, to: usize): u32 {
  let kept: u32 = 0;
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
    let value = load<u64>(data + (<usize>(bitsAt(indexes, row * indexWidth) & indexMask) << 3));
    if (encoding == 3) value += bitsAt(rests, row * width) & mask;
    store<u64>(out + ((<usize>i) << 3), value);
  }
}
