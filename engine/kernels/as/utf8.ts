/**
 * UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. The ASCII
 * check is part of the finders; these functions see only what is not ASCII.
 */

export const NOT_UTF8: u32 = 0xffffffff;

// @inline
function isContinuation(byte: u32): bool {
  return (byte & 0xc0) == 0x80;
}

/**
 * The code point at `p`, whose byte is 0x80 or above, or NOT_UTF8. Reads at most the bytes of a
 * well-formed character, so a sentinel at the input's end is never passed.
 */
export function decodeUtf8(p: usize): u32 {
  const a: u32 = load<u8>(p);
  if (a < 0xc2 || a > 0xf4) return NOT_UTF8;
  const b: u32 = load<u8>(p, 1);
  if (!isContinuation(b)) return NOT_UTF8;
  if (a < 0xe0) return ((a & 0x1f) << 6) | (b & 0x3f);
  const c: u32 = load<u8>(p, 2);
  if (!isContinuation(c)) return NOT_UTF8;
  if (a < 0xf0) {
    const point = ((a & 0x0f) << 12) | ((b & 0x3f) << 6) | (c & 0x3f);
    return point < 0x800 || (point & 0xf800) == 0xd800 ? NOT_UTF8 : point;
  }
  const d: u32 = load<u8>(p, 3);
  if (!isContinuation(d)) return NOT_UTF8;
  const point = ((a & 0x07) << 18) | ((b & 0x3f) << 12) | ((c & 0x3f) << 6) | (d & 0x3f);
  return point < 0x10000 || point > 0x10ffff ? NOT_UTF8 : point;
}

