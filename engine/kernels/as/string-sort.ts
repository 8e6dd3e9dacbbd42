/**
 * Sorts terms by their stored bytes (as unsigned bytes, a prefix first).
 *
 * Multikey quicksort over 8 bytes at a time: the strings of a group agree in their first `depth`
 * bytes; their next 8 bytes, big-endian and padded with zeros, are loaded once into a key array,
 * the group is split in three by a pivot key, and the middle part goes on 8 bytes deeper. A group
 * whose keys are all equal goes deeper without being split, which passes long common prefixes of
 * IRIs quickly. Large groups are sorted by their keys with radix passes instead, small ones end in an
 * insertion sort. Source: Bentley and Sedgewick, "Fast
 * algorithms for sorting and searching strings" (1997).
 *
 * The stack holds (low, high, depth) triples.
 */
import { sortPairs } from './radix-sort';

const SMALL: u32 = 12;
/** From this size on radix passes beat a quicksort. */
const LARGE: u32 = 2048;
const LOADED: u32 = 0x80000000;

// @inline
function bigEndian(at: usize): u64 {
  return bswap<u64>(load<u64>(at));
}

/** The 8 bytes of term `i` from `depth` on as a number; zeros past its end. */
// @inline
function keyAt(arena: usize, offsets: usize, i: u32, depth: u32): u64 {
  const from = load<u32>(offsets + ((<usize>i) << 2));
  const length = load<u32>(offsets + ((<usize>i) << 2), 4) - from;
  if (depth >= length) return 0;
  const word = bigEndian(arena + from + depth);
  const rest = length - depth;
  return rest >= 8 ? word : word & ~(~(<u64>0) >>> <u64>(rest << 3));
}

/** Negative, zero or positive as term a sorts before, with or after term b, both equal before `depth`. */
export function compareTerms(arena: usize, offsets: usize, a: u32, b: u32, depth: u32): i32 {
  const fromA = load<u32>(offsets + ((<usize>a) << 2));
  const fromB = load<u32>(offsets + ((<usize>b) << 2));
  const lengthA = load<u32>(offsets + ((<usize>a) << 2), 4) - fromA;
  const lengthB = load<u32>(offsets + ((<usize>b) << 2), 4) - fromB;
  const shared = min(lengthA, lengthB);
  let at = depth;
  while (at + 8 <= shared) {
    const x = bigEndian(arena + fromA + at);
    const y = bigEndian(arena + fromB + at);
    if (x != y) return x < y ? -1 : 1;
    at += 8;
  }
  while (at < shared) {
    const x = load<u8>(arena + fromA + at);
    const y = load<u8>(arena + fromB + at);
    if (x != y) return x < y ? -1 : 1;
    at++;
  }
  return lengthA < lengthB ? -1 : lengthA > lengthB ? 1 : 0;
}

/** Sorts a small group; keys of its next 8 bytes decide most comparisons without touching the text. */
function insertionSort(
  arena: usize,
  offsets: usize,
  list: usize,
  keys: usize,
  low: u32,
  high: u32,
  depth: u32,
  loaded: bool,
): void {
  if (!loaded) {
    for (let i = low; i < high; i++) {
      const term = load<u32>(list + ((<usize>i) << 2));
      store<u64>(keys + ((<usize>i) << 3), keyAt(arena, offsets, term, depth));
    }
  }
  for (let i = low + 1; i < high; i++) {
    const term = load<u32>(list + ((<usize>i) << 2));
    const key = load<u64>(keys + ((<usize>i) << 3));
    let j = i;
    while (j > low) {
      const otherKey = load<u64>(keys + ((<usize>(j - 1)) << 3));
      if (otherKey < key) break;
      const other = load<u32>(list + ((<usize>(j - 1)) << 2));
      if (otherKey == key && compareTerms(arena, offsets, other, term, depth) <= 0) break;
      store<u32>(list + ((<usize>j) << 2), other);
      store<u64>(keys + ((<usize>j) << 3), otherKey);
      j--;
    }
    store<u32>(list + ((<usize>j) << 2), term);
    store<u64>(keys + ((<usize>j) << 3), key);
  }
}

// @inline
function median(a: u64, b: u64, c: u64): u64 {
  return a < b ? (b < c ? b : a < c ? c : a) : a < c ? a : b < c ? c : b;
}

// @inline
function swap(keys: usize, list: usize, i: u32, j: u32): void {
  const k = load<u64>(keys + ((<usize>i) << 3));
  store<u64>(keys + ((<usize>i) << 3), load<u64>(keys + ((<usize>j) << 3)));
  store<u64>(keys + ((<usize>j) << 3), k);
  const t = load<u32>(list + ((<usize>i) << 2));
  store<u32>(list + ((<usize>i) << 2), load<u32>(list + ((<usize>j) << 2)));
  store<u32>(list + ((<usize>j) << 2), t);
}

/** Puts a group that is still to be sorted on the stack; returns the new top. */
// @inline
function push(top: usize, low: u32, high: u32, depth: u32): usize {
  store<u32>(top, low);
  store<u32>(top, high, 4);
  store<u32>(top, depth, 8);
  return top + 12;
}

