/**
 * The dictionary of one epoch of a bulk load: term fingerprint to provisional number.
 *
 * 1. `hashRecords` turns token records (16 bytes: start, length and kind, qualifier) into
 *    fingerprints; blank nodes get the label that is stored for them first.
 * 2. `probeRecords` looks the fingerprints up in an open-addressed table, batch by batch, touching
 *    the slots of a batch before using them so that their cache misses overlap; a fingerprint that
 *    is not there gets the next provisional number and its stored bytes go to the arena.
 *
 * All state is in memory, none in globals, so that threads which share the memory can work on it.
 *
 * Subjects are compared with the one before and predicates with a small cache first: a comparison
 * costs a fifth of a fingerprint, and most of them repeat.
 *
 * State, in 4-byte words:
 *  0 slots (24 bytes each: fingerprint, u32 number + 1 or 0 for empty, u32 unused)   1 unused
 *  2 log2 of the slot count               3 terms so far            4 most terms
 *  5 arena start   6 arena end            7 arena position
 *  8 offsets (u32 per term + 1, from arena start)                   9 hashes (u64 per term)
 * 10..11 seed low 12..13 seed high
 *
 * Cache of predicates: 64 entries of 160 bytes: fingerprint, u32 length (0 = empty), the IRI at 32.
 *
 * Stored bytes of a term: kind byte; qualifier and a zero byte when there is one; lexical bytes.
 */

import { copyWide } from './copy';
import { hashTerm } from './hash';
import { TERM_KIND } from './term-codes';

const LENGTH_MASK: u32 = 0x0fffffff;
/** `d`, 16 hex digits of the document scope. */
const SCOPE_LENGTH: u32 = 17;
const BATCH: u32 = 64;

const SLOT: usize = 24;
const CACHE_ENTRY: usize = 160;
const CACHED_LENGTH_MAX: u32 = 120;

/** True when two ranges of one length hold the same bytes; reads up to 7 bytes past them. */
// @inline
function sameBytes(a: usize, b: usize, length: u32): bool {
  let at: u32 = 0;
  while (at + 16 <= length) {
    if (v128.any_true(v128.xor(v128.load(a + at), v128.load(b + at)))) return false;
    at += 16;
  }
  if (at + 8 <= length) {
    if (load<u64>(a + at) != load<u64>(b + at)) return false;
    at += 8;
  }
  if (at == length) return true;
  const unused = <u64>((8 - (length - at)) << 3);
  return (load<u64>(a + at) ^ load<u64>(b + at)) << unused == 0;
}

/** Writes the decimal digits of `value` at `at`; returns the position behind them. */
function writeDecimal(at: usize, value: u32): usize {
  let digits: u32 = 1;
  for (let rest = value; rest >= 10; rest /= 10) digits++;
  let rest = value;
  for (let i = digits; i > 0; i--) {
    store<u8>(at + i - 1, <u8>(48 + (rest % 10)));
    rest /= 10;
  }
  return at + digits;
}

/**
 * Fingerprints of `count` records to `hashes` (16 bytes each). `cache` is a cache of predicates, zeroed
 * at first, or 0. `scope` holds the 17 bytes of the
 * document scope, or is 0 when labels are kept verbatim (then anonymous nodes use `anonymousScope`).
 * Stored labels are written to `[scratch, scratchEnd)`, and their records point there afterwards.
 * Returns the number of records done, fewer than `count` when scratch is full: the caller goes on with
 * the record behind them, since those that are done must not get their scope twice.
 */
