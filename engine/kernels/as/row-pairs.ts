/**
 * Pairs of rows in two u32 columns: made of a row's number and the rows of that number, thinned, and gathered
 * into columns of ids. The row `NO_ROW` of the second side stands for no row.
 */

const NO_ROW: u32 = 0xffffffff;

/**
 * Pairs rows with the rows of their numbers (`row-groups.ts`), at most `limit`, and returns how many. `cursor`
 * has the row at hand and how many of its pairs were made. `starts` 0: a number is the row that has it; or, with `all`, there is
 * one number, which `all` rows have. With `outer` a row without a number is paired with `NO_ROW`.
 */
export function pairNumbers(
  numbers: usize,
  rows: u32,
  cursor: usize,
  starts: usize,
  rowsOf: usize,
  all: u32,
  outer: u32,
  limit: u32,
  first: usize,
  second: usize,
): u32 {
  let row = load<u32>(cursor);
  let made = load<u32>(cursor, 4);
  let count: u32 = 0;
  for (; row < rows && count < limit; row++) {
    const number = load<u32>(numbers + ((<usize>row) << 2));
    if (number == NO_ROW || (starts == 0 && all == 0)) {
      store<u32>(first + ((<usize>count) << 2), row);
      store<u32>(second + ((<usize>count) << 2), number);
      count += <u32>(number != NO_ROW || outer != 0);
      continue;
    }
    const start = starts ? load<u32>(starts + ((<usize>number) << 2)) : 0;
    const partners = starts ? load<u32>(starts + ((<usize>number) << 2), 4) - start : all;
    const taken = min(partners - made, limit - count);
    const from = start + made;
    for (let i: u32 = 0; i < taken; i++) {
      store<u32>(first + ((<usize>(count + i)) << 2), row);
      const partner = starts ? load<u32>(rowsOf + ((<usize>(from + i)) << 2)) : from + i;
      store<u32>(second + ((<usize>(count + i)) << 2), partner);
    }
    count += taken;
    made += taken;
    if (made < partners) break;
    made = 0;
  }
  store<u32>(cursor, row);
  store<u32>(cursor, made, 4);
  return count;
}

/** How many pairs `pairNumbers` would make of rows `[from, rows)`. */
export function countPairs(numbers: usize, from: u32, rows: u32, starts: usize, all: u32): f64 {
  let count: u64 = 0;
  for (let row = from; row < rows; row++) {
    const number = load<u32>(numbers + ((<usize>row) << 2));
    if (number == NO_ROW) continue;
    const start = starts + ((<usize>number) << 2);
    count += starts ? <u64>(load<u32>(start, 4) - load<u32>(start)) : all ? <u64>all : 1;
  }
  return <f64>count;
}

/** Lists the rows that have a number (`wanted` 1), or have none (0). */
export function listNumbered(numbers: usize, rows: u32, wanted: u32, out: usize): u32 {
  let count: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    store<u32>(out + ((<usize>count) << 2), row);
    count += <u32>((load<u32>(numbers + ((<usize>row) << 2)) != NO_ROW) == (wanted != 0));
  }
  return count;
}

/**
 * Keeps the pairs whose ids in two columns, at rows of either side, are the same, or, with `loose`, at least
 * one of them is unbound.
 */
export function keepPairs(
  a: usize,
  rowsOfA: usize,
  b: usize,
  rowsOfB: usize,
  loose: u32,
  count: u32,
  first: usize,
  second: usize,
): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const mine = load<u64>(a + ((<usize>load<u32>(rowsOfA + ((<usize>i) << 2))) << 3));
    const theirs = load<u64>(b + ((<usize>load<u32>(rowsOfB + ((<usize>i) << 2))) << 3));
    store<u32>(first + ((<usize>kept) << 2), load<u32>(first + ((<usize>i) << 2)));
    store<u32>(second + ((<usize>kept) << 2), load<u32>(second + ((<usize>i) << 2)));
    kept += <u32>(mine == theirs || (loose != 0 && (mine == 0 || theirs == 0)));
  }
  return kept;
}

/** Sets the byte of each listed row to 1. */
export function markRows(rows: usize, count: u32, marks: usize): void {
  for (let i: u32 = 0; i < count; i++) store<u8>(marks + <usize>load<u32>(rows + ((<usize>i) << 2)), 1);
}

/** Lists rows from the one at `cursor` on whose byte is 0, up to `limit`; the cursor is then behind the last row looked at. */
export function listUnmarked(marks: usize, rows: u32, cursor: usize, limit: u32, out: usize): u32 {
  let row = load<u32>(cursor);
  let count: u32 = 0;
  for (; row < rows && count < limit; row++) {
    store<u32>(out + ((<usize>count) << 2), row);
    count += <u32>(load<u8>(marks + <usize>row) == 0);
  }
  store<u32>(cursor, row);
  return count;
}

