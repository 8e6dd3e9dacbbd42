/**
 * Columns of numbers, and arithmetic on them (`query/expressions/numbers.ts` says what the kinds mean). A column
 * has room for a full batch: the kinds and the scales of its rows, a byte each, then the values as doubles.
 */

import { doubleOf, isInRange, powerOfTen, signedOf } from './inline-numbers';
import { BIAS, makeId } from './layout';
import { TAG, TYPE_CODE } from './term-codes';

export const OTHER: u32 = 0;
export const INTEGER: u32 = 1;
export const DECIMAL: u32 = 2;
export const DOUBLE: u32 = 3;
export const ERROR: u32 = 4;
export const NEAREST: u32 = 5;
export const ROUGH: u32 = 6;

const ROWS: usize = 4096;
const VALUES: usize = 2 * ROWS;
const SCALE_STEP_MAX: u32 = 15;
export const SAFE_MAX: f64 = 9007199254740991;
const ROUGH_ERROR: f64 = 1.0 / 562949953421312.0;
const ROUGH_MIN: f64 = 1e-6;
const ROUGH_MAX: f64 = 1e300;

// @inline
export function kindAt(column: usize, row: u32): u32 {
  return load<u8>(column + row);
}

// @inline
export function scaleAt(column: usize, row: u32): u32 {
  return load<u8>(column + ROWS + row);
}

// @inline
export function valueAt(column: usize, row: u32): f64 {
  return load<f64>(column + VALUES + ((<usize>row) << 3));
}

// @inline
export function put(column: usize, row: u32, kind: u32, scale: u32, value: f64): void {
  store<u8>(column + row, <u8>kind);
  store<u8>(column + ROWS + row, <u8>scale);
  store<f64>(column + VALUES + ((<usize>row) << 3), value);
}

/** One division of exact numbers, so it is rounded once. */
// @inline
function doubleAt(column: usize, row: u32): f64 {
  const value = valueAt(column, row);
  return kindAt(column, row) == DECIMAL ? value / powerOfTen(scaleAt(column, row)) : value;
}

// @inline
function isNumber(kind: u32): bool {
  return kind - INTEGER <= DOUBLE - INTEGER;
}

/** The numbers of ids. Returns how many ids are of terms that the query has made: those are OTHER. */
export function readNumbers(ids: usize, rows: u32, column: usize): u32 {
  let made: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const id = load<u64>(ids + ((<usize>row) << 3));
    const tag = id >>> 56;
    const auxiliary = <u32>(id >>> 48) & 255;
    if (tag == TAG.integer) {
      const value = signedOf(id);
      put(column, row, isInRange(auxiliary, value) ? INTEGER : OTHER, 0, <f64>value);
    } else if (tag == TAG.decimal) {
      put(column, row, auxiliary <= SCALE_STEP_MAX ? DECIMAL : OTHER, auxiliary, <f64>signedOf(id));
    } else if (tag == TAG.double) {
      const value = doubleOf(id);
      put(column, row, isNaN(value) ? OTHER : DOUBLE, 0, value);
    } else {
      put(column, row, id == 0 ? ERROR : OTHER, 0, 0);
      made += <u32>(tag == TAG.local || tag == TAG.typed);
    }
  }
  return made;
}

/** The same number in each row. */
export function fillNumbers(column: usize, rows: u32, kind: u32, scale: u32, value: f64): void {
  for (let row: u32 = 0; row < rows; row++) put(column, row, kind, scale, value);
}

/** In place. */
export function castNumbersToDouble(column: usize, rows: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    const kind = kindAt(column, row);
    const cast = isNumber(kind) || kind == NEAREST ? DOUBLE : kind == ROUGH ? OTHER : kind;
    put(column, row, cast, 0, doubleAt(column, row));
  }
}

