/**
 * UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. The ASCII
 * check is part of the finders; these functions see only what is not ASCII.
 */

export const NOT_UTF8: u32 = 0xffffffff;

// @ts-ignore: decorator
@inline
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

// @ts-ignore: decorator
@inline
export function utf8Length(point: u32): usize {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/** The first ASCII byte at or after `p`, or 0 when a byte before it is not UTF-8. */
export function skipNonAscii(from: usize): usize {
  let p = from;
  while (load<u8>(p) >= 0x80) {
    const point = decodeUtf8(p);
    if (point == NOT_UTF8) return 0;
    p += utf8Length(point);
  }
  return p;
}

/** The place at which `skipNonAscii(from)` gave up. */
export function firstInvalid(from: usize): usize {
  let p = from;
  while (load<u8>(p) >= 0x80) {
    const point = decodeUtf8(p);
    if (point == NOT_UTF8) return p;
    p += utf8Length(point);
  }
  return p;
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
