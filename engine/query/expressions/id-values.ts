/**
 * The values of an expression of one variable, found out once for each distinct id and mostly kept from batch to batch, in
 * a table that all expressions of the thread share.
 */

import { KernelInput, keptInMemory, threadMemory, threadWords } from '../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { QueryTerms } from '../terms/terms.js';

const TABLE_BYTES = 24 * 2 ** 17;

interface Areas {
  readonly tableAt: number;
  readonly out: Uint32Array;
  readonly wanted: Uint32Array;
  readonly values: Uint32Array;
  readonly waitingAt: number;
  readonly waits: Uint32Array;
}

let askers = 0;
const idInput = new KernelInput(2 * BATCH_ROWS);

const areas = keptInMemory((memory): Areas => {
  const tableAt = memory.allocate(TABLE_BYTES);
  memory.kernels.zero(tableAt, TABLE_BYTES);
  const column = (): Uint32Array => threadWords(memory.allocate(8 * BATCH_ROWS), 2 * BATCH_ROWS);
  return {
    tableAt,
    out: column(),
    wanted: column(),
    values: column(),
    waitingAt: memory.allocate(8 * BATCH_ROWS),
    waits: threadWords(memory.allocate(8), 2),
  };
});

/** Puts the value of each of the first `count` ids into the same place; 0 for an error. It may not ask for other values. */
export type ComputeValues = (ids: IdColumn, count: number, values: IdColumn) => void;

export class IdValues {
  /** Number 0 asks nothing: the table begins with it. */
  private asker = ++askers >>> 0;
  private generation = 0;

  /** `terms`: whose terms the values are; what is known of them goes when these are forgotten. */
  constructor(
    private readonly terms: QueryTerms,
    private readonly compute: ComputeValues,
  ) {}

  /** The values of the first `rows` ids; `into` may be the column of the ids itself. */
  write(ids: IdColumn, rows: number, into: IdColumn): void {
    if (this.generation !== this.terms.generation) {
      this.generation = this.terms.generation;
      this.asker = ++askers >>> 0;
    }
    const { tableAt, out, wanted, values, waitingAt, waits } = areas();
    const { asker } = this;
    const { kernels } = threadMemory();
    const [outAt, wantedAt] = [out.byteOffset, wanted.byteOffset];
    const idsAt = idInput.addressOf(ids, 2 * rows);
    const asked = kernels.findValues(tableAt, asker, idsAt, rows, outAt, wantedAt, waitingAt, waits.byteOffset);
    const count = waits[0] as number;
    if (asked > 0) this.compute(wanted, asked, values);
    if (count > 0) kernels.giveValues(tableAt, asker, wantedAt, asked, values.byteOffset, waitingAt, count, outAt);
    into.set(out.subarray(0, 2 * rows));
  }
}
