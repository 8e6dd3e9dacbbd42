/**
 * The terms of an answer as bytes of its format, each distinct id of a column once. An entry is such an
 * id; its bytes lie in the kept area, which the columns of an answer share. A column is a record of words:
 *
 * | at | what                                   | at | what                                  |
 * |----|----------------------------------------|----|---------------------------------------|
 * | 0  | slots of the hash table: entry or 0    | 24 | entry of each row of the stretch      |
 * | 4  | mask of the slots                      | 28 | what stands before every term         |
 * | 8  | keys: id of each entry, u64            | 32 | its length                            |
 * | 12 | entries in use; entry 0 is unbound     | 36 | patterns of the format                |
 * | 16 | where in the kept area each begins     | 40 | plain bytes of the format, a byte each |
 * | 20 | length of each                         |    |                                       |
 *
 * Patterns are words: one for each of the 8 kinds of stored terms, then one for each of 8 tags of inlined
 * literals with each of 256 auxiliary bytes: 0 = not known yet, 1 = through the rule of the format, else the
 * address of four words (which part comes first, 4 more where what looks like an IRI goes through the rule, 8 more where a
 * qualifier with capital letters does; lengths of head, middle, tail) and their bytes. Kind 0 does not occur: its word is the address of the table of CURIEs, or 0.
 * The kept record, in words: address of the kept area and bytes in use; then three lists of entries that wait for their bytes, each
 * with its length: those that the rule of the format has to write, those of the dictionary, inlined ones. An entry of a list is
 * two words, the column and the entry. Last the ids of those of the dictionary, u64.
 */

import { copyWords } from './copy';
import { curieEntry, mayLookLikeIri } from './curies';
import { writeInlineText } from './inline-text';
import { TAG, TERM_KIND } from './term-codes';

const THROUGH_RULE: usize = 1;
const PATTERN_BYTES: usize = 16;
const QUALIFIER_FIRST: u32 = 1;
const QUALIFIER_LAST: u32 = 2;
const ORDERS: u32 = 3;
const GUARDED: u32 = 4;
const LOWERED: u32 = 8;
/** Integer, decimal, double, float, boolean: a format may write these by their form. */
const NUMBER_CODE_MAX: u32 = 5;
const KINDS: u32 = 8;
/** Words of the kept record where the lists are. */
const RULED: u32 = 2;
const STORED: u32 = 4;
const INLINED: u32 = 6;

// @inline
function slotOf(key: u64): u32 {
  let hash = key * 0x9e3779b97f4a7c15;
  hash ^= hash >> 32;
  return <u32>hash;
}

// @inline
function addToList(kept: usize, list: u32, column: usize, entry: u32): void {
  const place = kept + ((<usize>list) << 2);
  const length = load<u32>(place, 4);
  const at: usize = load<u32>(place) + (length << 3);
  store<u32>(at, <u32>column);
  store<u32>(at, entry, 4);
  store<u32>(place, length + 1, 4);
}

/** A new entry gets into the list of those that are written like it. */
function addEntry(column: usize, kept: usize, key: u64, entry: u32): void {
  const tag = key >> 56;
  if (tag >= <u64>TAG.integer && tag < <u64>TAG.integer + 8) {
    addToList(kept, INLINED, column, entry);
  } else if ((tag >= <u64>TAG.blank && tag <= <u64>TAG.typed) || tag == TAG.triple) {
    const ids: usize = load<u32>(kept, 32);
    store<u64>(ids + ((<usize>load<u32>(kept, 20)) << 3), key);
    addToList(kept, STORED, column, entry);
  } else {
    addToList(kept, RULED, column, entry);
  }
}

// @inline
function entryOf(slots: usize, mask: u32, keys: usize, key: u64, count: u32): u32 {
  let slot = slotOf(key) & mask;
  for (;;) {
    const entry = load<u32>(slots + ((<usize>slot) << 2));
    if (entry == 0) break;
    if (load<u64>(keys + ((<usize>entry) << 3)) == key) return entry;
    slot = (slot + 1) & mask;
  }
  store<u32>(slots + ((<usize>slot) << 2), count);
  store<u64>(keys + ((<usize>count) << 3), key);
  return count;
}