/**
 * Sorts `list` (u32 term numbers) of `count` entries. `keys` and `keys2` have 8 bytes per entry,
 * `list2` 4; `stack` has 12 bytes per entry / 12 and at least 64 KiB; `histogram` 8 KiB. Terms that are equal stay side by side.
 * Returns false when the stack was too small, which is a fault of the caller.
 */
export function sortTerms(
  arena: usize,
  offsets: usize,
  list: usize,
  count: u32,
  keys: usize,
  keys2: usize,
  list2: usize,
  stack: usize,
  stackEnd: usize,
  histogram: usize,
): bool {
  if (count < 2) return true;
  let top = push(stack, 0, count, 0);
  while (top > stack) {
    top -= 12;
    let low = load<u32>(top);
    let high = load<u32>(top, 4);
    let depth = load<u32>(top, 8);
    // The high bit of a stacked depth says that the keys of the group are loaded already.
    while (high - low > 1) {
      const at = depth & ~LOADED;
      if (high - low <= SMALL) {
        insertionSort(arena, offsets, list, keys, low, high, at, (depth & LOADED) != 0);
        break;
      }
      if (!(depth & LOADED)) {
        let differ: u64 = 0;
        let first: u64 = 0;
        let longer = false;
        for (let i = low; i < high; i++) {
          const term = load<u32>(list + ((<usize>i) << 2));
          const start = load<u32>(offsets + ((<usize>term) << 2));
          const length = load<u32>(offsets + ((<usize>term) << 2), 4) - start;
          const key = keyAt(arena, offsets, term, at);
          if (i == low) first = key;
          differ |= key ^ first;
          store<u64>(keys + ((<usize>i) << 3), key);
          if (length > at + 8) longer = true;
        }
        if (differ == 0) {
          if (longer) {
            // Those that end here come first, by length; the others go on deeper.
            let front = low;
            for (let i = low; i < high; i++) {
              const term = load<u32>(list + ((<usize>i) << 2));
              const length = load<u32>(offsets + ((<usize>term) << 2), 4) - load<u32>(offsets + ((<usize>term) << 2));
              if (length <= at + 8) {
                swap(keys, list, i, front);
                front++;
              }
            }
            insertionSort(arena, offsets, list, keys, low, front, at, true);
            low = front;
            depth = at + 8;
            continue;
          }
          // All end here: they differ in trailing zero bytes only, that is in length.
          insertionSort(arena, offsets, list, keys, low, high, at, true);
          break;
        }
        if (high - low >= LARGE) {
          top = sortLarge(arena, offsets, list, keys, keys2, list2, low, high, at, top, stackEnd, histogram);
          if (top == 0) return false;
          break;
        }
        depth = at | LOADED;
      }
      const a = load<u64>(keys + ((<usize>low) << 3));
      const b = load<u64>(keys + ((<usize>((low + high) >>> 1)) << 3));
      const c = load<u64>(keys + ((<usize>(high - 1)) << 3));
      const pivot = median(a, b, c);
      let less = low;
      let i = low;
      let greater = high;
      while (i < greater) {
        const key = load<u64>(keys + ((<usize>i) << 3));
        if (key < pivot) {
          if (i != less) swap(keys, list, i, less);
          less++;
          i++;
        } else if (key > pivot) {
          greater--;
          swap(keys, list, i, greater);
        } else i++;
      }
      if (top + 36 > stackEnd) return false;
      // [low, less) and [greater, high) keep their keys; the middle goes deeper.
      if (greater - less > 1) {
        // Equal keys at this depth: go on behind them; those that ended are sorted out there.
        top = push(top, less, greater, at + 8);
      }
      const leftSize = less - low;
      const rightSize = high - greater;
      if (leftSize < rightSize) {
        top = push(top, greater, high, depth);
        high = less;
      } else {
        top = push(top, low, less, depth);
        low = greater;
      }
    }
  }
  return true;
}

/**
 * A large group is sorted by its keys with radix passes; runs of equal keys go on deeper. Returns the
 * new top of the stack, 0 when it is too small.
 */
function sortLarge(
  arena: usize,
  offsets: usize,
  list: usize,
  keys: usize,
  keys2: usize,
  list2: usize,
  low: u32,
  high: u32,
  depth: u32,
  stackTop: usize,
  stackEnd: usize,
  histogram: usize,
): usize {
  let top = stackTop;
  const count = high - low;
  const k = keys + ((<usize>low) << 3);
  const l = list + ((<usize>low) << 2);
  if (sortPairs(k, l, keys2, list2, count, histogram, 0)) {
    memory.copy(k, keys2, (<usize>count) << 3);
    memory.copy(l, list2, (<usize>count) << 2);
  }
  let from = low;
  while (from < high) {
    const key = load<u64>(keys + ((<usize>from) << 3));
    let to = from + 1;
    while (to < high && load<u64>(keys + ((<usize>to) << 3)) == key) to++;
    if (to - from > 1) {
      if (to - from <= SMALL) insertionSort(arena, offsets, list, keys, from, to, depth, true);
      else {
        if (top + 12 > stackEnd) return 0;
        top = push(top, from, to, depth + 8);
      }
    }
    from = to;
  }
  return top;
}
