/**
 * A table that numbers keys of one or more ids: the first key is 0, the next one that differs 1, and so on.
 * Open addressing with linear probing. A table of one column has the key beside the number in its slots, so
 * that a look-up touches one place; of several, the hash, and the keys stand in columns by number.
 *
 * Table, u32 words: 0 width, 1 keys held, 2 keys that the columns have room for, 3 segment mask, 4 address of
 * the segments, 5 the segment that has to grow (`NO_SEGMENT`: the columns do), 6.. addresses of the columns;
 * 0 in word 6 of a table of one column: its keys are kept in the slots only.
 * Segment, u32 words: address of the slots, slots - 1, keys held, keys that make it grow.
 * Slot: u64 key, u32 number + 1; or u32 hash, u32 number + 1. All zeros where there is no key.
 */

const NO_SEGMENT: u32 = 0xffffffff;
const COLUMNS: usize = 24;
const SLOT_OF_ONE: usize = 12;
const SLOT_OF_MANY: usize = 8;

// @inline
function mix(seed: u64, key: u64): u64 {
  let hash = (seed ^ key ^ (key >>> 32)) * 0x9e3779b97f4a7c15;
  hash ^= hash >>> 29;
  return hash * 0xbf58476d1ce4e5b9;
}

// @inline
function hashOne(key: u64): u32 {
  return <u32>(mix(0, key) >>> 32);
}

// @inline
function idAt(columns: usize, column: u32, row: u32): u64 {
  return load<u64>(<usize>load<u32>(columns + ((<usize>column) << 2)) + ((<usize>row) << 3));
}

/** Of the key of one row; `hashOne` of its one id is the same where there is one column. */
// @inline
export function hashKey(columns: usize, width: u32, row: u32): u32 {
  return width == 1 ? hashOne(idAt(columns, 0, row)) : hashMany(columns, width, row);
}

function hashMany(columns: usize, width: u32, row: u32): u32 {
  let hash: u64 = 0;
  for (let c: u32 = 0; c < width; c++) hash = mix(rotl<u64>(hash, 23), idAt(columns, c, row));
  return <u32>(hash >>> 32);
}

// @inline
function sameKey(asked: usize, row: u32, held: usize, number: u32, width: u32): bool {
  for (let c: u32 = 0; c < width; c++) if (idAt(asked, c, row) != idAt(held, c, number)) return false;
  return true;
}

/** The number of a segment: the top bits of the hash, as many as a mask of the segments has. */
// @inline
function segmentNumber(hash: u32, mask: u32): u32 {
  return (hash >>> clz(mask)) & mask;
}

// @inline
function segmentOf(table: usize, hash: u32): usize {
  return <usize>load<u32>(table, 16) + ((<usize>segmentNumber(hash, load<u32>(table, 12))) << 4);
}

/**
 * The slot of a key in a segment, or the free one where it belongs. A slot begins with a `T`: u64, the one id of the key,
 * or u32, the hash of several.
 */
// @inline
function slotOf<T>(
  slots: usize,
  mask: u32,
  hash: u32,
  key: u64,
  asked: usize,
  row: u32,
  held: usize,
  width: u32,
): usize {
  let slot = hash & mask;
  let at = slots + <usize>slot * (sizeof<T>() + 4);
  let number = load<u32>(at, sizeof<T>());
  while (number != 0) {
    if (sizeof<T>() == 8) {
      if (load<u64>(at) == key) break;
    } else if (load<u32>(at) == hash && sameKey(asked, row, held, number - 1, width)) break;
    slot = (slot + 1) & mask;
    at = slots + <usize>slot * (sizeof<T>() + 4);
    number = load<u32>(at, sizeof<T>());
  }
  return at;
}

/** Puts the key of a row behind those of the columns. */
// @inline
function appendKey(columns: usize, row: u32, keys: usize, count: u32, width: u32): void {
  for (let c: u32 = 0; c < width; c++) {
    store<u64>(<usize>load<u32>(keys + ((<usize>c) << 2)) + ((<usize>count) << 3), idAt(columns, c, row));
  }
}

/** Where the keys of rows `[row, rows)` get their numbers; ends early when the table has to grow first. */
export function assignIds(table: usize, columns: usize, row: u32, rows: u32, numbers: usize): u32 {
  return load<u32>(table) == 1
    ? assign<u64>(table, columns, row, rows, numbers)
    : assign<u32>(table, columns, row, rows, numbers);
}

