/** Comparisons of ids that the ids themselves decide; the others are left to the caller. */

import { doubleOf, isOrdered } from './inline-numbers';
import { TAG_BLANK, TAG_DIR_LANG, TAG_IRI, TAG_STRING } from './layout';

const ERROR: u32 = 2;
const UNDECIDED: u32 = 3;
/** What is asked: the order of values, their equality, or whether they are the same term. */
const EQUALITY: u32 = 1;
const SAME_TERM: u32 = 2;

/** Kinds whose terms are equal exactly when they are the same. */
// @ts-ignore: decorator
@inline
function isPlain(tag: u64): bool {
  return tag == TAG_IRI || tag == TAG_BLANK || (tag >= TAG_STRING && tag <= TAG_DIR_LANG);
}

/**
 * Decides the undecided among the first `rows` bytes at `out`: ERROR where a side is unbound, else the bit of
 * `answers` for less (0), equal (1) or greater (2). The ids at `b` are `step` bytes apart: 0 for a constant. Returns how many stay undecided.
 */
export function compareIds(
  a: usize,
  b: usize,
  step: u32,
  rows: u32,
  asked: u32,
  answers: u32,
  out: usize,
): u32 {
  let left: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    if (load<u8>(out + row) != UNDECIDED) continue;
    const x = load<u64>(a + ((<usize>row) << 3));
    const y = load<u64>(b + <usize>(row * step));
    if (x == 0 || y == 0) {
      store<u8>(out + row, ERROR);
      continue;
    }
    const order = orderOf(x, y, asked);
    if (order < 0) left++;
    else store<u8>(out + row, <u8>((answers >>> order) & 1));
  }
  return left;
}

// @ts-ignore: decorator
@inline
function orderOf(x: u64, y: u64, asked: u32): i32 {
  if (asked == SAME_TERM) return x == y ? 1 : 2;
  if (x >>> 48 == y >>> 48 && isOrdered(x >>> 48)) return x < y ? 0 : x == y ? 1 : 2;
  const p = doubleOf(x);
  const q = doubleOf(y);
  if (p < q) return 0;
  if (p > q) return 2;
  if (p == q) return 1;
  return asked == EQUALITY && isPlain(x >>> 56) && isPlain(y >>> 56) ? (x == y ? 1 : 2) : -1;
}
