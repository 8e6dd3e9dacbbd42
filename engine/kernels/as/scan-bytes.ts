/**
 * Finders of the next byte that needs attention, 16 bytes at a time. None of them looks for the end
 * of the input: the tokenisers put a sentinel there (line feed or NUL) at which every finder stops.
 * They read up to 15 bytes past it. Stop sets are supersets of what matters, chosen to be cheap to
 * compute; the caller looks at the byte and goes on when it is harmless.
 */

/** Stops at controls, non-ASCII bytes, quote and backslash. */
// @inline
export function findStringStop(from: usize, quote: u8): usize {
  let p = from;
  while (true) {
    const x = v128.load(p);
    // Signed order puts bytes from 0x80 below zero, so one comparison finds them and the controls.
    const special = v128.or(
      i8x16.lt_s(x, i8x16.splat(0x20)),
      v128.or(i8x16.eq(x, i8x16.splat(quote)), i8x16.eq(x, i8x16.splat(0x5c))),
    );
    const mask = i8x16.bitmask(special);
    if (mask) return p + <usize>ctz(mask);
    p += 16;
  }
}

/**
 * Stops at everything that an IRI must not hold (controls, space, `<>"{}|^` backtick, backslash),
 * at non-ASCII bytes, and at `~` and DEL, which are harmless.
 */
// @inline
export function findIriStop(from: usize): usize {
  let p = from;
  while (true) {
    const x = v128.load(p);
    const outside = v128.or(i8x16.lt_s(x, i8x16.splat(0x21)), i8x16.gt_s(x, i8x16.splat(0x7a)));
    // With bits 0x62 set, the angle brackets, `\`, `^` and `|` all become `~`.
    const brackets = i8x16.eq(v128.or(x, i8x16.splat(0x62)), i8x16.splat(0x7e));
    const quotes = v128.or(i8x16.eq(x, i8x16.splat(0x22)), i8x16.eq(x, i8x16.splat(0x60)));
    const mask = i8x16.bitmask(v128.or(v128.or(outside, brackets), quotes));
    if (mask) return p + <usize>ctz(mask);
    p += 16;
  }
}

/** Stops at everything but letters, digits, `_` and `-`: the way through a name. */
// @inline
export function findNameStop(from: usize): usize {
  let p = from;
  while (true) {
    const x = v128.load(p);
    const lower = i8x16.sub(v128.or(x, i8x16.splat(0x20)), i8x16.splat(0x61));
    const letters = i8x16.lt_u(lower, i8x16.splat(26));
    const digits = i8x16.lt_u(i8x16.sub(x, i8x16.splat(0x30)), i8x16.splat(10));
    const marks = v128.or(i8x16.eq(x, i8x16.splat(0x5f)), i8x16.eq(x, i8x16.splat(0x2d)));
    const mask = i8x16.bitmask(v128.or(v128.or(letters, digits), marks)) ^ 0xffff;
    if (mask) return p + <usize>ctz(mask);
    p += 16;
  }
}

/** Copies `length` bytes in blocks; reads and writes up to 15 bytes past the end. */
// @inline
export function copyBlocks(to: usize, from: usize, length: u32): void {
  for (let i: usize = 0; i < <usize>length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** Stops at controls and non-ASCII bytes: the way through a comment. */
// @inline
export function findControl(from: usize): usize {
  let p = from;
  while (true) {
    const mask = i8x16.bitmask(i8x16.lt_s(v128.load(p), i8x16.splat(0x20)));
    if (mask) return p + <usize>ctz(mask);
    p += 16;
  }
}

/** The address behind the last line feed or carriage return of [base, end); `base` if none. */
export function behindLastLineEnd(base: usize, end: usize): usize {
  let p = end;
  while (p > base) {
    const c = load<u8>(p - 1);
    if (c == 0x0a || c == 0x0d) return p;
    p--;
  }
  return base;
}