/** In place. */
export function negateNumbers(column: usize, rows: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    const kind = kindAt(column, row);
    const value = valueAt(column, row);
    // There is no negative zero among exact numbers.
    put(column, row, kind, scaleAt(column, row), kind == DOUBLE ? -value : 0 - value);
  }
}

const ADD: u32 = 0;
const SUBTRACT: u32 = 1;
const MULTIPLY: u32 = 2;
const DIVIDE: u32 = 3;

// @inline
function onDoubles(operator: u32, a: f64, b: f64): f64 {
  return operator == ADD ? a + b : operator == SUBTRACT ? a - b : operator == MULTIPLY ? a * b : a / b;
}

/** `a = a operator b`, row by row. */
export function combineNumbers(operator: u32, a: usize, b: usize, rows: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    const kindA = kindAt(a, row);
    const kindB = kindAt(b, row);
    if (!isNumber(kindA) || !isNumber(kindB)) combineOthers(operator, a, b, row, kindA, kindB);
    else if (kindA == DOUBLE || kindB == DOUBLE) {
      put(a, row, DOUBLE, 0, onDoubles(operator, doubleAt(a, row), doubleAt(b, row)));
    } else if (operator == MULTIPLY) multiplyAt(a, b, row);
    else if (operator == DIVIDE) divideAt(a, b, row);
    else addAt(a, b, operator == ADD ? 1 : -1, row);
  }
}

/** A double makes a double of every exact number; products and quotients with a nearest double stay near. */
function combineOthers(operator: u32, a: usize, b: usize, row: u32, kindA: u32, kindB: u32): void {
  if (kindA == ERROR || kindB == ERROR) {
    put(a, row, ERROR, 0, 0);
    return;
  }
  let kind = OTHER;
  let value: f64 = 0;
  if ((isNumber(kindA) || kindA == NEAREST) && (isNumber(kindB) || kindB == NEAREST)) {
    const divisor = doubleAt(b, row);
    value = onDoubles(operator, doubleAt(a, row), divisor);
    if (kindA == DOUBLE || kindB == DOUBLE) kind = DOUBLE;
    else if (operator == MULTIPLY || (operator == DIVIDE && divisor != 0)) {
      kind = abs(value) > ROUGH_MIN && abs(value) < ROUGH_MAX ? ROUGH : OTHER;
    }
  }
  put(a, row, kind, 0, value);
}

// @inline
function exactKind(a: usize, b: usize, row: u32): u32 {
  return kindAt(a, row) == INTEGER && kindAt(b, row) == INTEGER ? INTEGER : DECIMAL;
}

// @inline
function addAt(a: usize, b: usize, sign: f64, row: u32): void {
  const scaleA = scaleAt(a, row);
  const scaleB = scaleAt(b, row);
  let valueA = valueAt(a, row);
  let valueB = valueAt(b, row);
  if (scaleA < scaleB) valueA *= powerOfTen(scaleB - scaleA);
  else if (scaleB < scaleA) valueB *= powerOfTen(scaleA - scaleB);
  const sum = valueA + sign * valueB;
  const exact = abs(valueA) <= SAFE_MAX && abs(valueB) <= SAFE_MAX && abs(sum) <= SAFE_MAX;
  put(a, row, exact ? exactKind(a, b, row) : OTHER, max(scaleA, scaleB), sum + 0);
}

// @inline
function multiplyAt(a: usize, b: usize, row: u32): void {
  const product = valueAt(a, row) * valueAt(b, row);
  const scale = scaleAt(a, row) + scaleAt(b, row);
  const exact = abs(product) <= SAFE_MAX && scale <= SCALE_STEP_MAX;
  // Plus zero: there is no negative zero among exact numbers.
  put(a, row, exact ? exactKind(a, b, row) : OTHER, scale, product + 0);
}

