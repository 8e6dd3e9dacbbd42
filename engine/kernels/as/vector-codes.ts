/**
 * Vectors as codes of 8 bits. A vector of length 1 is about `scale * code`, and `residual` is at least the length of what is
 * missing; so the product of a query with the code is off the cosine by at most the residual, times the length of the query.
 * A code has `stride` bytes, a multiple of 16, with zeros behind its numbers; the query is numbers of 16 bits, as many.
 */

/** What rounding adds to a residual of about 1, many times over. */
const ROUNDING: f64 = 0.000001;
const CODE_MAX: f64 = 127;
// @inline
function sumOfLanes(lanes: v128): i32 {
  const two = i32x4.add(lanes, i8x16.shuffle(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  return i32x4.extract_lane(two, 0) + i32x4.extract_lane(two, 1);
}

/** Of one code and the query. */
// @inline
function productOf(code: usize, query: usize, stride: u32): i32 {
  let even = i32x4.splat(0);
  let odd = i32x4.splat(0);
  for (let at: usize = 0; at < <usize>stride; at += 16) {
    const numbers = query + (at << 1);
    even = i32x4.add(even, i32x4.dot_i16x8_s(v128.load8x8_s(code + at), v128.load(numbers)));
    odd = i32x4.add(odd, i32x4.dot_i16x8_s(v128.load8x8_s(code + at, 8), v128.load(numbers, 16)));
  }
  return sumOfLanes(i32x4.add(even, odd));
}

// @inline
function productOfCodes(one: usize, other: usize, stride: u32): i32 {
  let sum = i32x4.splat(0);
  for (let at: usize = 0; at < <usize>stride; at += 16) {
    const a = v128.load(one + at);
    const b = v128.load(other + at);
    const products = i16x8.add(i16x8.extmul_low_i8x16_s(a, b), i16x8.extmul_high_i8x16_s(a, b));
    sum = i32x4.add(sum, i32x4.extadd_pairwise_i16x8_s(products));
  }
  return sumOfLanes(sum);
}

/**
 * Writes the code of a vector, and to `out` its scale and residual as f32. A vector of zeros has a code of zeros, with scale
 * and residual 0.
 */
export function quantiseVector(vector: usize, dimension: u32, code: usize, stride: u32, out: usize): void {
  let squares: f64 = 0;
  let largest: f32 = 0;
  for (let i: u32 = 0; i < dimension; i++) {
    const number = load<f32>(vector + ((<usize>i) << 2));
    squares += <f64>number * <f64>number;
    largest = max(largest, abs(number));
  }
  memory.fill(code, 0, stride);
  store<f32>(out, 0);
  store<f32>(out, 0, 4);
  if (squares == 0) return;
  const length = sqrt(squares);
  const scale = <f32>(<f64>largest / length / CODE_MAX);
  const factor = CODE_MAX / <f64>largest;
  let missing: f64 = 0;
  for (let i: u32 = 0; i < dimension; i++) {
    const number = <f64>load<f32>(vector + ((<usize>i) << 2));
    const rounded = nearest(number * factor);
    store<i8>(code + <usize>i, <i8>(<i32>rounded));
    const difference = number / length - <f64>scale * rounded;
    missing += difference * difference;
  }
  store<f32>(out, scale);
  store<f32>(out, <f32>(sqrt(missing) + ROUNDING), 4);
}

/** Writes what the codes of some rows say of their products with the query, as f32. */
export function estimateCodes(
  codes: usize,
  rows: u32,
  stride: u32,
  scales: usize,
  query: usize,
  queryScale: f32,
  out: usize,
): void {
  for (let row: usize = 0; row < <usize>rows; row++) {
    const product = <f32>productOf(codes + row * <usize>stride, query, stride);
    store<f32>(out + (row << 2), product * (load<f32>(scales + (row << 2)) * queryScale));
  }
}

/**
 * Writes those of the places `[from, to)` whose numbers have their bit set; returns how many there are. Bits are those of
 * bytes, the lowest first.
 */
export function selectMarked(numbers: usize, from: u32, to: u32, bits: usize, out: usize): u32 {
  let selected: u32 = 0;
  for (let i = from; i < to; i++) {
    const number = load<u32>(numbers + ((<usize>i) << 2));
    store<u32>(out + ((<usize>selected) << 2), i);
    selected += (<u32>load<u8>(bits + <usize>(number >> 3)) >> (number & 7)) & 1;
  }
  return selected;
}

/**
 * Takes the bits of those rows away whose id has a term number without a bit. `idBits` has `idCount` bits; ids are u64, and
 * `bits` has a whole word of 64 bits for the last rows.
 */
export function keepIdsMarked(ids: usize, rows: u32, idBits: usize, idCount: u64, bits: usize): void {
  for (let first: u32 = 0; first < rows; first += 64) {
    const word = bits + <usize>(first >> 3);
    const left = load<u64>(word);
    if (left == 0) continue;
    const count = min<u32>(64, rows - first);
    let kept: u64 = 0;
    for (let bit: u32 = 0; bit < count; bit++) {
      const number = load<u64>(ids + ((<usize>(first + bit)) << 3)) & 0xffffffffffff;
      // No branch: the bits of a few entities can't be foretold. A number without a bit is looked up as the first one.
      const isInside = <u64>(number < idCount);
      const place = number * isInside;
      const marked = (<u64>load<u8>(idBits + <usize>(place >> 3)) >> (place & 7)) & isInside;
      kept |= marked << (<u64>bit);
    }
    store<u64>(word, left & kept);
  }
}

/**
 * Takes the bits of those rows away whose number, f64, is greater than one. There are as many numbers as bits in whole words.
 */
export function keepAtMost(numbers: usize, words: u32, most: f64, bits: usize): void {
  const limit = f64x2.splat(most);
  for (let word: u32 = 0; word < words; word++) {
    const left = load<u64>(bits + ((<usize>word) << 3));
    if (left == 0) continue;
    const first = numbers + ((<usize>word) << 9);
    let kept: u64 = 0;
    for (let bit: u32 = 0; bit < 64; bit += 2) {
      const pair = i64x2.bitmask(f64x2.le(v128.load(first + ((<usize>bit) << 3)), limit));
      kept |= (<u64>pair) << (<u64>bit);
    }
    store<u64>(bits + ((<usize>word) << 3), left & kept);
  }
}

/** Sets the bit of the term number of each dictionary id; numbers from `idCount` on have none. */
export function markIds(ids: usize, count: u32, idBits: usize, idCount: u64): void {
  for (let i: u32 = 0; i < count; i++) {
    const number = load<u64>(ids + ((<usize>i) << 3)) & 0xffffffffffff;
    if (number >= idCount) continue;
    const byte = idBits + <usize>(number >> 3);
    store<u8>(byte, load<u8>(byte) | ((<u8>1) << (<u8>(number & 7))));
  }
}

export function countBits(bits: usize, words: u32): u32 {
  let count: u64 = 0;
  for (let i: u32 = 0; i < words; i++) count += popcnt(load<u64>(bits + ((<usize>i) << 3)));
  return <u32>count;
}

/** Writes of each row the nearest of some centres: the one whose product with it is the greatest, the first of equal ones. */
export function nearestCentres(
  codes: usize,
  rows: u32,
  stride: u32,
  centres: usize,
  centreScales: usize,
  count: u32,
  out: usize,
): void {
  for (let row: u32 = 0; row < rows; row++) {
    const code = codes + <usize>row * <usize>stride;
    let best: f32 = -Infinity;
    let found: u32 = 0;
    for (let centre: u32 = 0; centre < count; centre++) {
      const product = <f32>productOfCodes(code, centres + <usize>centre * <usize>stride, stride);
      const score = product * load<f32>(centreScales + ((<usize>centre) << 2));
      if (score > best) {
        best = score;
        found = centre;
      }
    }
    store<u32>(out + ((<usize>row) << 2), found);
  }
}

/**
 * The same with centres in groups, `groupStarts` where each begins and where the last ends: looks only into the groups whose
 * own centres are nearest to the row, `visited` of them. `scratch` has an f32 for each group.
 */
export function nearestGroupedCentres(
  codes: usize,
  rows: u32,
  stride: u32,
  groups: usize,
  groupScales: usize,
  groupStarts: usize,
  groupCount: u32,
  visited: u32,
  centres: usize,
  centreScales: usize,
  scratch: usize,
  out: usize,
): void {
  for (let row: u32 = 0; row < rows; row++) {
    const code = codes + <usize>row * <usize>stride;
    for (let group: u32 = 0; group < groupCount; group++) {
      const product = <f32>productOfCodes(code, groups + <usize>group * <usize>stride, stride);
      store<f32>(scratch + ((<usize>group) << 2), product * load<f32>(groupScales + ((<usize>group) << 2)));
    }
    let best: f32 = -Infinity;
    let found: u32 = 0;
    for (let visit: u32 = 0; visit < visited; visit++) {
      let next: u32 = 0;
      let nearest: f32 = -Infinity;
      for (let group: u32 = 0; group < groupCount; group++) {
        const score = load<f32>(scratch + ((<usize>group) << 2));
        if (score > nearest) {
          nearest = score;
          next = group;
        }
      }
      if (nearest == -Infinity) break;
      store<f32>(scratch + ((<usize>next) << 2), -Infinity);
      const end = load<u32>(groupStarts + ((<usize>next) << 2), 4);
      for (let centre = load<u32>(groupStarts + ((<usize>next) << 2)); centre < end; centre++) {
        const product = <f32>productOfCodes(code, centres + <usize>centre * <usize>stride, stride);
        const score = product * load<f32>(centreScales + ((<usize>centre) << 2));
        if (score > best) {
          best = score;
          found = centre;
        }
      }
    }
    store<u32>(out + ((<usize>row) << 2), found);
  }
}

/** Writes the product of two vectors, and the square of the length of the first, as f64. */
export function productOfVectors(vector: usize, query: usize, dimension: u32, out: usize): void {
  let product: f64 = 0;
  let squares: f64 = 0;
  for (let i: u32 = 0; i < dimension; i++) {
    const number = <f64>load<f32>(vector + ((<usize>i) << 2));
    product += number * <f64>load<f32>(query + ((<usize>i) << 2));
    squares += number * number;
  }
  store<f64>(out, product);
  store<f64>(out, squares, 8);
}