/** The entries of `rows` ids; new ones get into the lists of the kept record. There is room for one a row. */
export function findEntries(column: usize, kept: usize, ids: usize, rows: u32): void {
  const slots: usize = load<u32>(column);
  const mask = load<u32>(column, 4);
  const keys: usize = load<u32>(column, 8);
  let count = load<u32>(column, 12);
  const entries: usize = load<u32>(column, 24);
  let last: u64 = 0;
  let entry: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const key = load<u64>(ids + ((<usize>row) << 3));
    if (key != last) {
      last = key;
      entry = key == 0 ? 0 : entryOf(slots, mask, keys, key, count);
      if (entry == count) {
        count++;
        addEntry(column, kept, key, entry);
      }
    }
    store<u32>(entries + ((<usize>row) << 2), entry);
  }
  store<u32>(column, count, 12);
}

/** Puts the entries of a column into its slots, which are empty. */
export function placeEntries(column: usize): void {
  const slots: usize = load<u32>(column);
  const mask = load<u32>(column, 4);
  const keys: usize = load<u32>(column, 8);
  const count = load<u32>(column, 12);
  for (let entry: u32 = 1; entry < count; entry++) {
    let slot = slotOf(load<u64>(keys + ((<usize>entry) << 3))) & mask;
    while (load<u32>(slots + ((<usize>slot) << 2)) != 0) slot = (slot + 1) & mask;
    store<u32>(slots + ((<usize>slot) << 2), entry);
  }
}

/** Copies bytes that are all plain; 0 when one is not. */
function copyPlain(to: usize, from: usize, end: usize, plain: usize): usize {
  for (; from < end; from++) {
    const byte = <u32>load<u8>(from);
    if (load<u8>(plain + byte) == 0) return 0;
    store<u8>(to++, byte);
  }
  return to;
}

/** Where the zero byte behind the qualifier is, or the end. */
function qualifierEnd(from: usize, end: usize): usize {
  while (from < end && load<u8>(from) != 0) from++;
  return from;
}

function hasCapital(from: usize, end: usize): bool {
  for (; from < end; from++) {
    const byte = load<u8>(from);
    if (byte >= 0x41 && byte <= 0x5a) return true;
  }
  return false;
}

/** One stored term; 0 when something in it is not plain. */
function writeOne(pattern: usize, kind: u32, start: usize, end: usize, plain: usize, at: usize): usize {
  const order = load<u32>(pattern) & ORDERS;
  const head = load<u32>(pattern, 4);
  const middle = load<u32>(pattern, 8);
  const tail = load<u32>(pattern, 12);
  const parts = pattern + PATTERN_BYTES;
  let value = start + 1;
  let mark = start;
  if (kind >= <u32>TERM_KIND.language && kind <= <u32>TERM_KIND.typed) {
    mark = qualifierEnd(value, end);
    if (mark == end) return 0;
    if ((load<u32>(pattern) & LOWERED) != 0 && hasCapital(start + 1, mark)) return 0;
    value = mark + 1;
  }
  let to = copyWords(at, parts, head);
  if (order == QUALIFIER_FIRST) {
    to = copyPlain(to, start + 1, mark, plain);
    if (to == 0) return 0;
    to = copyWords(to, parts + head, middle);
  }
  to = copyPlain(to, value, end, plain);
  if (to == 0) return 0;
  if (order == QUALIFIER_LAST) {
    to = copyWords(to, parts + head, middle);
    to = copyPlain(to, start + 1, mark, plain);
    if (to == 0) return 0;
  }
  return copyWords(to, parts + head + middle, tail);
}

/** An IRI, shortened where it can be; 0 when something in it is not plain. */
function writeIri(curies: usize, pattern: usize, start: usize, end: usize, plain: usize, at: usize): usize {
  const entry = curieEntry(curies, start + 1, end);
  if (entry == 0) return writeOne(pattern, TERM_KIND.iri, start, end, plain, at);
  const head = load<u32>(pattern, 4);
  const parts = pattern + PATTERN_BYTES;
  let to = copyWords(at, parts, head);
  to = copyWords(to, load<u32>(entry, 8), load<u32>(entry, 12));
  const from = start + 1 + <usize>load<u32>(entry, 4);
  to = copyWords(to, from, <u32>(end - from));
  return copyWords(to, parts + head + load<u32>(pattern, 8), load<u32>(pattern, 12));
}