function assign<T>(table: usize, columns: usize, row: u32, rows: u32, numbers: usize): u32 {
  const isOne = sizeof<T>() == 8;
  const width = load<u32>(table);
  const column = <usize>load<u32>(columns);
  const keys = table + COLUMNS;
  const keepsKeys = !isOne || load<u32>(keys) != 0;
  const room = load<u32>(table, 8);
  const segmentMask = load<u32>(table, 12);
  const segmentShift = clz(segmentMask);
  const segments = <usize>load<u32>(table, 16);
  let count = load<u32>(table, 4);
  let last: u64 = 0;
  let number: u32 = 0;
  for (; row < rows; row++) {
    const key = isOne ? load<u64>(column + ((<usize>row) << 3)) : 0;
    if (!isOne || number == 0 || key != last) {
      const hash = isOne ? hashOne(key) : hashMany(columns, width, row);
      const own = (hash >>> segmentShift) & segmentMask;
      const segment = segments + ((<usize>own) << 4);
      const slots = <usize>load<u32>(segment);
      const at = slotOf<T>(slots, load<u32>(segment, 4), hash, key, columns, row, keys, width);
      number = load<u32>(at, sizeof<T>());
      last = key;
      if (number == 0) {
        const held = load<u32>(segment, 8);
        const full = held >= load<u32>(segment, 12);
        if (full || count == room) {
          store<u32>(table, full ? own : NO_SEGMENT, 20);
          break;
        }
        store<u32>(segment, held + 1, 8);
        if (keepsKeys) appendKey(columns, row, keys, count, isOne ? 1 : width);
        number = ++count;
        store<T>(at, isOne ? <T>key : <T>hash);
        store<u32>(at, number, sizeof<T>());
      }
    }
    store<u32>(numbers + ((<usize>row) << 2), number - 1);
  }
  store<u32>(table, count, 4);
  return row;
}

/**
 * The numbers of the keys of rows `[row, rows)`; 0xffffffff for a key that the table does not have. Gives how
 * many it has. With `filter`, the bits of `filterIds`, most keys that it does not have are told by one bit. `inParts`: the
 * keys come segment by segment, or nearly.
 */
export function findIds(
  table: usize,
  columns: usize,
  row: u32,
  rows: u32,
  numbers: usize,
  filter: usize,
  shift: u32,
  inParts: u32,
): u32 {
  if (inParts != 0 || load<u32>(table, 12) == 0) {
    return load<u32>(table) == 1
      ? find<u64, InParts>(table, columns, row, rows, numbers, filter, shift)
      : find<u32, InParts>(table, columns, row, rows, numbers, filter, shift);
  }
  return load<u32>(table) == 1
    ? find<u64, AsTheyCome>(table, columns, row, rows, numbers, filter, shift)
    : find<u32, AsTheyCome>(table, columns, row, rows, numbers, filter, shift);
}

/** What the loop of `find` is compiled for, told by the size of a type: the segment of a key is mostly that of the one before, or is not. */
type InParts = u16;
type AsTheyCome = u8;

// @inline
function isSet(filter: usize, bit: u32): bool {
  return ((load<u32>(filter + ((<usize>(bit >>> 5)) << 2)) >>> (bit & 31)) & 1) != 0;
}

function find<T, Sequence>(
  table: usize,
  columns: usize,
  row: u32,
  rows: u32,
  numbers: usize,
  filter: usize,
  shift: u32,
): u32 {
  const isOne = sizeof<T>() == 8;
  const width = load<u32>(table);
  const column = <usize>load<u32>(columns);
  const segmentMask = load<u32>(table, 12);
  const segmentShift = clz(segmentMask);
  const segments = <usize>load<u32>(table, 16);
  let found: u32 = 0;
  let near: u32 = NO_SEGMENT;
  let slots: usize = 0;
  let mask: u32 = 0;
  for (; row < rows; row++) {
    const key = isOne ? load<u64>(column + ((<usize>row) << 3)) : 0;
    const hash = isOne ? hashOne(key) : hashMany(columns, width, row);
    const own = (hash >>> segmentShift) & segmentMask;
    if (sizeof<Sequence>() == 1 || own != near) {
      near = own;
      const segment = segments + ((<usize>own) << 4);
      slots = <usize>load<u32>(segment);
      mask = load<u32>(segment, 4);
    }
    let number: u32 = 0;
    if (filter == 0 || isSet(filter, hash >>> shift)) {
      const at = slotOf<T>(slots, mask, hash, key, columns, row, table + COLUMNS, width);
      number = load<u32>(at, sizeof<T>());
      found += <u32>(number != 0);
    }
    store<u32>(numbers + ((<usize>row) << 2), number - 1);
  }
  return found;
}

