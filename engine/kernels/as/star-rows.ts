/**
 * A star join: rows with the values that several predicates have for the same subject. Lists of objects lie one behind
 * another, subject by subject and predicate by predicate, with a table of their starts; rows are made from the lists of a subject
 * like the numbers of an odometer.
 */

const NO_ROW: u32 = 0xffffffff;

/** The head of a star, in words; legs follow. */
const SUBJECTS = 0;
const PREDICATES = 4;
const LEGS = 8;
const STARTS = 12;
/** Rows of the input by subject as `key-order.ts` has them; starts 0: subject and row are the same. */
const ROW_STARTS = 16;
const ROW_ORDER = 20;
const FIRST_SUBJECT = 24;
/** Where the next call goes on: a subject, and one of its rows. */
const SUBJECT = 28;
const ROW = 32;
/** Where the rows of the input go. */
const OUT = 36;
const HEAD_BYTES: usize = 48;

/** Of each leg, in words: its predicate's place, what it needs (below), where its places in the list go (0 = nowhere), its digit. */
const LEG_BYTES: usize = 16;
const NEED: usize = 4;
const LEG_OUT: usize = 8;
const DIGIT: usize = 12;
/** Rows come without an object, too; or once, however many there are. */
const OPTIONAL: u32 = 1;
const EXISTS: u32 = 2;

/** Writes the keys (subject, predicate) of each subject from `from` on with each predicate. */
export function crossKeys(
  subjects: usize,
  from: u32,
  count: u32,
  predicates: usize,
  width: u32,
  toSubjects: usize,
  toPredicates: usize,
): void {
  let at: usize = 0;
  for (let i = from; i < from + count; i++) {
    const subject = load<u64>(subjects + ((<usize>i) << 3));
    for (let p: u32 = 0; p < width; p++, at += 8) {
      store<u64>(toSubjects + at, subject);
      store<u64>(toPredicates + at, load<u64>(predicates + ((<usize>p) << 3)));
    }
  }
}

// @inline
function isWithin(id: u64, ranges: usize): bool {
  let low: u32 = 0;
  let high = load<u32>(ranges);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const range = ranges + 8 + ((<usize>middle) << 4);
    if (id < load<u64>(range)) high = middle;
    else if (id < load<u64>(range, 8)) return true;
    else low = middle + 1;
  }
  return false;
}

/**
 * Puts the objects that a probe found behind the `filled` ones of the list, where they pass the tests of their predicate (addresses
 * by predicate; 0 = none: a count and half-open ranges, ascending), and writes the starts of the keys up to
 * the last one found; `end` above 0: up to that key. `state` has the number of objects and of starts.
 */
export function appendObjects(
  keys: usize,
  rows: u32,
  objects: usize,
  tests: usize,
  width: u32,
  list: usize,
  starts: usize,
  state: usize,
  end: u32,
): void {
  let filled = load<u32>(state);
  let next = load<u32>(state, 4);
  for (let row: u32 = 0; row < rows; row++) {
    const key = load<u32>(keys + ((<usize>row) << 2));
    for (; next <= key; next++) store<u32>(starts + ((<usize>next) << 2), filled);
    const id = load<u64>(objects + ((<usize>row) << 3));
    const ranges = <usize>load<u32>(tests + ((<usize>(key % width)) << 2));
    if (ranges != 0 && !isWithin(id, ranges)) continue;
    store<u64>(list + ((<usize>filled) << 3), id);
    filled++;
  }
  if (end > 0) for (; next <= end; next++) store<u32>(starts + ((<usize>next) << 2), filled);
  store<u32>(state, filled);
  store<u32>(state, next, 4);
}

// @inline
function listOf(star: usize, leg: usize, subject: u32): usize {
  const key = subject * load<u32>(star, PREDICATES) + load<u32>(leg);
  return <usize>load<u32>(star, STARTS) + ((<usize>key) << 2);
}

/** True when each leg of the subject that has to have a value has one. */
function isWhole(star: usize, subject: u32): bool {
  const end = star + HEAD_BYTES + LEG_BYTES * <usize>load<u32>(star, LEGS);
  for (let leg = star + HEAD_BYTES; leg < end; leg += LEG_BYTES) {
    if (load<u32>(leg, NEED) == OPTIONAL) continue;
    const list = listOf(star, leg, subject);
    if (load<u32>(list) == load<u32>(list, 4)) return false;
  }
  return true;
}

/** Writes row `count` and moves the odometer on; false when it has come round. */
// @inline
function writeRow(star: usize, subject: u32, count: u32): bool {
  const begin = star + HEAD_BYTES;
  let leg = begin + LEG_BYTES * <usize>load<u32>(star, LEGS);
  let carry = true;
  while (leg > begin) {
    leg -= LEG_BYTES;
    const list = listOf(star, leg, subject);
    const start = load<u32>(list);
    const size = load<u32>(list, 4) - start;
    const digit = load<u32>(leg, DIGIT);
    const out = <usize>load<u32>(leg, LEG_OUT);
    if (out != 0) store<u32>(out + ((<usize>count) << 2), size == 0 ? NO_ROW : start + digit);
    if (!carry) continue;
    if (digit + 1 < size && load<u32>(leg, NEED) != EXISTS) {
      store<u32>(leg, digit + 1, DIGIT);
      carry = false;
    } else store<u32>(leg, 0, DIGIT);
  }
  return !carry;
}

/** Makes up to `limit` rows; returns how many, fewer only at the end. */
export function starRows(star: usize, limit: u32): u32 {
  const subjects = load<u32>(star, SUBJECTS);
  const rowStarts = <usize>load<u32>(star, ROW_STARTS);
  const rowOrder = <usize>load<u32>(star, ROW_ORDER);
  const firstSubject = load<u32>(star, FIRST_SUBJECT);
  const out = <usize>load<u32>(star, OUT);
  let subject = load<u32>(star, SUBJECT);
  let row = load<u32>(star, ROW);
  let count: u32 = 0;
  while (subject < subjects) {
    const place = firstSubject + subject;
    const from = rowStarts ? load<u32>(rowStarts + ((<usize>place) << 2)) : place;
    const rows = rowStarts ? load<u32>(rowStarts + ((<usize>place) << 2), 4) - from : 1;
    if (row > 0 || isWhole(star, subject)) {
      while (row < rows && count < limit) {
        const input = rowStarts ? load<u32>(rowOrder + ((<usize>(from + row)) << 2)) : from;
        store<u32>(out + ((<usize>count) << 2), input);
        if (!writeRow(star, subject, count)) row++;
        count++;
      }
      if (row < rows) break;
    }
    subject++;
    row = 0;
  }
  store<u32>(star, subject, SUBJECT);
  store<u32>(star, row, ROW);
  return count;
}