// @inline
export function utf8Length(point: u32): usize {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

// What can be wrong about two bytes in a row, one bit each. A bit is set in all three tables below
// exactly where the pair (first byte's halves, second byte's upper half) is that mistake.
const TOO_SHORT: i8 = 0x01; // a lead byte without its continuation
const TOO_LONG: i8 = 0x02; // a continuation without a lead byte
const OVERLONG_3: i8 = 0x04;
const TOO_LARGE: i8 = 0x08; // above U+10FFFF
const SURROGATE: i8 = 0x10;
const OVERLONG_2: i8 = 0x20;
const OVERLONG_4: i8 = 0x40; // also U+110000 and above with a second byte of 8x
const TWO_CONTINUATIONS: i8 = -0x80; // right only as the end of three or four bytes
const ANY: i8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;
const LARGE: i8 = ANY | TOO_LARGE | OVERLONG_4;
const AFTER_8: i8 = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | OVERLONG_3 | OVERLONG_4;
const AFTER_9: i8 = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | OVERLONG_3 | TOO_LARGE;
const AFTER_A: i8 = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | SURROGATE | TOO_LARGE;

/**
 * Non-zero in every byte of `block` at which the text goes wrong, given the 16 bytes before it. A
 * character that lacks bytes is found at the byte behind it. By table lookup on half bytes: J. Keiser
 * and D. Lemire, "Validating UTF-8 in less than one instruction per byte" (2021).
 */
// @inline
function mistakes(block: v128, before: v128): v128 {
  const nibble = i8x16.splat(0x0f);
  const back1 = i8x16.shuffle(before, block, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  const back2 = i8x16.shuffle(before, block, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
  const back3 = i8x16.shuffle(before, block, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28);
  // biome-ignore format: a table by the half of a byte
  const firstHigh = i8x16(
    TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
    TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS,
    TOO_SHORT | OVERLONG_2, TOO_SHORT, TOO_SHORT | OVERLONG_3 | SURROGATE, TOO_SHORT | TOO_LARGE | OVERLONG_4,
  );
  // biome-ignore format: a table by the half of a byte
  const firstLow = i8x16(
    ANY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4, ANY | OVERLONG_2, ANY, ANY,
    ANY | TOO_LARGE, LARGE, LARGE, LARGE, LARGE, LARGE, LARGE, LARGE,
    LARGE, LARGE | SURROGATE, LARGE, LARGE,
  );
  // biome-ignore format: a table by the half of a byte
  const secondHigh = i8x16(
    TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
    AFTER_8, AFTER_9, AFTER_A, AFTER_A, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
  );
  const pairs = v128.and(
    v128.and(i8x16.swizzle(firstHigh, i8x16.shr_u(back1, 4)), i8x16.swizzle(firstLow, v128.and(back1, nibble))),
    i8x16.swizzle(secondHigh, i8x16.shr_u(block, 4)),
  );
  // The third byte behind E0 and up and the fourth behind F0 and up must be continuations.
  const third = i8x16.sub_sat_u(back2, i8x16.splat(0x60));
  const fourth = i8x16.sub_sat_u(back3, i8x16.splat(0x70));
  return v128.xor(v128.and(v128.or(third, fourth), i8x16.splat(-0x80)), pairs);
}

/** Bits of the bytes of a mask up to and with the lowest bit of `stops`. */
// @inline
function upTo(stops: i32): i32 {
  return stops ^ (stops - 1);
}

/**
 * The first ASCII byte at or after `from`, which is the start of a character, or 0 when a byte before
 * it is not UTF-8.
 */
export function skipNonAscii(from: usize): usize {
  let p = from;
  let before = i64x2.splat(0);
  while (true) {
    const block = v128.load(p);
    const wrong = i8x16.bitmask(i8x16.ne(mistakes(block, before), i64x2.splat(0)));
    const stops = i8x16.bitmask(block) ^ 0xffff;
    if (stops) return wrong & upTo(stops) ? 0 : p + <usize>ctz(stops);
    if (wrong) return 0;
    before = block;
    p += 16;
  }
}

/** The first control, `quote` or backslash at or after `from`; 0 when a byte before it is not UTF-8. */
export function skipText(from: usize, quote: u8): usize {
  let p = from;
  let before = i64x2.splat(0);
  while (true) {
    const block = v128.load(p);
    const wrong = i8x16.bitmask(i8x16.ne(mistakes(block, before), i64x2.splat(0)));
    const marks = v128.or(i8x16.eq(block, i8x16.splat(quote)), i8x16.eq(block, i8x16.splat(0x5c)));
    const stops = i8x16.bitmask(v128.or(i8x16.lt_u(block, i8x16.splat(0x20)), marks));
    if (stops) return wrong & upTo(stops) ? 0 : p + <usize>ctz(stops);
    if (wrong) return 0;
    before = block;
    p += 16;
  }
}

/** The first byte at or after `from` that is not UTF-8; there must be one. */
export function firstInvalid(from: usize): usize {
  let p = from;
  while (true) {
    if (load<u8>(p) < 0x80) {
      p++;
      continue;
    }
    const point = decodeUtf8(p);
    if (point == NOT_UTF8) return p;
    p += utf8Length(point);
  }
}

/** Writes a code point; returns the address behind it. */
export function encodeUtf8(to: usize, point: u32): usize {
  if (point < 0x80) {
    store<u8>(to, <u8>point);
    return to + 1;
  }
  if (point < 0x800) {
    store<u8>(to, <u8>(0xc0 | (point >> 6)));
    store<u8>(to, <u8>(0x80 | (point & 0x3f)), 1);
    return to + 2;
  }
  if (point < 0x10000) {
    store<u8>(to, <u8>(0xe0 | (point >> 12)));
    store<u8>(to, <u8>(0x80 | ((point >> 6) & 0x3f)), 1);
    store<u8>(to, <u8>(0x80 | (point & 0x3f)), 2);
    return to + 3;
  }
  store<u8>(to, <u8>(0xf0 | (point >> 18)));
  store<u8>(to, <u8>(0x80 | ((point >> 12) & 0x3f)), 1);
  store<u8>(to, <u8>(0x80 | ((point >> 6) & 0x3f)), 2);
  store<u8>(to, <u8>(0x80 | (point & 0x3f)), 3);
  return to + 4;
}
