/**
 * Codes of 8 bits (`vector-codes.ts`) as two planes: the upper four bits of the numbers of a row, and the lower four. The upper
 * ones alone tell a product within a bound that is known, which is enough for all but a few rows, at half of the bytes.
 *
 * A plane has 16 bytes for each 32 numbers: the bits of number `8 k + i` are bits `[4 k, 4 k + 4)` of the i-th word of 16 bits.
 * The upper bits are those of the number plus 128, so that both planes have no signs: a number is `16 (upper - 8) + lower`, and,
 * by the upper bits alone, `16 (upper - 8) + 7.5`, give or take 7.5. The highest bit of each word is turned over, so that its last four
 * bits, read with a sign, are 8 less.
 *
 * No bits are masked when a plane is multiplied. A word shifted by `4 k` to the right has also the bits of what stands above: 16 times
 * the word shifted by `4 k + 4`. So the query that words are multiplied with has, in place of its numbers `q[k]`,
 * `q[k] - 16 q[k - 1]`. Sums go beyond 32 bits on the way and come back, since the last one does not.
 */

import { addCandidate, CANDIDATES, COUNT, hasRoom, REACH } from './vector-candidates';

/** What rounding adds to a slack of about 1, many times over. */
const ROUNDING: f64 = 0.000001;
/** So many rows that lie apart are asked for from memory at once, before any of them is looked at. */
const ASKED_ROWS: u32 = 64;
const LINE_BYTES: usize = 64;
const TURNED: v128 = i16x8.splat(-0x8000);

/** Eight numbers as words of 16 bits, plus 128. */
// @inline
function eightNumbers(code: usize): v128 {
  return v128.xor(v128.load8x8_u(code), i16x8.splat(0x80));
}

/** Writes the planes of rows of codes, and how far what the upper bits say of a vector is off it, as f32. */
export function splitCodes(
  codes: usize,
  rows: u32,
  stride: u32,
  dimension: u32,
  scales: usize,
  residuals: usize,
  upper: usize,
  lower: usize,
  plane: u32,
  slacks: usize,
): void {
  const nothing = i16x8.splat(0x80);
  for (let row: usize = 0; row < <usize>rows; row++) {
    const code = codes + row * <usize>stride;
    const upperRow = upper + row * <usize>plane;
    const lowerRow = lower + row * <usize>plane;
    let squares = i32x4.splat(0);
    for (let at: usize = 0; at < <usize>plane; at += 16) {
      const numbers = code + (at << 1);
      const isWhole = (at << 1) + 32 <= <usize>stride;
      const first = eightNumbers(numbers);
      const second = eightNumbers(numbers + 8);
      const third = isWhole ? eightNumbers(numbers + 16) : nothing;
      const fourth = isWhole ? eightNumbers(numbers + 24) : nothing;
      const uppers = v128.or(
        v128.or(i16x8.shr_u(first, 4), v128.and(second, i16x8.splat(0xf0))),
        v128.or(i16x8.shl(v128.and(third, i16x8.splat(0xf0)), 4), i16x8.shl(v128.and(fourth, i16x8.splat(0xf0)), 8)),
      );
      v128.store(upperRow + at, v128.xor(uppers, TURNED));
      const low0 = v128.and(first, i16x8.splat(15));
      const low1 = v128.and(second, i16x8.splat(15));
      const low2 = v128.and(third, i16x8.splat(15));
      const low3 = v128.and(fourth, i16x8.splat(15));
      const lowers = v128.or(v128.or(low0, i16x8.shl(low1, 4)), v128.or(i16x8.shl(low2, 8), i16x8.shl(low3, 12)));
      v128.store(lowerRow + at, v128.xor(lowers, TURNED));
      squares = i32x4.add(squares, i32x4.add(squaresOf(low0), squaresOf(low1)));
      squares = i32x4.add(squares, i32x4.add(squaresOf(low2), squaresOf(low3)));
    }
    // Numbers behind the last one are 0 in the code, and so is what they are multiplied by.
    const off = sumOf(squares) - 225 * (<i32>(plane << 1) - <i32>dimension);
    const scale = <f64>load<f32>(scales + (row << 2));
    const slack = (scale * sqrt(<f64>off)) / 2 + <f64>load<f32>(residuals + (row << 2)) + ROUNDING;
    store<f32>(slacks + (row << 2), scale == 0 ? 0 : <f32>slack);
  }
}

