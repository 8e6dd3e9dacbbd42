/**
 * Gives each distinct row once, in the order of the input: as soon as it first appears, or at the end
 * where memory did not last.
 */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import { AdjacentRows } from '../../runtime/adjacent-rows.js';
import { BatchBuffer, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryAccount, MemoryBudget } from '../../runtime/memory.js';
import { type KeyFilter, type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import { DistinctRows } from '../../runtime/spill/distinct-rows.js';

/** Rows of a batch that are new, while they are brought together. */
const newRows = new Uint32Array(BATCH_ROWS);

export class DistinctOperator extends WorkOperator {
  private readonly account: MemoryAccount;
  private readonly rows: DistinctRows | AdjacentRows;
  private readonly buffer: BatchBuffer;

  constructor(
    private readonly input: Operator,
    budget: MemoryBudget,
    /** Equal rows come one after the other. */
    adjacent = false,
  ) {
    super(input.variables, [input]);
    this.account = budget.openAccount();
    const width = input.variables.length;
    this.rows = adjacent ? new AdjacentRows(width) : new DistinctRows(width, this.account);
    this.buffer = new BatchBuffer(input.variables.length, 0);
  }

  override narrow(filter: KeyFilter): void {
    this.narrowInputs(filter);
  }

  protected *work(): Work<void, QueryBatch> {
    for (const step of this.input.batches()) yield step === PENDING ? PENDING : this.newRowsOf(step);
    yield* this.rows.drain();
  }

  private newRowsOf(batch: QueryBatch): QueryBatch | typeof PENDING {
    const count = this.rows.select(batch.columns, batch.rows, newRows);
    if (count === 0) return PENDING;
    if (count === batch.rows) return batch;
    this.buffer.reserveMore(count);
    return this.buffer.gather(batch, newRows, count);
  }

  override close(): void {
    super.close();
    this.rows.close();
    this.account.close();
  }
}
