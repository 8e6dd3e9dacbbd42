/** COUNT: rows, or rows in which the expression has a value. */

import type { IdColumn } from '../../storage/scan.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import type { QueryBatch } from '../operators/batch.js';
import type { MemoryAccount } from '../operators/memory.js';
import { Accumulator, grownFloats } from './accumulator.js';
import { AggregatedValues } from './aggregated-values.js';
import { writeValue } from './write-value.js';

export class CountAccumulator extends Accumulator {
  protected readonly groupBytes = Float64Array.BYTES_PER_ELEMENT;
  private counts = new Float64Array(0);
  private readonly values: AggregatedValues;
  private readonly wholeRows: boolean;

  constructor(
    aggregate: Aggregate,
    private readonly context: BatchContext,
    budget: MemoryAccount,
    private readonly grouped: boolean,
  ) {
    super(budget);
    this.wholeRows = aggregate.expression === null;
    this.values = new AggregatedValues(aggregate, context, budget, grouped);
  }

  add(batch: QueryBatch, groups: Int32Array): void {
    this.values.read(batch, groups);
    this.count();
  }

  override finish(): boolean {
    return this.values.takeIn(() => this.count());
  }

  private count(): void {
    const { counts } = this;
    const { count, groups, ids } = this.values;
    if (this.wholeRows && !this.grouped) counts[0] = (counts[0] as number) + count;
    else if (this.wholeRows) {
      for (let row = 0; row < count; row++) {
        const group = groups[row] as number;
        counts[group] = (counts[group] as number) + 1;
      }
    } else {
      for (let row = 0; row < count; row++) {
        const group = groups[row] as number;
        if (ids[2 * row + 1] !== 0 || ids[2 * row] !== 0) counts[group] = (counts[group] as number) + 1;
      }
    }
  }

  write(column: IdColumn, row: number, group: number): void {
    writeValue({ kind: 'integer', value: this.counts[group] as number }, column, row, this.context.terms);
  }

  protected resize(groups: number): void {
    this.counts = grownFloats(this.counts, groups);
  }

  override release(): void {
    this.values.release();
    super.release();
  }
}
