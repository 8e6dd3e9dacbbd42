/**
 * Gives each distinct row once, in the order of the input: as soon as it first appears, or at the end
 * where memory did not last.
 */

import { BATCH_ROWS, type IdColumn } from '../../storage/scan.js';
import { BatchBuffer, gather, type QueryBatch } from './batch.js';
import type { MemoryAccount, MemoryBudget } from './memory.js';
import { Operator, PENDING, type Step } from './operator.js';
import { DistinctRows } from './spill/distinct-rows.js';

export class DistinctOperator extends Operator {
  private readonly account: MemoryAccount;
  private readonly rows: DistinctRows;
  private readonly buffer: BatchBuffer;
  private readonly kept: Uint32Array;
  private inputEnded = false;

  constructor(
    private readonly input: Operator,
    budget: MemoryBudget,
  ) {
    super(input.variables, [input]);
    this.account = budget.openAccount();
    this.rows = new DistinctRows(input.variables.length, this.account);
    this.buffer = new BatchBuffer(input.variables.length);
    this.kept = new Uint32Array(BATCH_ROWS);
  }

  protected step(): Step {
    if (this.inputEnded) return this.rows.drain();
    const batch = this.input.next();
    if (batch === PENDING) return PENDING;
    if (batch === null) {
      this.inputEnded = true;
      return PENDING;
    }
    const count = this.findNew(batch);
    if (count === 0) return PENDING;
    if (count === batch.rows) return batch;
    this.buffer.reserve(count);
    for (let column = 0; column < this.buffer.columns.length; column++) {
      gather(batch.columns[column] as IdColumn, this.kept, count, this.buffer.columns[column] as IdColumn);
    }
    this.buffer.rows = count;
    return this.buffer;
  }

  private findNew(batch: QueryBatch): number {
    let count = 0;
    this.rows.beginBatch(batch.columns, batch.rows);
    for (let row = 0; row < batch.rows; row++) if (this.rows.offer(row)) this.kept[count++] = row;
    return count;
  }

  override close(): void {
    this.rows.close();
    this.account.close();
    super.close();
  }
}
