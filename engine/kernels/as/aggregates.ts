/**
 * Aggregates over a batch: `groups` has the group number of each row as u32, and each group has a record
 * at `records`. Rows are taken in from `row` on, in their sequence. What a kernel can't decide
 * by ids alone it leaves to the caller: it then returns the number of that row, and the number of rows at the end.
 */

import {
  doubleOf,
  EXACT_POWER_MAX,
  INTEGER_PREFIX,
  isInRange,
  isOrdered,
  powerOfTen,
  signedOf,
} from './inline-numbers';
import { BIAS } from './layout';
import { idAt } from './row-order';
import { TAG } from './term-codes';

// @inline
function groupAt(groups: usize, row: u32): usize {
  return <usize>load<u32>(groups + ((<usize>row) << 2));
}

/** Counts the rows of each group, those with an id where `ids` is not 0; a record is a double. */
export function countRows(ids: usize, groups: usize, rows: u32, counts: usize): void {
  if (rows == 0) return;
  let group = groupAt(groups, 0);
  // Rows of one group in a row are added at once: each sum waits for the one before.
  let counted: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const next = groupAt(groups, row);
    if (next != group) {
      addCount(counts, group, counted);
      group = next;
      counted = 0;
    }
    counted += <u32>(ids == 0 || idAt(ids, row) != 0);
  }
  addCount(counts, group, counted);
}

// @inline
function addCount(counts: usize, group: usize, rows: u32): void {
  const at = counts + (group << 3);
  store<f64>(at, load<f64>(at) + <f64>rows);
}

/** States of a sum; what comes behind `double` is the caller's, but for errors, which stay errors. */
const SUM_DECIMAL: u32 = 1;
const SUM_DOUBLE: u32 = 2;
const SUM_ERROR: u32 = 4;
/** A record: the sum (digits of an exact one) and the number of rows as doubles, state and scale as bytes. */
const SUM_BYTES: usize = 24;
const SUM_STATE: usize = 16;
const SUM_SCALE: usize = 17;
const SCALE_STEP_MAX: i32 = 15;
const SAFE_MAX: f64 = 9007199254740991;

/** Adds exact numbers while each sum and what is added fit 2^53, and doubles. */
export function sumGroups(ids: usize, groups: usize, row: u32, rows: u32, records: usize): u32 {
  for (; row < rows; row++) {
    const record = records + groupAt(groups, row) * SUM_BYTES;
    const state = <u32>load<u8>(record, SUM_STATE);
    if (state == SUM_ERROR) continue;
    const id = idAt(ids, row);
    const tag = id >>> 56;
    const scale = <i32>(id >>> 48) & 255;
    if (tag == TAG.double || state == SUM_DOUBLE) {
      const number = doubleOf(id);
      if (state > SUM_DOUBLE || isNaN(number) || !addDouble(record, state, number)) return row;
    } else {
      if (state > SUM_DECIMAL) return row;
      const value = signedOf(id);
      if (tag == TAG.integer) {
        if (!isInRange(scale, value) || !addExact(record, <f64>value, 0)) return row;
      } else if (tag != TAG.decimal || !addExact(record, <f64>value, scale)) return row;
      else store<u8>(record, SUM_DECIMAL, SUM_STATE);
    }
    store<f64>(record, load<f64>(record, 8) + 1, 8);
  }
  return rows;
}

function addDouble(record: usize, state: u32, number: f64): bool {
  const sum = load<f64>(record);
  if (state == SUM_DOUBLE) {
    store<f64>(record, sum + number);
    return true;
  }
  const scale = <u32>load<u8>(record, SUM_SCALE);
  if (scale > EXACT_POWER_MAX) return false;
  store<f64>(record, sum / powerOfTen(scale) + number);
  store<u8>(record, SUM_DOUBLE, SUM_STATE);
  return true;
}

/** False, and nothing added, when the sum does not fit. */
function addExact(record: usize, value: f64, scale: i32): bool {
  let amount = value;
  let sum = load<f64>(record);
  const held = <i32>load<u8>(record, SUM_SCALE);
  if (scale != held) {
    if (abs(scale - held) > SCALE_STEP_MAX) return false;
    if (scale > held) sum *= powerOfTen(scale - held);
    else amount *= powerOfTen(held - scale);
    if (abs(sum) > SAFE_MAX || abs(amount) > SAFE_MAX) return false;
  }
  const total = sum + amount;
  if (abs(total) > SAFE_MAX) return false;
  store<f64>(record, total);
  store<u8>(record, <u8>max(scale, held), SUM_SCALE);
  return true;
}

const EXTREME_EMPTY: u32 = 0;
const EXTREME_FOUND: u32 = 1;
const EXTREME_ERROR: u32 = 2;

/** Keeps the least id of each group, or the greatest; one that is unbound is an error. A record is the id and, as u32, its state. */
export function extremeGroups(ids: usize, groups: usize, row: u32, rows: u32, records: usize, greatest: bool): u32 {
  for (; row < rows; row++) {
    const record = records + (groupAt(groups, row) << 4);
    const state = load<u32>(record, 8);
    if (state == EXTREME_ERROR) continue;
    const id = idAt(ids, row);
    if (state == EXTREME_EMPTY || id == 0) {
      store<u64>(record, id);
      store<u32>(record, id == 0 ? EXTREME_ERROR : EXTREME_FOUND, 8);
      continue;
    }
    const best = load<u64>(record);
    if (id == best) continue;
    if (id >>> 48 == best >>> 48 && isOrdered(id >>> 48)) {
      if (greatest ? id > best : id < best) store<u64>(record, id);
      continue;
    }
    const number = doubleOf(id);
    const other = doubleOf(best);
    // What meets as doubles may differ all the same, or tie; NaN is neither less nor greater.
    if (!(number < other) && !(number > other)) return row;
    if (greatest ? number > other : number < other) store<u64>(record, id);
  }
  return rows;
}

/** Keeps the first id of each group that is bound. */
export function sampleGroups(ids: usize, groups: usize, rows: u32, found: usize): void {
  for (let row: u32 = 0; row < rows; row++) {
    const at = found + (groupAt(groups, row) << 3);
    if (load<u64>(at) == 0) store<u64>(at, idAt(ids, row));
  }
}

/** Whole numbers below 2^47 in size, `stride` bytes apart, as ids of xsd:integer. */
export function integerIds(values: usize, stride: u32, rows: u32, out: usize): u32 {
  for (let row: u32 = 0; row < rows; row++) {
    const value = <i64>load<f64>(values + <usize>row * stride);
    if (value >= BIAS || value <= -BIAS) return row;
    store<u64>(out + ((<usize>row) << 3), (INTEGER_PREFIX << 48) | <u64>(value + BIAS));
  }
  return rows;
}
