/**
 * Answers about ids, remembered in a table of the thread: one place for each hash, so that an id may push
 * another one out, which is then asked about again. A slot is the id, who asked, and the answer; or the
 * number of the question while there is none.
 */

const SLOT_BITS: u64 = 17;
const QUESTION: u32 = 256;
const UNDECIDED: u32 = 3;
const BY_VALUE: u32 = 255;

// @inline
function slotOf(table: usize, id: u64): usize {
  return table + ((<usize>((id * 0x9e3779b97f4a7c15) >>> (64 - SLOT_BITS))) << 4);
}

// @inline
function isDictionaryTag(tag: u64): bool {
  return (tag >= 0x10 && tag <= 0x33) || tag == 0x50;
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
    const slot = slotOf(table, id);
    let question = asked;
    if (load<u64>(slot) == id && load<u32>(slot, 8) == asker) {
      const known = load<u32>(slot, 12);
      if (known < QUESTION) {
        store<u8>(out + row, <u8>known);
        continue;
      }
      question = known - QUESTION;
    } else {
      store<u64>(slot, id);
      store<u32>(slot, asker, 8);
      store<u32>(slot, QUESTION + asked, 12);
      store<u64>(wanted + ((<usize>asked) << 3), id);
      others += <u32>!isDictionaryTag(id >>> 56);
      asked++;
    }
    const place = waiting + ((<usize>waits) << 3);
    store<u32>(place, row);
    store<u32>(place, question, 4);
    waits++;
  }
  store<u32>(counts, waits);
  store<u32>(counts, left, 4);
  store<u32>(counts, others, 8);
  return asked;
}

/** The answers to the questions of the last call, a byte each: for the rows that wait, and for later batches. */
export function giveAnswers(
  table: usize,
  asker: u32,
  wanted: usize,
  asked: u32,
  answers: usize,
  waiting: usize,
  waits: u32,
  out: usize,
): void {
  for (let question: u32 = 0; question < asked; question++) {
    const id = load<u64>(wanted + ((<usize>question) << 3));
    const slot = slotOf(table, id);
    const own = load<u64>(slot) == id && load<u32>(slot, 8) == asker && load<u32>(slot, 12) == QUESTION + question;
    if (own) store<u32>(slot, load<u8>(answers + question), 12);
  }
  for (let at: u32 = 0; at < waits; at++) {
    const place = waiting + ((<usize>at) << 3);
    store<u8>(out + load<u32>(place), load<u8>(answers + load<u32>(place, 4)));
  }
}
