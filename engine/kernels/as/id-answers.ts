/**
 * What is known of ids, remembered in a table of the thread: one place for each hash, so that an id may push
 * another one out, which is then asked about again. A slot is the id, who asked, and a word: below QUESTION what is known,
 * from there on the number of the question while there is no answer. Answers are the word itself; values have a u64 behind it.
 */

import { TAG } from './term-codes';

const SLOT_BITS: u64 = 17;
const ANSWER_SLOT: usize = 16;
const VALUE_SLOT: usize = 24;
const QUESTION: u32 = 256;
const UNDECIDED: u32 = 3;
const BY_VALUE: u32 = 255;

// @inline
function slotOf(table: usize, id: u64, bytes: usize): usize {
  return table + <usize>((id * 0x9e3779b97f4a7c15) >>> (64 - SLOT_BITS)) * bytes;
}

/** The word of an id; one that `asker` has no slot for is listed at `wanted`, as question number `asked`. */
// @inline
function wordAt(slot: usize, id: u64, asker: u32, asked: u32, wanted: usize): u32 {
  if (load<u64>(slot) == id && load<u32>(slot, 8) == asker) return load<u32>(slot, 12);
  store<u64>(slot, id);
  store<u32>(slot, asker, 8);
  store<u32>(slot, QUESTION + asked, 12);
  store<u64>(wanted + ((<usize>asked) << 3), id);
  return QUESTION + asked;
}

// @inline
function listWaiting(waiting: usize, waits: u32, row: u32, question: u32): void {
  const place = waiting + ((<usize>waits) << 3);
  store<u32>(place, row);
  store<u32>(place, question, 4);
}

// @inline
function isDictionaryTag(tag: u64): bool {
  return (tag >= <u64>TAG.blank && tag <= <u64>TAG.typed) || tag == TAG.triple;
}

/**
 * Decides the undecided among the first `rows` bytes at `out`, by the table of 256 answers by tag at `byTag`, and
 * where that says BY_VALUE by what is known. Ids of which nothing is known are listed at `wanted`; the rows that wait, and for
 * each of them the number of its id among those, at `waiting` (pairs of u32). Returns the length of `wanted`; at
 * `counts` are the rows that wait, those that stay undecided, and the wanted ids that the dictionary does not have.
 */
export function findAnswers(
  table: usize,
  asker: u32,
  byTag: usize,
  ids: usize,
  rows: u32,
  out: usize,
  wanted: usize,
  waiting: usize,
  counts: usize,
): u32 {
  let asked: u32 = 0;
  let waits: u32 = 0;
  let left: u32 = 0;
  let others: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    if (load<u8>(out + row) != UNDECIDED) continue;
    const id = load<u64>(ids + ((<usize>row) << 3));
    const answer = <u32>load<u8>(byTag + <usize>(id >>> 56));
    if (answer != BY_VALUE) {
      store<u8>(out + row, <u8>answer);
      left += <u32>(answer == UNDECIDED);
      continue;
    }
    const word = wordAt(slotOf(table, id, ANSWER_SLOT), id, asker, asked, wanted);
    if (word < QUESTION) {
      store<u8>(out + row, <u8>word);
      continue;
    }
    if (word == QUESTION + asked) {
      others += <u32>!isDictionaryTag(id >>> 56);
      asked++;
    }
    listWaiting(waiting, waits++, row, word - QUESTION);
  }
  store<u32>(counts, waits);
  store<u32>(counts, left, 4);
  store<u32>(counts, others, 8);
  return asked;
}

/** Writes the values of the first `rows` ids to `out` where they are known; the rest is as above. At `waits` is the number of rows that wait. */
export function findValues(
  table: usize,
  asker: u32,
  ids: usize,
  rows: u32,
  out: usize,
  wanted: usize,
  waiting: usize,
  waits: usize,
): u32 {
  let asked: u32 = 0;
  let waitingRows: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const id = load<u64>(ids + ((<usize>row) << 3));
    const slot = slotOf(table, id, VALUE_SLOT);
    const word = wordAt(slot, id, asker, asked, wanted);
    if (word < QUESTION) {
      store<u64>(out + ((<usize>row) << 3), load<u64>(slot, 16));
      continue;
    }
    asked += <u32>(word == QUESTION + asked);
    listWaiting(waiting, waitingRows++, row, word - QUESTION);
  }
  store<u32>(waits, waitingRows);
  return asked;
}

/** What the questions of the last call were answered with: for the rows that wait, and for later batches. */
// @inline
function give<T>(
  table: usize,
  asker: u32,
  wanted: usize,
  asked: u32,
  answers: usize,
  waiting: usize,
  waits: u32,
  out: usize,
): void {
  const isValue = sizeof<T>() == 8;
  for (let question: u32 = 0; question < asked; question++) {
    const id = load<u64>(wanted + ((<usize>question) << 3));
    const slot = slotOf(table, id, isValue ? VALUE_SLOT : ANSWER_SLOT);
    if (load<u64>(slot) != id || load<u32>(slot, 8) != asker || load<u32>(slot, 12) != QUESTION + question) continue;
    const answer = load<T>(answers + <usize>question * sizeof<T>());
    store<u32>(slot, isValue ? 0 : <u32>answer, 12);
    if (isValue) store<T>(slot, answer, 16);
  }
  for (let at: u32 = 0; at < waits; at++) {
    const place = waiting + ((<usize>at) << 3);
    const answer = load<T>(answers + <usize>load<u32>(place, 4) * sizeof<T>());
    store<T>(out + <usize>load<u32>(place) * sizeof<T>(), answer);
  }
}

/** Answers of `bytes` bytes each: 1 for answers, 8 for values. */
export function giveAnswers(
  table: usize,
  asker: u32,
  wanted: usize,
  asked: u32,
  answers: usize,
  waiting: usize,
  waits: u32,
  out: usize,
  bytes: u32,
): void {
  if (bytes == 1) give<u8>(table, asker, wanted, asked, answers, waiting, waits, out);
  else give<u64>(table, asker, wanted, asked, answers, waiting, waits, out);
}