/** Whether `rows[i] = i` for all. */
export function isSequence(rows: usize, count: u32): u32 {
  for (let i: u32 = 0; i < count; i++) if (load<u32>(rows + ((<usize>i) << 2)) != i) return 0;
  return 1;
}

/** Copies the ids of the listed rows. */
export function gatherIds(from: usize, rows: usize, count: u32, to: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    store<u64>(to + ((<usize>i) << 3), load<u64>(from + ((<usize>load<u32>(rows + ((<usize>i) << 2))) << 3)));
  }
}

/** The same where `NO_ROW` gives an unbound value. */
export function gatherIdsOrUnbound(from: usize, rows: usize, count: u32, to: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const row = load<u32>(rows + ((<usize>i) << 2));
    store<u64>(to + ((<usize>i) << 3), row == NO_ROW ? 0 : load<u64>(from + ((<usize>row) << 3)));
  }
}

/** Fills unbound values of a gathered column from the other side of the pairs. */
export function completeIds(to: usize, from: usize, rows: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const row = load<u32>(rows + ((<usize>i) << 2));
    const at = to + ((<usize>i) << 3);
    if (load<u64>(at) == 0 && row != NO_ROW) store<u64>(at, load<u64>(from + ((<usize>row) << 3)));
  }
}

/** Writes down where to go on, and tells how many pairs were made. */
// @inline
function leaveAt(cursor: usize, row: u32, made: u32, count: u32): u32 {
  store<u32>(cursor, row);
  store<u32>(cursor, made, 4);
  return count;
}

/** Found rows whose key is the row itself: one pair each. */
function pairAlike(keys: usize, rows: u32, cursor: usize, limit: u32, first: usize, second: usize): u32 {
  const row = load<u32>(cursor);
  const count = min(rows - row, limit);
  memory.copy(first, keys + ((<usize>row) << 2), (<usize>count) << 2);
  for (let i: u32 = 0; i < count; i++) store<u32>(second + ((<usize>i) << 2), row + i);
  return leaveAt(cursor, row + count, 0, count);
}

/**
 * Pairs the rows that a probe found, each of which names its key, with the rows of the key
 * (`key-order.ts`; `starts` 0: key and row are the same). `cursor` is as above, by found row.
 */
export function pairFound(
  keys: usize,
  rows: u32,
  cursor: usize,
  starts: usize,
  order: usize,
  limit: u32,
  first: usize,
  second: usize,
): u32 {
  if (starts == 0) return pairAlike(keys, rows, cursor, limit, first, second);
  let row = load<u32>(cursor);
  let made = load<u32>(cursor, 4);
  let count: u32 = 0;
  for (; row < rows && count < limit; row++) {
    const range = starts + ((<usize>load<u32>(keys + ((<usize>row) << 2))) << 2);
    const start = load<u32>(range) + made;
    const left = load<u32>(range, 4) - start;
    const taken = min(left, limit - count);
    for (let i: u32 = 0; i < taken; i++) {
      store<u32>(first + ((<usize>(count + i)) << 2), load<u32>(order + ((<usize>(start + i)) << 2)));
      store<u32>(second + ((<usize>(count + i)) << 2), row);
    }
    count += taken;
    if (taken < left) {
      made += taken;
      break;
    }
    made = 0;
  }
  return leaveAt(cursor, row, made, count);
}

/** The same where a probe gives how many rows each key has: the rows of the key are repeated as often, one after the other. */
export function repeatFound(
  keys: usize,
  counts: usize,
  rows: u32,
  cursor: usize,
  starts: usize,
  order: usize,
  limit: u32,
  first: usize,
): u32 {
  let row = load<u32>(cursor);
  let made = load<u32>(cursor, 4);
  let count: u32 = 0;
  for (; row < rows && count < limit; row++) {
    const key = load<u32>(keys + ((<usize>row) << 2));
    const start = starts ? load<u32>(starts + ((<usize>key) << 2)) : key;
    const group = starts ? load<u32>(starts + ((<usize>key) << 2), 4) - start : 1;
    const total = <u64>group * <u64>load<u32>(counts + ((<usize>row) << 2));
    const taken = <u32>min<u64>(total - <u64>made, <u64>(limit - count));
    for (let i: u32 = 0; i < taken; i++, count++) {
      const at = start + ((made + i) % group);
      store<u32>(first + ((<usize>count) << 2), starts ? load<u32>(order + ((<usize>at) << 2)) : at);
    }
    made += taken;
    if (<u64>made < total) break;
    made = 0;
  }
  return leaveAt(cursor, row, made, count);
}