/** Exact is only what ends: the division of whole numbers that leaves nothing. All else has more digits than a double. */
// @inline
function divideAt(a: usize, b: usize, row: u32): void {
  const dividend = valueAt(a, row);
  const divisor = valueAt(b, row);
  const scaleA = scaleAt(a, row);
  const scaleB = scaleAt(b, row);
  const quotient = dividend / divisor;
  if (scaleA >= scaleB && abs(quotient) <= SAFE_MAX && trunc(quotient) == quotient && quotient * divisor == dividend) {
    put(a, row, DECIMAL, scaleA - scaleB, quotient + 0);
    return;
  }
  const near = doubleAt(a, row) / doubleAt(b, row);
  const isRough = divisor != 0 && abs(near) > ROUGH_MIN && abs(near) < ROUGH_MAX;
  put(a, row, isRough ? ROUGH : OTHER, 0, isRough ? near : 0);
}

const ANSWER_ERROR: u32 = 2;
const UNDECIDED: u32 = 3;

/**
 * Decides the undecided among the first `rows` bytes at `out`: ERROR where a side is one, else the bit of `answers` for less (0),
 * equal (1) or greater (2). Returns how many stay undecided.
 */
export function compareNumbers(a: usize, b: usize, rows: u32, answers: u32, out: usize): u32 {
  let left: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    if (load<u8>(out + row) != UNDECIDED) continue;
    if (kindAt(a, row) == ERROR || kindAt(b, row) == ERROR) {
      store<u8>(out + row, ANSWER_ERROR);
      continue;
    }
    const order = orderAt(a, b, row);
    if (order < 0) left++;
    else store<u8>(out + row, <u8>((answers >>> order) & 1));
  }
  return left;
}

/** 0 less, 1 equal, 2 greater; -1 where this does not tell. */
function orderAt(a: usize, b: usize, row: u32): i32 {
  const kindA = kindAt(a, row);
  const kindB = kindAt(b, row);
  if (kindA == OTHER || kindB == OTHER) return -1;
  if (kindA >= DOUBLE || kindB >= DOUBLE) {
    const x = doubleAt(a, row);
    const y = doubleAt(b, row);
    if (kindA == ROUGH || kindB == ROUGH) {
      if (!(abs(x - y) > (abs(x) + abs(y)) * ROUGH_ERROR)) return -1;
    } else if (x == y && kindA != DOUBLE && kindB != DOUBLE) return -1;
    return order(x, y);
  }
  const scaleA = scaleAt(a, row);
  const scaleB = scaleAt(b, row);
  let x = valueAt(a, row);
  let y = valueAt(b, row);
  if (scaleA < scaleB) x *= powerOfTen(scaleB - scaleA);
  else if (scaleB < scaleA) y *= powerOfTen(scaleA - scaleB);
  return abs(x) > SAFE_MAX || abs(y) > SAFE_MAX ? -1 : order(x, y);
}

// @inline
function order(x: f64, y: f64): i32 {
  return x < y ? 0 : x == y ? 1 : x > y ? 2 : -1;
}

/**
 * The ids of numbers that are their own ids: integers, and decimals in their shortest form; 0 for an error. Lists the rows
 * of all others at `left` and returns their number.
 */
export function numberIds(column: usize, rows: u32, out: usize, left: usize): u32 {
  let count: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const kind = kindAt(column, row);
    let id: u64 = 0;
    if (kind == INTEGER || kind == DECIMAL) {
      let scale = kind == INTEGER ? 0 : scaleAt(column, row);
      let value = <i64>valueAt(column, row);
      for (; scale > 0 && value % 10 == 0; scale--) value /= 10;
      if (value < BIAS && value > -BIAS) {
        const tag = kind == INTEGER ? TAG.integer : TAG.decimal;
        id = makeId(tag, kind == INTEGER ? TYPE_CODE.integer : scale, <u64>(value + BIAS));
      }
    }
    store<u64>(out + ((<usize>row) << 3), id);
    store<u32>(left + ((<usize>count) << 2), row);
    count += <u32>(id == 0 && kind != ERROR);
  }
  return count;
}
