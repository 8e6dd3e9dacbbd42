/**
 * What is found out once for each distinct id of a column and mostly kept from batch to batch, in tables that all
 * expressions of the thread share: the answers of conditions, and the values of expressions of one variable.
 */

import { KernelInput, keptInMemory, threadMemory, threadWords } from '../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import { type ComputedTerms, Remembered } from '../terms/computed-terms.js';
import { decideInKernel } from './answers.js';

const TAGS = 256;
const COUNTS = 3;
/** Bytes of an entry of a table: an id, who asked, and what was found. */
const ENTRIES = 2 ** 17;
const ANSWER_BYTES = 16 * ENTRIES;
const VALUE_BYTES = 24 * ENTRIES;

let askers = 0;
const idInput = new KernelInput(2 * BATCH_ROWS);

function table(bytes: number): number {
  const memory = threadMemory();
  const address = memory.allocate(bytes);
  memory.kernels.zero(address, bytes);
  return address;
}

function words(count: number): Uint32Array {
  return threadWords(threadMemory().allocate(4 * count), count);
}

const answerAreas = keptInMemory((memory) => ({
  tableAt: table(ANSWER_BYTES),
  byTag: memory.bytesAt(memory.allocate(TAGS), TAGS),
  wanted: words(2 * BATCH_ROWS),
  waitingAt: memory.allocate(8 * BATCH_ROWS),
  counts: words(COUNTS),
  answers: memory.bytesAt(memory.allocate(BATCH_ROWS), BATCH_ROWS),
}));

const valueAreas = keptInMemory((memory) => ({
  tableAt: table(VALUE_BYTES),
  out: words(2 * BATCH_ROWS),
  wanted: words(2 * BATCH_ROWS),
  values: words(2 * BATCH_ROWS),
  waitingAt: memory.allocate(8 * BATCH_ROWS),
  waits: words(2),
}));

export interface Question {
  /** The first `count` ids. */
  readonly ids: IdColumn;
  readonly count: number;
  /** All ids are of the dictionary. */
  readonly stored: boolean;
  /** A byte for each id, to be filled. */
  readonly answers: Uint8Array;
}

export class IdAnswers {
  /** Number 0 asks nothing: the table begins with it. */
  private readonly asker = ++askers >>> 0;

  /** `byTag` has an answer for each tag, 255 where `ask` has to say it. */
  constructor(
    private readonly byTag: Uint8Array,
    private readonly ask: (question: Question) => void,
  ) {}

  /** Decides the undecided of the first `rows` answers; true when a row is left so. */
  decide(ids: IdColumn, rows: number, out: Uint8Array): boolean {
    const { tableAt, byTag, wanted, waitingAt, counts, answers } = answerAreas();
    const { asker } = this;
    const { kernels } = threadMemory();
    byTag.set(this.byTag);
    const idsAt = idInput.addressOf(ids, 2 * rows);
    const [wantedAt, tagsAt, countsAt] = [wanted.byteOffset, byTag.byteOffset, counts.byteOffset];
    let left = 0;
    decideInKernel(out, rows, (at) => {
      const count = kernels.findAnswers(tableAt, asker, tagsAt, idsAt, rows, at, wantedAt, waitingAt, countsAt);
      left = counts[1] as number;
      const waits = counts[0] as number;
      if (count > 0) this.ask({ ids: wanted, count, stored: counts[2] === 0, answers });
      kernels.giveAnswers(tableAt, asker, wantedAt, count, answers.byteOffset, waitingAt, waits, at, 1);
    });
    return left > 0;
  }
}

/** Puts the value of each of the first `count` ids into the same place; 0 for an error. It may not ask for other values. */
export type ComputeValues = (ids: IdColumn, count: number, values: IdColumn) => void;

export class IdValues {
  /** Number 0 asks nothing: the table begins with it. */
  private readonly asker: Remembered<number>;

  /** `computed`: where the ids of the values come from. */
  constructor(
    computed: ComputedTerms,
    private readonly compute: ComputeValues,
  ) {
    this.asker = new Remembered(computed, () => ++askers >>> 0);
  }

  /** The values of the first `rows` ids; `into` may be the column of the ids itself. */
  write(ids: IdColumn, rows: number, into: IdColumn): void {
    const { tableAt, out, wanted, values, waitingAt, waits } = valueAreas();
    const asker = this.asker.current;
    const { kernels } = threadMemory();
    const [outAt, wantedAt] = [out.byteOffset, wanted.byteOffset];
    const idsAt = idInput.addressOf(ids, 2 * rows);
    const asked = kernels.findValues(tableAt, asker, idsAt, rows, outAt, wantedAt, waitingAt, waits.byteOffset);
    const count = waits[0] as number;
    if (asked > 0) this.compute(wanted, asked, values);
    if (count > 0) kernels.giveAnswers(tableAt, asker, wantedAt, asked, values.byteOffset, waitingAt, count, outAt, 8);
    into.set(out.subarray(0, 2 * rows));
  }
}