/** Of twice the distance of lower bits to 7.5. */
// @inline
function squaresOf(lowers: v128): v128 {
  const twice = i16x8.sub(i16x8.shl(lowers, 1), i16x8.splat(15));
  return i32x4.dot_i16x8_s(twice, twice);
}

// @inline
function sumOf(lanes: v128): i32 {
  const two = i32x4.add(lanes, i8x16.shuffle(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  return i32x4.extract_lane(two, 0) + i32x4.extract_lane(two, 1);
}

/** The sum of the products of the words of a plane with those of a query. */
// @inline
function productOf(row: usize, query: usize, plane: u32): i32 {
  let even = i32x4.splat(0);
  let odd = i32x4.splat(0);
  for (let at: usize = 0; at < <usize>plane; at += 16) {
    const numbers = query + (at << 2);
    const bits = v128.load(row + at);
    even = i32x4.add(even, i32x4.dot_i16x8_s(bits, v128.load(numbers)));
    odd = i32x4.add(odd, i32x4.dot_i16x8_s(i16x8.shr_s(bits, 4), v128.load(numbers, 16)));
    even = i32x4.add(even, i32x4.dot_i16x8_s(i16x8.shr_s(bits, 8), v128.load(numbers, 32)));
    odd = i32x4.add(odd, i32x4.dot_i16x8_s(i16x8.shr_s(bits, 12), v128.load(numbers, 48)));
  }
  return sumOf(i32x4.add(even, odd));
}

// @inline
function rowAt(list: usize, at: u32): u32 {
  return list == 0 ? at : load<u32>(list + ((<usize>at) << 2));
}

/** Asks memory for rows of a plane; what it returns has to be kept, so that the reads are. */
// @inline
function askFor(upper: usize, plane: u32, list: usize, from: u32, to: u32): u32 {
  let bytes: u32 = 0;
  for (let at = from; at < to; at++) {
    const row = upper + <usize>rowAt(list, at) * <usize>plane;
    for (let line: usize = 0; line < <usize>plane; line += LINE_BYTES) bytes += load<u8>(row + line);
  }
  return bytes;
}

/** The sums of the lanes of four vectors. */
// @inline
function sumsOf(first: v128, second: v128, third: v128, fourth: v128): v128 {
  const one = i32x4.add(
    i8x16.shuffle(first, second, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
    i8x16.shuffle(first, second, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31),
  );
  const other = i32x4.add(
    i8x16.shuffle(third, fourth, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
    i8x16.shuffle(third, fourth, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31),
  );
  return i32x4.add(
    i8x16.shuffle(one, other, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27),
    i8x16.shuffle(one, other, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31),
  );
}

/** The sums of the products of four rows of a plane with a query: two at a time, since memory is read ahead for few rows at once. */
// @inline
function fourProductsOf(first: usize, second: usize, third: usize, fourth: usize, query: usize, plane: u32): v128 {
  let firstEven = i32x4.splat(0);
  let firstOdd = i32x4.splat(0);
  let secondEven = i32x4.splat(0);
  let secondOdd = i32x4.splat(0);
  for (let at: usize = 0; at < <usize>plane; at += 16) {
    const numbers = query + (at << 2);
    const bits = v128.load(first + at);
    const others = v128.load(second + at);
    const numbers0 = v128.load(numbers);
    firstEven = i32x4.add(firstEven, i32x4.dot_i16x8_s(bits, numbers0));
    secondEven = i32x4.add(secondEven, i32x4.dot_i16x8_s(others, numbers0));
    const numbers1 = v128.load(numbers, 16);
    firstOdd = i32x4.add(firstOdd, i32x4.dot_i16x8_s(i16x8.shr_s(bits, 4), numbers1));
    secondOdd = i32x4.add(secondOdd, i32x4.dot_i16x8_s(i16x8.shr_s(others, 4), numbers1));
    const numbers2 = v128.load(numbers, 32);
    firstEven = i32x4.add(firstEven, i32x4.dot_i16x8_s(i16x8.shr_s(bits, 8), numbers2));
    secondEven = i32x4.add(secondEven, i32x4.dot_i16x8_s(i16x8.shr_s(others, 8), numbers2));
    const numbers3 = v128.load(numbers, 48);
    firstOdd = i32x4.add(firstOdd, i32x4.dot_i16x8_s(i16x8.shr_s(bits, 12), numbers3));
    secondOdd = i32x4.add(secondOdd, i32x4.dot_i16x8_s(i16x8.shr_s(others, 12), numbers3));
  }
  let thirdEven = i32x4.splat(0);
  let thirdOdd = i32x4.splat(0);
  let fourthEven = i32x4.splat(0);
  let fourthOdd = i32x4.splat(0);
  for (let at: usize = 0; at < <usize>plane; at += 16) {
    const numbers = query + (at << 2);
    const bits = v128.load(third + at);
    const others = v128.load(fourth + at);
    const numbers0 = v128.load(numbers);
    thirdEven = i32x4.add(thirdEven, i32x4.dot_i16x8_s(bits, numbers0));
    fourthEven = i32x4.add(fourthEven, i32x4.dot_i16x8_s(others, numbers0));
    const numbers1 = v128.load(numbers, 16);
    thirdOdd = i32x4.add(thirdOdd, i32x4.dot_i16x8_s(i16x8.shr_s(bits, 4), numbers1));
    fourthOdd = i32x4.add(fourthOdd, i32x4.dot_i16x8_s(i16x8.shr_s(others, 4), numbers1));
    const numbers2 = v128.load(numbers, 32);
    thirdEven = i32x4.add(thirdEven, i32x4.dot_i16x8_s(i16x8.shr_s(bits, 8), numbers2));
    fourthEven = i32x4.add(fourthEven, i32x4.dot_i16x8_s(i16x8.shr_s(others, 8), numbers2));
    const numbers3 = v128.load(numbers, 48);
    thirdOdd = i32x4.add(thirdOdd, i32x4.dot_i16x8_s(i16x8.shr_s(bits, 12), numbers3));
    fourthOdd = i32x4.add(fourthOdd, i32x4.dot_i16x8_s(i16x8.shr_s(others, 12), numbers3));
  }
  return sumsOf(
    i32x4.add(firstEven, firstOdd),
    i32x4.add(secondEven, secondOdd),
    i32x4.add(thirdEven, thirdOdd),
    i32x4.add(fourthEven, fourthOdd),
  );
}

/** What sums of products with upper bits say, of rows with some scales. */
// @inline
function estimatesOf(sums: v128, base: i32, middle: f32, scales: v128, queryScale: f32): v128 {
  const products = f32x4.convert_i32x4_s(i32x4.add(sums, i32x4.splat(base)));
  const numbers = f32x4.add(f32x4.mul(f32x4.splat(16), products), f32x4.splat(middle));
  return f32x4.mul(numbers, f32x4.mul(scales, f32x4.splat(queryScale)));
}

/** Of rows that stand side by side; `scales` are those of the first of them. */
function estimateRun(
  upper: usize,
  plane: u32,
  scales: usize,
  rows: u32,
  query: usize,
  base: i32,
  middle: f32,
  queryScale: f32,
  out: usize,
): void {
  const stride = <usize>plane;
  let at: u32 = 0;
  for (; at + 4 <= rows; at += 4) {
    const row = upper + <usize>at * stride;
    const sums = fourProductsOf(row, row + stride, row + 2 * stride, row + 3 * stride, query, plane);
    const four = (<usize>at) << 2;
    v128.store(out + four, estimatesOf(sums, base, middle, v128.load(scales + four), queryScale));
  }
  for (; at < rows; at++) {
    const product = productOf(upper + <usize>at * stride, query, plane) + base;
    const place = (<usize>at) << 2;
    store<f32>(out + place, (<f32>16 * <f32>product + middle) * (load<f32>(scales + place) * queryScale));
  }
}

/**
 * Writes what the upper bits of rows `[from, to)` say of their products with the query, as f32, the first at the beginning of
 * `out`; with a list, of the rows that it names at those places, which lie apart.
 * `querySum` is the sum of the numbers of the query, `queryTurned` 8 times the sum of those whose bits are the highest of a word.
 */
export function estimatePlanes(
  upper: usize,
  plane: u32,
  scales: usize,
  list: usize,
  from: u32,
  to: u32,
  query: usize,
  querySum: i32,
  queryTurned: i32,
  queryScale: f32,
  out: usize,
): u32 {
  const base = queryTurned - 8 * querySum;
  const middle = <f32>7.5 * <f32>querySum;
  if (list == 0) {
    const first = <usize>from;
    estimateRun(
      upper + first * <usize>plane,
      plane,
      scales + (first << 2),
      to - from,
      query,
      base,
      middle,
      queryScale,
      out,
    );
    return 0;
  }
  const stride = <usize>plane;
  let asked: u32 = 0;
  for (let first = from; first < to; first += ASKED_ROWS) {
    const end = min(to, first + ASKED_ROWS);
    asked += askFor(upper, plane, list, first, end);
    let at = first;
    for (; at + 4 <= end; at += 4) {
      const places = list + ((<usize>at) << 2);
      const row0 = <usize>load<u32>(places);
      const row1 = <usize>load<u32>(places, 4);
      const row2 = <usize>load<u32>(places, 8);
      const row3 = <usize>load<u32>(places, 12);
      const sums = fourProductsOf(
        upper + row0 * stride,
        upper + row1 * stride,
        upper + row2 * stride,
        upper + row3 * stride,
        query,
        plane,
      );
      let own = v128.load32_zero(scales + (row0 << 2));
      own = v128.load_lane<f32>(scales + (row1 << 2), own, 1);
      own = v128.load_lane<f32>(scales + (row2 << 2), own, 2);
      own = v128.load_lane<f32>(scales + (row3 << 2), own, 3);
      v128.store(out + ((<usize>(at - from)) << 2), estimatesOf(sums, base, middle, own, queryScale));
    }
    for (; at < end; at++) {
      const row = <usize>rowAt(list, at);
      const product = productOf(upper + row * stride, query, plane) + base;
      const scale = load<f32>(scales + (row << 2)) * queryScale;
      store<f32>(out + ((<usize>(at - from)) << 2), (<f32>16 * <f32>product + middle) * scale);
    }
  }
  return asked;
}

// @inline
function hasBit(bits: usize, at: u32): bool {
  return ((load<u8>(bits + <usize>(at >> 3)) >> <u8>(at & 7)) & 1) != 0;
}

/**
 * Makes candidates of those rows at `[from, to)`, of which there are estimates by their upper bits, that can be among the best.
 * A row whose upper bound by them reaches what it has to is looked at with all its bits. Rows without a bit are passed over: `bits`
 * are those of places, of which the first is `bitsFrom` (`isByPlace`), or of numbers, 0 = all have one. Returns where it stopped: before
 * `to` when there is no room for candidates.
 */
export function keepCandidates(
  estimates: usize,
  slacks: usize,
  upper: usize,
  lower: usize,
  plane: u32,
  scales: usize,
  residuals: usize,
  numbers: usize,
  list: usize,
  bits: usize,
  bitsFrom: u32,
  isByPlace: bool,
  from: u32,
  to: u32,
  query: usize,
  querySum: i32,
  queryTurned: i32,
  queryScale: f32,
  queryLength: f32,
  querySlack: f32,
  state: usize,
): u32 {
  let reach = load<f32>(state, REACH);
  let at = from;
  while (at < to) {
    if (list == 0 && at + 4 <= to) {
      const four = f32x4.mul(v128.load(slacks + ((<usize>at) << 2)), f32x4.splat(queryLength));
      const uppers = f32x4.add(v128.load(estimates + ((<usize>at) << 2)), f32x4.add(four, f32x4.splat(querySlack)));
      if (!v128.any_true(f32x4.ge(uppers, f32x4.splat(reach)))) {
        at += 4;
        continue;
      }
    }
    const row = <usize>rowAt(list, at);
    const place = row << 2;
    const rough = load<f32>(estimates + ((<usize>at) << 2));
    const isNear = rough + load<f32>(slacks + place) * queryLength + querySlack >= reach;
    if (isNear && (bits == 0 || hasBit(bits, isByPlace ? bitsFrom + <u32>row : load<u32>(numbers + place)))) {
      const above = productOf(upper + row * <usize>plane, query, plane) + queryTurned - 8 * querySum;
      const product = 16 * above + productOf(lower + row * <usize>plane, query, plane) + queryTurned;
      const estimate = <f32>product * (load<f32>(scales + place) * queryScale);
      const slack = load<f32>(residuals + place) * queryLength + querySlack;
      if (estimate + slack >= reach) {
        if (!hasRoom(state)) break;
        addCandidate(state, load<u32>(numbers + place), estimate, slack);
        reach = load<f32>(state, REACH);
      }
    }
    at++;
  }
  return at;
}

/** Drops candidates that can't reach the best any more; returns how many are left. */
export function dropCandidates(state: usize): u32 {
  const reach = load<f32>(state, REACH);
  const count = load<u32>(state, COUNT);
  const candidates = <usize>load<u32>(state, CANDIDATES);
  let left: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const candidate = candidates + ((<usize>i) << 4);
    if (load<f32>(candidate, 8) + load<f32>(candidate, 12) < reach) continue;
    v128.store(candidates + ((<usize>left) << 4), v128.load(candidate));
    left++;
  }
  store<u32>(state, left, COUNT);
  return left;
}