export function hashRecords(
  state: usize,
  cache: usize,
  records: usize,
  count: u32,
  scope: usize,
  anonymousScope: usize,
  scratch: usize,
  scratchEnd: usize,
  hashes: usize,
): u32 {
  const seedLow = load<u64>(state, 40);
  const seedHigh = load<u64>(state, 48);
  let free = scratch;
  let lastStart: usize = 0;
  let lastLength: u32 = 0;
  let lastKind: u32 = 0;
  let lastHash: usize = 0;
  for (let i: u32 = 0; i < count; i++) {
    const record = records + ((<usize>i) << 4);
    const word = load<u32>(record, 4);
    const kind = word >>> 28;
    const out = hashes + ((<usize>i) << 4);
    if (kind == 0) {
      store<u64>(out, 0);
      store<u64>(out, 0, 8);
      continue;
    }
    const length = word & LENGTH_MASK;
    if (kind == TERM_KIND.anonymous || (kind == TERM_KIND.blank && scope != 0)) {
      if (free + 64 + (kind == TERM_KIND.blank ? <usize>length : 0) > scratchEnd) return i;
      const start = free;
      if (kind == TERM_KIND.anonymous) {
        memory.copy(free, anonymousScope, SCOPE_LENGTH);
        store<u8>(free + SCOPE_LENGTH, 97);
        free = writeDecimal(free + SCOPE_LENGTH + 1, length);
      } else {
        memory.copy(free, scope, SCOPE_LENGTH);
        store<u8>(free + SCOPE_LENGTH, 45);
        memory.copy(free + SCOPE_LENGTH + 1, load<u32>(record), length);
        free += SCOPE_LENGTH + 1 + length;
      }
      const stored = <u32>(free - start);
      store<u32>(record, <u32>start);
      store<u32>(record, stored | (TERM_KIND.blank << 28), 4);
      hashTerm(seedLow, seedHigh, TERM_KIND.blank, 0, 0, start, stored, out);
      continue;
    }
    const start: usize = load<u32>(record);
    const column = i & 3;
    const plain = load<u32>(record, 12) == 0;
    if (column == 0 && plain) {
      if (length == lastLength && kind == lastKind && sameBytes(start, lastStart, length)) {
        v128.store(out, v128.load(lastHash));
        continue;
      }
      lastStart = start;
      lastLength = length;
      lastKind = kind;
      lastHash = out;
    } else if (
      cache != 0 &&
      column == 1 &&
      kind == TERM_KIND.iri &&
      plain &&
      length >= 8 &&
      length <= CACHED_LENGTH_MAX
    ) {
      // The last bytes of an IRI tell predicates apart best.
      const slot = (<u32>((load<u64>(start + length - 8) * 0x9e3779b97f4a7c15) >>> 58) ^ length) & 63;
      const entry = cache + <usize>slot * CACHE_ENTRY;
      if (load<u32>(entry, 16) == length && sameBytes(start, entry + 32, length)) {
        v128.store(out, v128.load(entry));
        continue;
      }
      hashTerm(seedLow, seedHigh, kind, 0, 0, start, length, out);
      v128.store(entry, v128.load(out));
      store<u32>(entry, length, 16);
      memory.copy(entry + 32, start, length);
      continue;
    }
    hashTerm(seedLow, seedHigh, kind, load<u32>(record, 8), load<u32>(record, 12), start, length, out);
  }
  return count;
}

/** Appends the stored bytes of a record to the arena; false when they do not fit. */
function append(state: usize, record: usize, number: u32, hash: u64): bool {
  const word = load<u32>(record, 4);
  const length = word & LENGTH_MASK;
  const qualifierLength = load<u32>(record, 12);
  let at: usize = load<u32>(state, 28);
  const need: usize = 2 + <usize>length + <usize>qualifierLength;
  if (number >= load<u32>(state, 16) || at + need + 64 > <usize>load<u32>(state, 24)) return false;
  store<u8>(at++, <u8>(word >>> 28));
  if (qualifierLength) {
    copyWide(at, load<u32>(record, 8), qualifierLength);
    at += qualifierLength;
    store<u8>(at++, 0);
  }
  copyWide(at, load<u32>(record), length);
  at += length;
  store<u32>(state, <u32>at, 28);
  store<u32>(<usize>load<u32>(state, 32) + ((<usize>number + 1) << 2), <u32>at - load<u32>(state, 20));
  store<u64>(<usize>load<u32>(state, 36) + ((<usize>number) << 3), hash);
  store<u32>(state, number + 1, 12);
  return true;
}

/**
 * Provisional numbers of `count` records (a multiple of 4) to `rows` (u32 each); a default graph
 * gets `defaultGraph`. Returns the number of records done, a multiple of 4: fewer than `count` when
 * arena or term count are full, or when the table is too full (the caller grows it or closes the epoch).
 */