/** Sets the bit `hash >>> shift` of each key that the table has: a Bloom filter of one function (Bloom 1970). */
export function filterIds(table: usize, filter: usize, shift: u32): void {
  const one = load<u32>(table) == 1;
  const size = one ? SLOT_OF_ONE : SLOT_OF_MANY;
  const segments = load<u32>(table, 12) + 1;
  for (let s: u32 = 0; s < segments; s++) {
    const segment = <usize>load<u32>(table, 16) + ((<usize>s) << 4);
    const slots = <usize>load<u32>(segment);
    const count: u32 = slots == 0 ? 0 : load<u32>(segment, 4) + 1;
    for (let i: u32 = 0; i < count; i++) {
      const at = slots + <usize>i * size;
      if (load<u32>(at + size - 4) == 0) continue;
      const bit = (one ? hashOne(load<u64>(at)) : load<u32>(at)) >>> shift;
      const word = filter + ((<usize>(bit >>> 5)) << 2);
      store<u32>(word, load<u32>(word) | (1 << (bit & 31)));
    }
  }
}

/**
 * Moves the keys of `count` slots into the segments that the table has now, whose slots are empty; with
 * `counting` they are counted there.
 */
export function moveIds(table: usize, slots: usize, count: u32, counting: u32): void {
  const one = load<u32>(table) == 1;
  const size = one ? SLOT_OF_ONE : SLOT_OF_MANY;
  for (let i: u32 = 0; i < count; i++) {
    const from = slots + <usize>i * size;
    const number = load<u32>(from + size - 4);
    if (number == 0) continue;
    const hash = one ? hashOne(load<u64>(from)) : load<u32>(from);
    const segment = segmentOf(table, hash);
    const into = <usize>load<u32>(segment);
    const mask = load<u32>(segment, 4);
    let slot = hash & mask;
    while (load<u32>(into + <usize>slot * size + size - 4) != 0) slot = (slot + 1) & mask;
    const to = into + <usize>slot * size;
    if (one) {
      store<u64>(to, load<u64>(from));
      store<u32>(to, number, 8);
    } else store<u64>(to, load<u64>(from));
    if (counting) store<u32>(segment, load<u32>(segment, 8) + 1, 8);
  }
}

/** Rows of a run that are passed at once, and how long it has to be before that is tried. */
const STRIDE: u32 = 64;
const RUN_MIN: u32 = 8;

/**
 * The same for keys that come with equal ones side by side: a row whose key is not the last one held begins a
 * new one, and where two rows have one key, so do all between them. The table needs no segments.
 */
export function assignRuns(table: usize, columns: usize, row: u32, rows: u32, numbers: usize): u32 {
  const width = load<u32>(table);
  const keys = table + COLUMNS;
  const room = load<u32>(table, 8);
  let count = load<u32>(table, 4);
  let run: u32 = 0;
  while (row < rows) {
    if (count != 0 && sameKey(columns, row, keys, count - 1, width)) {
      run++;
      if (run > RUN_MIN && row + STRIDE <= rows && sameKey(columns, row + STRIDE - 1, keys, count - 1, width)) {
        const both = ((<u64>(count - 1)) << 32) | (count - 1);
        const end = numbers + ((<usize>(row + STRIDE)) << 2);
        for (let at = numbers + ((<usize>row) << 2); at < end; at += 8) store<u64>(at, both);
        row += STRIDE;
        continue;
      }
    } else {
      if (count == room) {
        store<u32>(table, NO_SEGMENT, 20);
        break;
      }
      appendKey(columns, row, keys, count, width);
      count++;
      run = 0;
    }
    store<u32>(numbers + ((<usize>row) << 2), count - 1);
    row++;
  }
  store<u32>(table, count, 4);
  return row;
}

/** The number of the last key for the rows in front that have it, 0xffffffff for the others. */
export function findRun(table: usize, columns: usize, rows: u32, numbers: usize): void {
  const width = load<u32>(table);
  const last = load<u32>(table, 4) - 1;
  let row: u32 = 0;
  while (row < rows && sameKey(columns, row, table + COLUMNS, last, width)) {
    store<u32>(numbers + ((<usize>row) << 2), last);
    row++;
  }
  for (; row < rows; row++) store<u32>(numbers + ((<usize>row) << 2), NO_SEGMENT);
}
