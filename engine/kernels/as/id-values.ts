/**
 * What an expression makes of ids, remembered in a table of the thread as `id-answers.ts` remembers answers: one
 * place for each hash, so that an id may push another one out. A slot is the id, its value, who asked, and the number
 * of the question while there is no value.
 */

const SLOT_BITS: u64 = 17;
const SLOT_BYTES: usize = 24;
const KNOWN: u32 = 0xffffffff;

// @inline
function slotOf(table: usize, id: u64): usize {
  return table + <usize>((id * 0x9e3779b97f4a7c15) >>> (64 - SLOT_BITS)) * SLOT_BYTES;
}

/**
 * Writes the values of the first `rows` ids to `out` where they are known. Ids of which nothing is known are listed at
 * `wanted`; the rows that wait, and for each of them the number of its id among those, at `waiting` (pairs of u32).
 * Returns the length of `wanted`; at `waits` is the number of rows that wait.
 */
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
    const slot = slotOf(table, id);
    let question = asked;
    if (load<u64>(slot) == id && load<u32>(slot, 16) == asker) {
      question = load<u32>(slot, 20);
      if (question == KNOWN) {
        store<u64>(out + ((<usize>row) << 3), load<u64>(slot, 8));
        continue;
      }
    } else {
      store<u64>(slot, id);
      store<u32>(slot, asker, 16);
      store<u32>(slot, asked, 20);
      store<u64>(wanted + ((<usize>asked) << 3), id);
      asked++;
    }
    const place = waiting + ((<usize>waitingRows) << 3);
    store<u32>(place, row);
    store<u32>(place, question, 4);
    waitingRows++;
  }
  store<u32>(waits, waitingRows);
  return asked;
}

/** The values of the ids that the last call wanted: for the rows that wait, and for later batches. */
export function giveValues(
  table: usize,
  asker: u32,
  wanted: usize,
  asked: u32,
  values: usize,
  waiting: usize,
  waits: u32,
  out: usize,
): void {
  for (let question: u32 = 0; question < asked; question++) {
    const id = load<u64>(wanted + ((<usize>question) << 3));
    const slot = slotOf(table, id);
    if (load<u64>(slot) != id || load<u32>(slot, 16) != asker || load<u32>(slot, 20) != question) continue;
    store<u64>(slot, load<u64>(values + ((<usize>question) << 3)), 8);
    store<u32>(slot, KNOWN, 20);
  }
  for (let at: u32 = 0; at < waits; at++) {
    const place = waiting + ((<usize>at) << 3);
    const value = load<u64>(values + ((<usize>load<u32>(place, 4)) << 3));
    store<u64>(out + ((<usize>load<u32>(place)) << 3), value);
  }
}
