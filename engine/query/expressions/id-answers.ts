/**
 * Answers about the distinct ids of a column, found out once and mostly kept from batch to batch, in a table
 * that all conditions of the thread share.
 */

import { KernelInput, keptInMemory, threadMemory, threadWords } from '../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import { decideInKernel } from './kernel-answers.js';

const TABLE_BYTES = 16 * 2 ** 17;
const TAGS = 256;
const COUNTS = 3;

interface Areas {
  readonly tableAt: number;
  readonly byTag: Uint8Array;
  readonly wanted: Uint32Array;
  readonly waitingAt: number;
  readonly counts: Uint32Array;
  readonly answers: Uint8Array;
}

let askers = 0;
const idInput = new KernelInput(2 * BATCH_ROWS);

const areas = keptInMemory((memory): Areas => {
  const tableAt = memory.allocate(TABLE_BYTES);
  memory.kernels.zero(tableAt, TABLE_BYTES);
  return {
    tableAt,
    byTag: memory.bytesAt(memory.allocate(TAGS), TAGS),
    wanted: threadWords(memory.allocate(8 * BATCH_ROWS), 2 * BATCH_ROWS),
    waitingAt: memory.allocate(8 * BATCH_ROWS),
    counts: threadWords(memory.allocate(4 * COUNTS), COUNTS),
    answers: memory.bytesAt(memory.allocate(BATCH_ROWS), BATCH_ROWS),
  };
});

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
    const { tableAt, byTag, wanted, waitingAt, counts, answers } = areas();
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
      kernels.giveAnswers(tableAt, asker, wantedAt, count, answers.byteOffset, waitingAt, waits, at);
    });
    return left > 0;
  }
}