export function probeRecords(
  state: usize,
  records: usize,
  hashes: usize,
  count: u32,
  defaultGraph: u32,
  rows: usize,
): u32 {
  const slots: usize = load<u32>(state);
  const logSlots = load<u32>(state, 8);
  const shift: u64 = 64 - logSlots;
  const mask: u32 = (1 << logSlots) - 1;
  const fullAt: u32 = <u32>((((<u64>1) << logSlots) * 5) / 8);
  let sink: u64 = 0;
  let subjectLow: u64 = 0;
  let subjectHigh: u64 = 0;
  let subject: u32 = 0xffffffff;
  for (let from: u32 = 0; from < count; from += BATCH) {
    const to = min<u32>(from + BATCH, count);
    if (load<u32>(state, 12) + BATCH > fullAt) return from;
    for (let i = from; i < to; i++) {
      // Predicates are few and stay in the cache by themselves.
      if ((i & 3) == 1 || (i & 3) == 3) continue;
      const slot: usize = <usize>(load<u64>(hashes + ((<usize>i) << 4)) >>> shift);
      sink += load<u64>(slots + slot * SLOT) + load<u64>(slots + slot * SLOT, 16);
    }
    for (let i = from; i < to; i++) {
      const record = records + ((<usize>i) << 4);
      const target = rows + ((<usize>i) << 2);
      if (load<u32>(record, 4) >>> 28 == 0) {
        store<u32>(target, defaultGraph);
        continue;
      }
      const low = load<u64>(hashes + ((<usize>i) << 4));
      const high = load<u64>(hashes + ((<usize>i) << 4), 8);
      if ((i & 3) == 0) {
        if (low == subjectLow && high == subjectHigh && subject != 0xffffffff) {
          store<u32>(target, subject);
          continue;
        }
        subjectLow = low;
        subjectHigh = high;
        subject = 0xffffffff;
      }
      let slot: u32 = <u32>(low >>> shift);
      while (true) {
        const entry = slots + <usize>slot * SLOT;
        const number = load<u32>(entry, 16);
        if (number == 0) {
          const fresh = load<u32>(state, 12);
          if (!append(state, record, fresh, low)) return i & ~3;
          store<u64>(entry, low);
          store<u64>(entry, high, 8);
          store<u32>(entry, fresh + 1, 16);
          store<u32>(target, fresh);
          if ((i & 3) == 0) subject = fresh;
          break;
        }
        if (load<u64>(entry) == low && load<u64>(entry, 8) == high) {
          store<u32>(target, number - 1);
          if ((i & 3) == 0) subject = number - 1;
          break;
        }
        slot = (slot + 1) & mask;
      }
    }
  }
  // Keeps the touching loads alive; word 15 is never read.
  store<u32>(state, <u32>sink, 60);
  return count;
}

/** Moves all entries into a table of other size (zeroed by the caller) and makes it the state's. */
export function regrowTable(state: usize, slots: usize, logSlots: u32): void {
  const oldSlots: usize = load<u32>(state);
  const oldCount: u32 = 1 << load<u32>(state, 8);
  const shift: u64 = 64 - logSlots;
  const mask: u32 = (1 << logSlots) - 1;
  for (let i: u32 = 0; i < oldCount; i++) {
    const entry = oldSlots + <usize>i * SLOT;
    const number = load<u32>(entry, 16);
    if (number == 0) continue;
    const low = load<u64>(entry);
    let slot: u32 = <u32>(low >>> shift);
    while (load<u32>(slots + <usize>slot * SLOT, 16) != 0) slot = (slot + 1) & mask;
    const target = slots + <usize>slot * SLOT;
    store<u64>(target, low);
    store<u64>(target, load<u64>(entry, 8), 8);
    store<u32>(target, number, 16);
  }
  store<u32>(state, <u32>slots);
  store<u32>(state, logSlots, 8);
}

/** Zeroes memory; JavaScript has no faster way on shared memory. */
export function zero(start: usize, length: usize): void {
  memory.fill(start, 0, length);
}
