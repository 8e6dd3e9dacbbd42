/** From term numbers to ids at the close of an epoch. */

import { dictionaryId } from './layout';
import { TERM_KIND } from './term-codes';

/** The first entry of `list` from `from` on whose kind is above `kind`; the list is sorted by stored bytes. */
function endOfKind(arena: usize, offsets: usize, list: usize, from: u32, count: u32, kind: u32): u32 {
  let low = from;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const term = load<u32>(list + ((<usize>middle) << 2));
    if (<u32>load<u8>(arena + <usize>load<u32>(offsets + ((<usize>term) << 2))) <= kind) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether two terms have the same stored bytes. */
function sameTerm(arena: usize, offsets: usize, a: u32, b: u32): bool {
  const startA = load<u32>(offsets + ((<usize>a) << 2));
  const startB = load<u32>(offsets + ((<usize>b) << 2));
  const length = load<u32>(offsets + ((<usize>a) << 2), 4) - startA;
  if (length != load<u32>(offsets + ((<usize>b) << 2), 4) - startB) return false;
  return memory.compare(arena + <usize>startA, arena + <usize>startB, length) == 0;
}

/**
 * Gives the terms of `list` (u32 provisional numbers, sorted by stored bytes) their term numbers
 * from `first` on and writes their ids to `ids`. With `mayRepeat` a term that equals its neighbour
 * shares its number, and `unique` receives the list without the repeated ones (may be `list`).
 * `codes` is a byte per provisional number. Returns the number of distinct terms.
 */
export function resolveDictionaryIds(
  arena: usize,
  offsets: usize,
  list: usize,
  count: u32,
  first: u64,
  codes: usize,
  ids: usize,
  unique: usize,
  mayRepeat: bool,
): u32 {
  let next: u32 = 0;
  let before: u32 = 0;
  let kindEnd: u32 = 0;
  let kind: u32 = 0;
  let base: u64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const term = load<u32>(list + ((<usize>i) << 2));
    if (i >= kindEnd) {
      kind = <u32>load<u8>(arena + <usize>load<u32>(offsets + ((<usize>term) << 2)));
      kindEnd = endOfKind(arena, offsets, list, i, count, kind);
      base = dictionaryId(kind, 0, 0);
    }
    if (!(mayRepeat && i > 0 && sameTerm(arena, offsets, before, term))) {
      store<u32>(unique + ((<usize>next) << 2), term);
      next++;
    }
    let id = base + first + <u64>(next - 1);
    if (kind == TERM_KIND.typed) id |= (<u64>load<u8>(codes + term)) << 48;
    store<u64>(ids + ((<usize>term) << 3), id);
    before = term;
  }
  return next;
}

/** Gathers `ids[list[i]]` for every i: u64 values to `out`. `list` 0 = all numbers in order. */
export function collectIds(ids: usize, list: usize, count: u32, out: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const term = list ? load<u32>(list + ((<usize>i) << 2)) : i;
    store<u64>(out + ((<usize>i) << 3), load<u64>(ids + ((<usize>term) << 3)));
  }
}

/**
 * Moves the terms of `list` whose kind is at most `kind` to the front, keeping their sequence on both
 * sides as far as it matters for locality; returns how many they are.
 */
export function partitionByKind(arena: usize, offsets: usize, list: usize, count: u32, kind: u32): u32 {
  let front: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const term = load<u32>(list + ((<usize>i) << 2));
    if (<u32>load<u8>(arena + <usize>load<u32>(offsets + ((<usize>term) << 2))) > kind) continue;
    store<u32>(list + ((<usize>i) << 2), load<u32>(list + ((<usize>front) << 2)));
    store<u32>(list + ((<usize>front) << 2), term);
    front++;
  }
  return front;
}
