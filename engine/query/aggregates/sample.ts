/** SAMPLE: the value of the first row that has one. */

import type { IdColumn } from '../../storage/scan.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import { copyId, type QueryBatch } from '../operators/batch.js';
import { isUnboundAt } from '../operators/ids.js';
import type { MemoryAccount } from '../operators/memory.js';
import { Accumulator, grownIds } from './accumulator.js';
import { AggregatedValues } from './aggregated-values.js';

export class SampleAccumulator extends Accumulator {
  protected readonly groupBytes = 2 * Uint32Array.BYTES_PER_ELEMENT;
  private found: IdColumn = new Uint32Array(0);
  private readonly values: AggregatedValues;

  constructor(aggregate: Aggregate, context: BatchContext, budget: MemoryAccount, grouped: boolean) {
    super(budget);
    this.values = new AggregatedValues({ ...aggregate, distinct: false }, context, budget, grouped);
  }

  add(batch: QueryBatch, groups: Int32Array): void {
    const { values, found } = this;
    values.read(batch, groups);
    for (let row = 0; row < batch.rows; row++) {
      const group = groups[row] as number;
      if (isUnboundAt(found, group)) copyId(values.ids, row, found, group);
    }
  }

  write(column: IdColumn, row: number, group: number): void {
    copyId(this.found, group, column, row);
  }

  protected resize(groups: number): void {
    this.found = grownIds(this.found, groups);
  }

  override release(): void {
    this.values.release();
    super.release();
  }
}
