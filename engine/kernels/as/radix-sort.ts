/**
 * Radix sorts of 64-bit keys.
 *
 * - `sortKeys`: keys alone. One pass splits by the highest 9 bits, then each part, small enough
 *   for the cache, is sorted by 11-bit digits from the lowest up; digits that do not vary are skipped.
 * - `sortPairs`: keys with a 32-bit companion each, by 11-bit digits from the lowest up, stable.
 *
 * Scratch (`histogram`) needs 16 KiB.
 */

const DIGIT_BITS: u64 = 11;
const DIGITS: u32 = 2048;
const SPLIT_BITS: u32 = 9;

/**
 * One pass of a stable sort of keys, with `paired` of a 32-bit companion each too: by the digit from bit `shift` on, which has
 * `digits` values. The histogram takes 4 bytes for each value, and has where the keys of each end behind the pass.
 */
// @inline
function scatter(
  keys: usize,
  values: usize,
  keys2: usize,
  values2: usize,
  count: u32,
  shift: u64,
  digits: u32,
  histogram: usize,
  paired: bool,
): void {
  memory.fill(histogram, 0, (<usize>digits) << 2);
  for (let i: u32 = 0; i < count; i++) {
    const d = histogram + ((<usize>(load<u64>(keys + ((<usize>i) << 3)) >>> shift) & (digits - 1)) << 2);
    store<u32>(d, load<u32>(d) + 1);
  }
  let at: u32 = 0;
  for (let d: u32 = 0; d < digits; d++) {
    const slot = histogram + ((<usize>d) << 2);
    const n = load<u32>(slot);
    store<u32>(slot, at);
    at += n;
  }
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(keys + ((<usize>i) << 3));
    const d = histogram + ((<usize>(key >>> shift) & (digits - 1)) << 2);
    const to = load<u32>(d);
    store<u32>(d, to + 1);
    store<u64>(keys2 + ((<usize>to) << 3), key);
    if (paired) store<u32>(values2 + ((<usize>to) << 2), load<u32>(values + ((<usize>i) << 2)));
  }
}

/** Sorts `a` by the digits that `varying` names; the result is in `b` when 1 is returned, else in `a`. */
function sortDigits(a: usize, b: usize, count: u32, varying: u64, histogram: usize): u32 {
  let swapped: u32 = 0;
  for (let shift: u64 = 0; shift < 64; shift += DIGIT_BITS) {
    if (((varying >>> shift) & (DIGITS - 1)) == 0) continue;
    scatter(a, 0, b, 0, count, shift, DIGITS, histogram, false);
    const t = a;
    a = b;
    b = t;
    swapped ^= 1;
  }
  return swapped;
}

/** Sorts `count` keys of `width` significant bits in `a`, with `b` of the same size as scratch. */
export function sortKeys(a: usize, b: usize, count: u32, width: u32, histogram: usize): void {
  if (count < 2) return;
  const all: u64 = width >= 64 ? ~(<u64>0) : ((<u64>1) << (<u64>width)) - 1;
  if (count < 65536 || width <= SPLIT_BITS) {
    if (sortDigits(a, b, count, all, histogram)) memory.copy(a, b, (<usize>count) << 3);
    return;
  }
  const shift: u64 = width - SPLIT_BITS;
  const parts: u32 = 1 << SPLIT_BITS;
  const ends = histogram + 8192;
  scatter(a, 0, b, 0, count, shift, parts, ends, false);
  let from: u32 = 0;
  const rest: u64 = ((<u64>1) << shift) - 1;
  for (let d: u32 = 0; d < parts; d++) {
    const to = load<u32>(ends + (d << 2));
    const n = to - from;
    if (n) {
      const source = b + ((<usize>from) << 3);
      const target = a + ((<usize>from) << 3);
      if (!sortDigits(source, target, n, rest, histogram)) memory.copy(target, source, (<usize>n) << 3);
    }
    from = to;
  }
}

/** Bits in which the keys differ. */
export function varyingBits(keys: usize, count: u32): u64 {
  let any: u64 = 0;
  const first = count ? load<u64>(keys) : 0;
  for (let i: u32 = 1; i < count; i++) any |= load<u64>(keys + ((<usize>i) << 3)) ^ first;
  return any;
}

/** A pass over keys with their companions. */
export function sortDigit(
  keys: usize,
  values: usize,
  keys2: usize,
  values2: usize,
  count: u32,
  shift: u64,
  digits: u32,
  histogram: usize,
): void {
  scatter(keys, values, keys2, values2, count, shift, digits, histogram, true);
}

/**
 * Sorts keys with their companions, stable, by the bits from `lowest` up. Returns 1 when the result
 * is in the second pair of arrays, 0 when in the first.
 */
export function sortPairs(
  keys: usize,
  values: usize,
  keys2: usize,
  values2: usize,
  count: u32,
  histogram: usize,
  lowest: u32,
): u32 {
  const varying = varyingBits(keys, count);
  let swapped: u32 = 0;
  for (let shift: u64 = <u64>lowest; shift < 64; shift += DIGIT_BITS) {
    if (((varying >>> shift) & (DIGITS - 1)) == 0) continue;
    sortDigit(keys, values, keys2, values2, count, shift, DIGITS, histogram);
    let t = keys;
    keys = keys2;
    keys2 = t;
    t = values;
    values = values2;
    values2 = t;
    swapped ^= 1;
  }
  return swapped;
}
