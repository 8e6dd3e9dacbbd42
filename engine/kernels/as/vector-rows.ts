/** Which rows of vectors count, found by their entities, and where in a segment their codes stand. Bits are those of bytes, the lowest first; sets have whole words of 64. */

/**
 * Rows by the term number of their entity: `last` has for each number from `first` on one more than the last row of it, 0 = none,
 * and `before` for each row one more than the row of the same entity before it. Adds the rows `[from, to)`; returns 0 where an
 * entity's number is not among the `count` of `last`. Without `before`, 0, returns 2 at an entity's second row.
 */
export function linkRows(ids: usize, from: u32, to: u32, first: u64, count: u64, last: usize, before: usize): u32 {
  for (let row = from; row < to; row++) {
    const number = (load<u64>(ids + ((<usize>row) << 3)) & 0xffffffffffff) - first;
    if (number >= count) return 0;
    const entry = last + ((<usize>number) << 2);
    const known = load<u32>(entry);
    if (before != 0) store<u32>(before + ((<usize>row) << 2), known);
    else if (known != 0) return 2;
    store<u32>(entry, row + 1);
  }
  return 1;
}

/**
 * Sets the bits of all rows below `rows` of some entities; `before` is 0 where none has several. Their numbers become bits of `numberBits` first, all 0 before and after, so that in
 * whatever sequence they come the table is read in its own.
 */
export function markLinkedRows(
  ids: usize,
  idCount: u32,
  first: u64,
  count: u64,
  last: usize,
  before: usize,
  rows: u32,
  numberBits: usize,
  bits: usize,
): void {
  for (let i: u32 = 0; i < idCount; i++) {
    const number = (load<u64>(ids + ((<usize>i) << 3)) & 0xffffffffffff) - first;
    if (number >= count) continue;
    const byte = numberBits + <usize>(number >> 3);
    store<u8>(byte, load<u8>(byte) | ((<u8>1) << (<u8>(number & 7))));
  }
  const words = <usize>((count + 63) >> 6);
  for (let word: usize = 0; word < words; word++) {
    const numbers = load<u64>(numberBits + (word << 3));
    if (numbers == 0) continue;
    store<u64>(numberBits + (word << 3), 0);
    for (let left = numbers; left != 0; left &= left - 1) {
      const number = (word << 6) + <usize>ctz(left);
      for (let next = load<u32>(last + (number << 2)); next != 0; ) {
        const row = next - 1;
        if (row < rows) {
          const byte = bits + <usize>(row >> 3);
          store<u8>(byte, load<u8>(byte) | ((<u8>1) << (<u8>(row & 7))));
        }
        next = before == 0 ? 0 : load<u32>(before + ((<usize>row) << 2));
      }
    }
  }
}

/** Takes the bits away that are not among others. */
export function keepBits(bits: usize, others: usize, words: u32): void {
  for (let word: usize = 0; word < (<usize>words) << 3; word += 8) {
    store<u64>(bits + word, load<u64>(bits + word) & load<u64>(others + word));
  }
}

/** Writes of each row, counted from `first`, the place that it stands at; the first of the numbers stands at `place`. */
export function invertPlaces(numbers: usize, count: u32, place: u32, first: u32, places: usize): void {
  for (let at: u32 = 0; at < count; at++) {
    const row = load<u32>(numbers + ((<usize>at) << 2)) - first;
    store<u32>(places + ((<usize>row) << 2), place + at);
  }
}

/** Sets the bits of the places of the rows `[from, to)` that have a bit. */
export function markPlaces(bits: usize, from: u32, to: u32, places: usize, placeBits: usize): void {
  for (let word = from >> 6; word << 6 < to; word++) {
    for (let left = load<u64>(bits + ((<usize>word) << 3)); left != 0; left &= left - 1) {
      const row = (word << 6) + <u32>ctz(left);
      if (row < from || row >= to) continue;
      const place = load<u32>(places + ((<usize>(row - from)) << 2));
      const byte = placeBits + <usize>(place >> 3);
      store<u8>(byte, load<u8>(byte) | ((<u8>1) << (<u8>(place & 7))));
    }
  }
}

/** Writes the places `[from, to)` that have a bit, counted from `base`; returns how many there are. */
export function listPlaces(bits: usize, from: u32, to: u32, base: u32, out: usize): u32 {
  let count: u32 = 0;
  for (let word = from >> 6; word << 6 < to; word++) {
    for (let left = load<u64>(bits + ((<usize>word) << 3)); left != 0; left &= left - 1) {
      const place = (word << 6) + <u32>ctz(left);
      if (place < from || place >= to) continue;
      store<u32>(out + ((<usize>count) << 2), place - base);
      count++;
    }
  }
  return count;
}

/** How many of the places `[from, to)` have a bit. */
// @inline
export function countPlaces(bits: usize, from: u32, to: u32): u32 {
  let count: u64 = 0;
  for (let word = from >> 6; word << 6 < to; word++) {
    let left = load<u64>(bits + ((<usize>word) << 3));
    const first = word << 6;
    if (first < from) left = (left >> <u64>(from - first)) << (<u64>(from - first));
    if (first + 64 > to) left &= ((<u64>1) << (<u64>(to - first))) - 1;
    count += popcnt(left);
  }
  return <u32>count;
}
