/** COUNT: rows, or rows in which the expression has a value. */

import type { IdColumn } from '../../storage/scan.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import type { QueryBatch } from '../operators/batch.js';
import { isUnboundAt } from '../operators/ids.js';
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
  ) {
    super(budget);
    this.wholeRows = aggregate.expression === null;
    this.values = new AggregatedValues(aggregate, context, budget);
  }

  add(batch: QueryBatch, groups: IdColumn): void {
    this.values.read(batch, groups);
    this.count(groups);
  }

  override finish(): boolean {
    return this.values.takeIn((groups) => this.count(groups));
  }

  private count(groups: IdColumn): void {
    const { values, counts, wholeRows } = this;
    for (let at = 0; at < values.count; at++) {
      const row = values.rows[at] as number;
      if (!wholeRows && isUnboundAt(values.ids, row)) continue;
      const group = groups[2 * row] as number;
      counts[group] = (counts[group] as number) + 1;
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
