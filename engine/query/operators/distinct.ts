/** Gives each distinct row once, as soon as it first appears: a hash set over all columns. */

import type { IdColumn } from '../../storage/scan.js';
import { BatchBuffer, gather, type QueryBatch } from './batch.js';
import type { MemoryBudget } from './memory.js';
import { Operator, PENDING, type Step } from './operator.js';
import { RowIndex } from './row-index.js';
import { RowStore } from './row-store.js';

export class DistinctOperator extends Operator {
  private readonly seen: RowStore;
  private readonly index: RowIndex;
  private readonly all: readonly number[];
  private readonly buffer: BatchBuffer;
  private readonly kept: Uint32Array;

  constructor(
    private readonly input: Operator,
    budget: MemoryBudget,
  ) {
    super(input.variables, [input]);
    this.all = input.variables.map((_, column) => column);
    this.seen = new RowStore(input.variables.length, budget);
    this.index = new RowIndex(this.seen, this.all, budget);
    this.buffer = new BatchBuffer(input.variables.length);
    this.kept = new Uint32Array(this.buffer.capacity);
  }

  protected step(): Step {
    const batch = this.input.next();
    if (batch === null || batch === PENDING) return batch;
    const count = this.findNew(batch);
    if (count === 0) return PENDING;
    if (count === batch.rows) return batch;
    for (const column of this.all) {
      gather(batch.columns[column] as IdColumn, this.kept, count, this.buffer.columns[column] as IdColumn);
    }
    this.buffer.rows = count;
    return this.buffer;
  }

  private findNew(batch: QueryBatch): number {
    let count = 0;
    for (let row = 0; row < batch.rows; row++) {
      const known = this.seen.rows;
      this.index.findOrAppend(batch.columns, this.all, this.all, row);
      if (this.seen.rows > known) this.kept[count++] = row;
    }
    return count;
  }

  override close(): void {
    this.index.release();
    this.seen.release();
    super.close();
  }
}
