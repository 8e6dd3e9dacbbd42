/**
 * Sorted batches of rows against each other. A batch is a columns list, see `row-order.ts`.
 *
 * `mergeRowsOf` works in two passes over at most CHUNK rows, so that no row is copied by a loop over
 * columns: the first decides from which input each row of the output comes, the second copies column by
 * column. The decisions lie in the last wanted column of the output until it is copied itself. An input
 * that gives STREAK rows in a row has the end of its stretch looked up and the stretch copied at once.
 */

import { widenRange } from './row-groups';
import { column, compareFrom, compareRows, firstNotBefore, keyColumn, valueIn } from './row-order';

/** Rows per pass: their decisions and values stay in the nearest cache. */
const CHUNK: u32 = 512;
/** Rows of one input in sequence after which a search for the end of the stretch pays. */
const STREAK: u32 = 8;
/** Shorter copies are made by a loop, which costs less than a call. */
const CALL_FROM: u32 = 256;

/** Bytes of whole u64 values. */
function copyValues(to: usize, from: usize, bytes: usize): void {
  if (bytes >= CALL_FROM) {
    memory.copy(to, from, bytes);
    return;
  }
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16) v128.store(to + i, v128.load(from + i));
  if (i < bytes) store<u64>(to + i, load<u64>(from + i));
}

/** Rows `[from, from + count)` of the wanted columns to row `at` of out on. */
function copyStretch(columns: usize, from: u32, count: u32, wanted: u32, out: usize, at: u32): void {
  for (let rest = wanted; rest != 0; rest &= rest - 1) {
    const c = <u32>ctz(rest);
    const source = column(columns, c) + ((<usize>from) << 3);
    copyValues(column(out, c) + ((<usize>at) << 3), source, (<usize>count) << 3);
  }
}

/** How many leading key columns have one value in all rows of both ranges, neither of them empty. */
function sharedDepth(a: usize, fromA: u32, toA: u32, b: usize, fromB: u32, toB: u32, order: u64, depth: u32): u32 {
  let d: u32 = 0;
  for (; d < depth; d++) {
    const c = keyColumn(order, d);
    const value = valueIn(a, c, fromA);
    if (valueIn(a, c, toA - 1) != value) break;
    if (valueIn(b, c, fromB) != value || valueIn(b, c, toB - 1) != value) break;
  }
  return d;
}

/** Copies `count` decided rows to row `at` of out on; `decisions` lie where the last wanted column goes. */
function copyDecided(a: usize, b: usize, decisions: usize, count: u32, wanted: u32, out: usize, at: u32): void {
  for (let rest = wanted; rest != 0; rest &= rest - 1) {
    const c = <u32>ctz(rest);
    const ofA = column(a, c);
    const ofB = column(b, c);
    const target = column(out, c) + ((<usize>at) << 3);
    for (let i: usize = 0; i < (<usize>count) << 3; i += 8) {
      const decision = load<u64>(decisions + i);
      const source = select<usize>(ofB, ofA, (decision & 1) != 0) + <usize>(decision >>> 1);
      store<u64>(target + i, load<u64>(source));
    }
  }
}

/**
 * Decides at most `most` rows from the positions on, and moves the positions. Stops early when an input is
 * used up or has given STREAK rows in sequence. A decision is twice the byte offset of the row, plus 1
 * when the row is b's; they are not written when `decisions` is 0. Returns how many.
 */
function decide(
  a: usize,
  toA: u32,
  b: usize,
  toB: u32,
  order: u64,
  depth: u32,
  decisions: usize,
  most: u32,
  positions: usize,
): u32 {
  const firstOfA = column(a, keyColumn(order, 0));
  const firstOfB = column(b, keyColumn(order, 0));
  let i = load<u32>(positions);
  let j = load<u32>(positions, 4);
  let count: u32 = 0;
  let streak: u32 = 0;
  let before: u32 = 2;
  while (count < most && streak < STREAK && i < toA && j < toB) {
    const x = load<u64>(firstOfA + ((<usize>i) << 3));
    const y = load<u64>(firstOfB + ((<usize>j) << 3));
    const takesB: u32 = x != y ? <u32>(y < x) : <u32>(compareFrom(a, i, b, j, order, 1, depth) > 0);
    if (decisions) {
      const row = select<u32>(j, i, takesB != 0);
      store<u64>(decisions + ((<usize>count) << 3), ((<u64>row) << 4) | <u64>takesB);
    }
    streak = select<u32>(streak + 1, 1, takesB == before);
    before = takesB;
    i += 1 - takesB;
    j += takesB;
    count++;
  }
  store<u32>(positions, i);
  store<u32>(positions, j, 4);
  return count;
}