/**
 * Writes `count` terms of the dictionary that lie between `starts` and `ends` in `text`; term i is that at `places[i]`
 * of their list. What the patterns can't write goes to the list of the rule. There is room.
 */
export function writeStoredTerms(
  kept: usize,
  places: usize,
  text: usize,
  starts: usize,
  ends: usize,
  count: u32,
): void {
  const base: usize = load<u32>(kept);
  const list: usize = load<u32>(kept, STORED << 2);
  let end = base + load<u32>(kept, 4);
  for (let i: u32 = 0; i < count; i++) {
    const index = (<usize>i) << 2;
    const waiting = list + ((<usize>load<u32>(places + index)) << 3);
    const column: usize = load<u32>(waiting);
    const entry = load<u32>(waiting, 4);
    const place = (<usize>entry) << 2;
    const from = text + load<u32>(starts + index);
    const kind = <u32>load<u8>(from);
    const key = load<u64>(<usize>load<u32>(column, 8) + (place << 1));
    const code = <u32>(key >> 48) & 0xff;
    const isNumber = kind == TERM_KIND.typed && code > 0 && code <= NUMBER_CODE_MAX;
    const patterns: usize = load<u32>(column, 36);
    const pattern: usize = isNumber || kind >= KINDS ? THROUGH_RULE : load<u32>(patterns + ((<usize>kind) << 2));
    let to: usize = 0;
    const stop = text + load<u32>(ends + index);
    const guarded = pattern > THROUGH_RULE && (load<u32>(pattern) & GUARDED) != 0;
    if (pattern > THROUGH_RULE && !(guarded && mayLookLikeIri(from + 1, stop))) {
      const value = copyWords(end, load<u32>(column, 28), load<u32>(column, 32));
      const plain: usize = load<u32>(column, 40);
      const curies: usize = load<u32>(patterns);
      to =
        kind == TERM_KIND.iri && curies > THROUGH_RULE
          ? writeIri(curies, pattern, from, stop, plain, value)
          : writeOne(pattern, kind, from, stop, plain, value);
    }
    if (to == 0) {
      addToList(kept, RULED, column, entry);
      continue;
    }
    store<u32>(<usize>load<u32>(column, 16) + place, <u32>(end - base));
    store<u32>(<usize>load<u32>(column, 20) + place, <u32>(to - end));
    end = to;
  }
  store<u32>(kept, <u32>(end - base), 4);
}

/** Writes the inlined literals of their list from the given one on; returns the first whose pattern is not known yet. There is room. */
export function writeInlinedTerms(kept: usize, from: u32): u32 {
  const base: usize = load<u32>(kept);
  const list: usize = load<u32>(kept, INLINED << 2);
  const count = load<u32>(kept, (INLINED << 2) + 4);
  let end = base + load<u32>(kept, 4);
  let i = from;
  for (; i < count; i++) {
    const waiting = list + ((<usize>i) << 3);
    const column: usize = load<u32>(waiting);
    const entry = load<u32>(waiting, 4);
    const place = (<usize>entry) << 2;
    const key = load<u64>(<usize>load<u32>(column, 8) + (place << 1));
    const kind = KINDS + <u32>((key >> 48) - (TAG.integer << 8));
    const patterns: usize = load<u32>(column, 36);
    const pattern: usize = load<u32>(patterns + ((<usize>kind) << 2));
    if (pattern == 0) break;
    if (pattern == THROUGH_RULE) {
      addToList(kept, RULED, column, entry);
      continue;
    }
    const parts = pattern + PATTERN_BYTES;
    const head = load<u32>(pattern, 4);
    const middle = load<u32>(pattern, 8);
    let to = copyWords(end, load<u32>(column, 28), load<u32>(column, 32));
    to = copyWords(to, parts, head);
    to = writeInlineText(key, to);
    to = copyWords(to, parts + head + middle, load<u32>(pattern, 12));
    store<u32>(<usize>load<u32>(column, 16) + place, <u32>(end - base));
    store<u32>(<usize>load<u32>(column, 20) + place, <u32>(to - end));
    end = to;
  }
  store<u32>(kept, <u32>(end - base), 4);
  return i;
}
