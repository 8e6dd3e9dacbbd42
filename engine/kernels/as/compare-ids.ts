/** Comparisons of ids that the ids themselves decide; the others are left to the caller. */

import { doubleOf, isInRange, isOrdered, signedOf } from './inline-numbers';
import { TAG } from './term-codes';

const ERROR: u32 = 2;
const UNDECIDED: u32 = 3;
/** What is asked: the order of values, their equality, or whether they are the same term. */
const EQUALITY: u32 = 1;
const SAME_TERM: u32 = 2;

/** Kinds whose terms are equal exactly when they are the same. */
// @inline
function isPlain(tag: u64): bool {
  return tag == TAG.iri || tag == TAG.blank || (tag >= <u64>TAG.string && tag <= <u64>TAG.dirLangString);
}

/** What `orderOf` says of ids whose values have no order and are not equal. */
const APART: i32 = 3;
const NOT_TOLD: i32 = -1;
/** Literals whose value only the dictionary tells, and ill-typed integers. */
const KIND_UNTOLD: u32 = 0;
/** Up to this one kinds have no order. */
const KIND_LANG: u32 = 4;

/** Kinds of values, as `query/expressions/comparison.ts` has them: values of different kinds are different. */
// @inline
function kindOf(id: u64): u32 {
  const tag = id >>> 56;
  if (tag == TAG.iri) return 1;
  if (tag == TAG.blank) return 2;
  if (tag == TAG.triple) return 3;
  if (tag == TAG.string) return 5;
  if (tag == TAG.langString || tag == TAG.dirLangString) return KIND_LANG;
  if (tag == TAG.integer) return isInRange(<u32>(id >>> 48) & 255, signedOf(id)) ? 6 : KIND_UNTOLD;
  if (tag == TAG.boolean) return 7;
  if (tag == TAG.date) return 8;
  if (tag == TAG.dateTime || tag == TAG.dateTimeMs) return 9;
  return tag > <u64>TAG.integer && tag <= <u64>TAG.float ? 6 : KIND_UNTOLD;
}

// @inline
function areApart(x: u64, y: u64, asked: u32): bool {
  const a = kindOf(x);
  const b = kindOf(y);
  if (a != KIND_UNTOLD && b != KIND_UNTOLD) return a != b || (asked != EQUALITY && a <= KIND_LANG);
  // No literal of the dictionary equals a term or a string with a language, or has an order with one.
  const told = a | b;
  return told != KIND_UNTOLD && told <= KIND_LANG && (x >>> 56 == TAG.typed || y >>> 56 == TAG.typed);
}

/**
 * Decides the undecided among the first `rows` bytes at `out`: ERROR where a side is unbound, or where an order
 * is asked of values that have none, else the bit of `answers` for less (0), equal (1) or greater (2). The ids at `b` are `step` bytes apart: 0 for a constant. Returns how many stay undecided.
 */
export function compareIds(a: usize, b: usize, step: u32, rows: u32, asked: u32, answers: u32, out: usize): u32 {
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
    if (order == NOT_TOLD) left++;
    else if (order == APART) store<u8>(out + row, asked == EQUALITY ? <u8>((answers >>> 2) & 1) : ERROR);
    else store<u8>(out + row, <u8>((answers >>> order) & 1));
  }
  return left;
}

// @inline
function orderOf(x: u64, y: u64, asked: u32): i32 {
  if (asked == SAME_TERM) return x == y ? 1 : 2;
  if (x >>> 48 == y >>> 48 && isOrdered(x >>> 48)) return x < y ? 0 : x == y ? 1 : 2;
  const p = doubleOf(x);
  const q = doubleOf(y);
  if (p < q) return 0;
  if (p > q) return 2;
  if (p == q) return 1;
  if (asked == EQUALITY && isPlain(x >>> 56) && isPlain(y >>> 56)) return x == y ? 1 : 2;
  return areApart(x, y, asked) ? APART : NOT_TOLD;
}