/** Copies the stretch of the input whose row comes next, at most `room` rows; moves the positions. */
function takeStretch(
  a: usize,
  toA: u32,
  b: usize,
  toB: u32,
  order: u64,
  depth: u32,
  wanted: u32,
  out: usize,
  at: u32,
  room: u32,
  positions: usize,
): u32 {
  const i = load<u32>(positions);
  const j = load<u32>(positions, 4);
  // Equal rows of a come first.
  let end = firstNotBefore(a, 0, i, i + min(toA - i, room), b, j, order, depth, 1);
  if (end != i) {
    copyStretch(a, i, end - i, wanted, out, at);
    store<u32>(positions, end);
    return end - i;
  }
  end = firstNotBefore(b, 0, j, j + min(toB - j, room), a, i, order, depth, 0);
  copyStretch(b, j, end - j, wanted, out, at);
  store<u32>(positions, end, 4);
  return end - j;
}

/**
 * Merges rows `[fromA, toA)` of a and `[fromB, toB)` of b into the columns of `out` that have their bit in
 * `wanted`, at most `room` rows, until one input is used up or `out` is full; a comes first among equals.
 * The key columns must be there in a and b, wanted or not. The positions reached are written to
 * `positions`: u32 a, u32 b. Returns the number of rows merged.
 */
export function mergeRowsOf(
  a: usize,
  fromA: u32,
  toA: u32,
  b: usize,
  fromB: u32,
  toB: u32,
  order: u64,
  depth: u32,
  wanted: u32,
  out: usize,
  room: u32,
  positions: usize,
): u32 {
  store<u32>(positions, fromA);
  store<u32>(positions, fromB, 4);
  if (fromA >= toA || fromB >= toB) return 0;
  const shared = sharedDepth(a, fromA, toA, b, fromB, toB, order, depth);
  if (shared == depth) return takeStretch(a, toA, b, toB, 0, 0, wanted, out, 0, room, positions);
  const key = order >>> <u64>(shared << 3);
  const keyDepth = depth - shared;
  const lastWanted: usize = wanted ? column(out, 31 - <u32>clz(wanted)) : 0;
  let merged: u32 = 0;
  while (merged < room) {
    const decisions = wanted ? lastWanted + ((<usize>merged) << 3) : 0;
    const most = min(CHUNK, room - merged);
    const count = decide(a, toA, b, toB, key, keyDepth, decisions, most, positions);
    copyDecided(a, b, decisions, count, wanted, out, merged);
    merged += count;
    if (load<u32>(positions) == toA || load<u32>(positions, 4) == toB) break;
    if (count == most) continue;
    merged += takeStretch(a, toA, b, toB, key, keyDepth, wanted, out, merged, room - merged, positions);
    if (load<u32>(positions) == toA || load<u32>(positions, 4) == toB) break;
  }
  return merged;
}

/**
 * Marks (one byte each) the rows of a that occur in b, both sorted by the key, comparing the key
 * only. Stops when either is used up; the positions reached go to `positions`.
 */
export function markPresent(
  a: usize,
  fromA: u32,
  toA: u32,
  b: usize,
  fromB: u32,
  toB: u32,
  order: u64,
  depth: u32,
  marks: usize,
  positions: usize,
): void {
  let i = fromA;
  let j = fromB;
  while (i < toA && j < toB) {
    const c = compareRows(a, i, b, j, order, depth);
    if (c < 0) i++;
    else if (c > 0) j++;
    else {
      store<u8>(marks + i, 1);
      i++;
    }
  }
  store<u32>(positions, i);
  store<u32>(positions, j, 4);
}

/** 0 when rows `[0, rows)` ascend strictly by the key, else the first row that does not, from 1. */
export function firstDisorder(columns: usize, rows: u32, order: u64, depth: u32): u32 {
  for (let i: u32 = 1; i < rows; i++) {
    if (compareRows(columns, i - 1, columns, i, order, depth) >= 0) return i;
  }
  return 0;
}

/** Least and greatest of a u64 column, to two u64 at `out`. */
export function extremes(values: usize, rows: u32, out: usize): void {
  store<u64>(out, ~(<u64>0));
  store<u64>(out, 0, 8);
  widenRange(values, 0, rows, out);
}
