/**
 * Looks many sorted keys up in a packed block, in place, and lists the rows of each.
 *
 * A probe describes the keys: u32 depth, u32 column numbers (a byte each, the first one lowest), u32 how
 * many of the columns in front are constants, u32 zero; then for each column u32 address and u32 stride
 * of its u64 values. The value of key k lies at `address + k * stride`; constants have stride 0. Keys
 * ascend, each once.
 */
import { DESCRIPTOR, maskOf, valueAt } from './block';
import { countDead } from './dead-rows';
import { keyColumn, valueIn } from './row-order';

const PAIRS: u32 = 16;

// @inline
function keyAt(probe: usize, d: u32, k: u32): u64 {
  const pair = probe + PAIRS + ((<usize>d) << 3);
  return load<u64>(<usize>load<u32>(pair) + <usize>k * <usize>load<u32>(pair, 4));
}

/**
 * The first row of `[from, to)` whose value in a column is not less than `value`, or `to`; the rows ascend in
 * it. Gallops, since keys ascend, then bisects. What the column's descriptor says is read once.
 */
function bound(block: usize, column: u32, from: u32, to: u32, value: u64): u32 {
  const descriptor = block + 16 + <usize>(column * DESCRIPTOR);
  const encoding = load<u8>(descriptor);
  const base = load<u64>(descriptor, 8);
  if (encoding == 0) return base >= value ? from : to;
  if (encoding != 1) return boundOfListed(block, column, from, to, value);
  if (value <= base) return from;
  const width = <u32>load<u8>(descriptor, 1);
  const mask = maskOf(width);
  const wanted = value - base;
  if (wanted > mask) return to;
  const data = block + load<u32>(descriptor, 4);
  let low = from;
  let high = from;
  let step: u32 = 1;
  while (high < to && packedAt(data, high * width, mask) < wanted) {
    low = high + 1;
    high += step;
    step <<= 1;
  }
  high = min(high, to);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (packedAt(data, middle * width, mask) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

// @inline
function packedAt(data: usize, bit: u32, mask: u64): u64 {
  return (load<u64>(data + (bit >>> 3)) >>> <u64>(bit & 7)) & mask;
}

/** The same for the other encodings. */
function boundOfListed(block: usize, column: u32, from: u32, to: u32, value: u64): u32 {
  let low = from;
  let high = from;
  let step: u32 = 1;
  while (high < to && valueAt(block, column, high) < value) {
    low = high + 1;
    high += step;
    step <<= 1;
  }
  high = min(high, to);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (valueAt(block, column, middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The end of the range that `findRange` found; its start is 0 rows before it when there is none. */
let rangeEnd: u32 = 0;

/**
 * The first row of `[row, limit)` that is not below key k in the columns `[from, to)` of the probe. The
 * rows of the key are those from there to `rangeEnd`.
 */
function findRange(block: usize, row: u32, limit: u32, probe: usize, k: u32, from: u32, to: u32): u32 {
  const columns = load<u32>(probe, 4);
  let low = row;
  let high = limit;
  for (let d = from; d < to; d++) {
    const column = (columns >>> (d << 3)) & 255;
    const value = keyAt(probe, d, k);
    low = bound(block, column, low, high, value);
    if (low == high) break;
    high = value == ~(<u64>0) ? high : bound(block, column, low, high, value + 1);
    if (low == high) break;
  }
  rangeEnd = high;
  return low;
}

/**
 * Lists the rows of the keys `[key, keyTo)` among the rows of the block from `row` on: row numbers to
 * `outRows`, the numbers of their keys to `outKeys`, u32 each; returns how many. Where to go on goes to
 * `state`: u32 next key, u32 next row. When the next row is the end of the block, the next key may have
 * (further) rows in the next block; when it is not and a key is left, there was no room.
 */
export function probeRows(
  block: usize,
  probe: usize,
  row: u32,
  key: u32,
  keyTo: u32,
  room: u32,
  outRows: usize,
  outKeys: usize,
  state: usize,
): u32 {
  const rows = <u32>load<u16>(block, 4);
  const depth = load<u32>(probe);
  const fixed = load<u32>(probe, 8);
  // Rows with the constants of the probe; those behind them are above every key.
  let at = fixed == 0 ? row : findRange(block, row, rows, probe, 0, 0, fixed);
  const limit = fixed == 0 ? rows : rangeEnd;
  let k = key;
  let count: u32 = 0;
  while (k < keyTo) {
    at = findRange(block, at, limit, probe, k, fixed, depth);
    if (at == limit) break;
    const end = rangeEnd;
    const stop = min(end, at + (room - count));
    for (; at < stop; at++) {
      store<u32>(outRows + ((<usize>count) << 2), at);
      store<u32>(outKeys + ((<usize>count) << 2), k);
      count++;
    }
    if (at < end || at == rows) break;
    k++;
  }
  // Behind the constants there is nothing for any key.
  if (at == limit && limit < rows) k = keyTo;
  store<u32>(state, k);
  store<u32>(state, at, 4);
  return count;
}

/**
 * The same, but counts living rows: entries of key and count follow the `entries` that are there already,
 * and a key that is the last of those is added to. Keys without rows get no entry. Returns the entries.
 */
export function probeCounts(
  block: usize,
  probe: usize,
  row: u32,
  key: u32,
  keyTo: u32,
  dead: usize,
  deadCount: u32,
  entries: u32,
  room: u32,
  outKeys: usize,
  outCounts: usize,
  state: usize,
): u32 {
  const rows = <u32>load<u16>(block, 4);
  const depth = load<u32>(probe);
  const fixed = load<u32>(probe, 8);
  // Rows with the constants of the probe; those behind them are above every key.
  let at = fixed == 0 ? row : findRange(block, row, rows, probe, 0, 0, fixed);
  const limit = fixed == 0 ? rows : rangeEnd;
  let k = key;
  let filled = entries;
  let roomLeft = true;
  while (k < keyTo) {
    at = findRange(block, at, limit, probe, k, fixed, depth);
    if (at == limit) break;
    const end = rangeEnd;
    let living = end - at;
    if (deadCount > 0) living -= countDead(dead, deadCount, end) - countDead(dead, deadCount, at);
    if (living > 0) {
      const last = (<usize>(filled - 1)) << 2;
      if (filled > 0 && load<u32>(outKeys + last) == k) {
        store<u32>(outCounts + last, load<u32>(outCounts + last) + living);
      } else if (filled == room) {
        roomLeft = false;
        break;
      } else {
        store<u32>(outKeys + ((<usize>filled) << 2), k);
        store<u32>(outCounts + ((<usize>filled) << 2), living);
        filled++;
      }
    }
    at = end;
    if (at == rows) break;
    k++;
  }
  if (roomLeft && at == limit && limit < rows) k = keyTo;
  store<u32>(state, k);
  store<u32>(state, at, 4);
  return filled;
}

/** A row of a columns list against key k. */
function compareWithKey(columns: usize, row: u32, probe: usize, k: u32): i32 {
  const depth = load<u32>(probe);
  const packed = <u64>load<u32>(probe, 4);
  for (let d: u32 = 0; d < depth; d++) {
    const x = valueIn(columns, keyColumn(packed, d), row);
    const y = keyAt(probe, d, k);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/**
 * The same for rows of a columns list in the order that a permutation gives: row numbers of the keys
 * `[key, keyTo)` among the places `[at, to)` of the permutation go to `out`; returns how many. Where to go
 * on goes to `state`: u32 next key, u32 next place.
 */
export function probePermutation(
  columns: usize,
  permutation: usize,
  at: u32,
  to: u32,
  probe: usize,
  key: u32,
  keyTo: u32,
  room: u32,
  out: usize,
  state: usize,
): u32 {
  let place = at;
  let k = key;
  let count: u32 = 0;
  while (k < keyTo && count < room) {
    let low = place;
    let high = place;
    let step: u32 = 1;
    while (high < to && compareWithKey(columns, load<u32>(permutation + ((<usize>high) << 2)), probe, k) < 0) {
      low = high + 1;
      high += step;
      step <<= 1;
    }
    high = min(high, to);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareWithKey(columns, load<u32>(permutation + ((<usize>middle) << 2)), probe, k) < 0) low = middle + 1;
      else high = middle;
    }
    place = low;
    if (place == to) {
      k = keyTo;
      break;
    }
    while (place < to && count < room) {
      const row = load<u32>(permutation + ((<usize>place) << 2));
      if (compareWithKey(columns, row, probe, k) != 0) break;
      store<u32>(out + ((<usize>count) << 2), row);
      count++;
      place++;
    }
    if (count < room) k++;
  }
  store<u32>(state, k);
  store<u32>(state, place, 4);
  return count;
}

/** Drops dead rows (an ascending u16 list) from `count` ascending rows and their keys; returns how many stay. */
export function dropDeadRows(dead: usize, deadCount: u32, rows: usize, keys: usize, count: u32): u32 {
  if (count == 0) return 0;
  let next = countDead(dead, deadCount, load<u32>(rows));
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = load<u32>(rows + ((<usize>i) << 2));
    while (next < deadCount && <u32>load<u16>(dead + ((<usize>next) << 1)) < row) next++;
    if (next < deadCount && <u32>load<u16>(dead + ((<usize>next) << 1)) == row) continue;
    store<u32>(rows + ((<usize>kept) << 2), row);
    store<u32>(keys + ((<usize>kept) << 2), load<u32>(keys + ((<usize>i) << 2)));
    kept++;
  }
  return kept;
}

/** Leaves in `keys`, which stand beside ascending `rows`, those of the rows that `kept` lists. */
export function keepKeys(rows: usize, keys: usize, kept: usize, count: u32): void {
  let from: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = load<u32>(kept + ((<usize>i) << 2));
    while (load<u32>(rows + ((<usize>from) << 2)) != row) from++;
    store<u32>(keys + ((<usize>i) << 2), load<u32>(keys + ((<usize>from) << 2)));
  }
}

/**
 * The numbers of the keys of decoded rows, u32 to `out`: rows of a columns list, ascending, of which each
 * has the key of one of the keys from `key` on. Returns the key of the last row.
 */
export function numberRows(columns: usize, rows: u32, probe: usize, key: u32, out: usize): u32 {
  const depth = load<u32>(probe);
  const packed = <u64>load<u32>(probe, 4);
  let k = key;
  for (let row: u32 = 0; row < rows; row++) {
    for (let d: u32 = 0; d < depth; ) {
      if (valueIn(columns, keyColumn(packed, d), row) == keyAt(probe, d, k)) d++;
      else {
        k++;
        d = 0;
      }
    }
    store<u32>(out + ((<usize>row) << 2), k);
  }
  return k;
}
