/** COUNT: rows, or rows in which the expression has a value. */

import { threadMemory } from '../../kernels/thread-memory.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import type { QueryBatch } from '../runtime/batch.js';
import type { MemoryAccount } from '../runtime/memory.js';
import type { Work } from '../runtime/operator.js';
import { Accumulator } from './accumulator.js';
import { AggregatedValues } from './aggregated-values.js';
import { GroupRecords } from './group-records.js';
import { groupsAddress, idsAddress } from './kernel-rows.js';
import { writeIntegers } from './write-value.js';

export class CountAccumulator extends Accumulator {
  protected readonly groupBytes = Float64Array.BYTES_PER_ELEMENT;
  private readonly counts = new GroupRecords(Float64Array.BYTES_PER_ELEMENT);
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

  override finish(): Work {
    return this.values.takeIn(() => this.count());
  }

  private count(): void {
    const { address, doubles } = this.counts;
    const { count, groups, ids } = this.values;
    if (this.wholeRows && !this.grouped) doubles[0] = (doubles[0] as number) + count;
    else if (count > 0) {
      const counted = this.wholeRows ? 0 : idsAddress(ids, count);
      threadMemory().kernels.countRows(counted, groupsAddress(groups, count), count, address);
    }
  }

  write(column: IdColumn, first: number, count: number): void {
    writeIntegers(this.counts, first, count, column, this.context.terms);
  }

  protected resize(groups: number): void {
    this.counts.resize(groups);
  }

  override release(): void {
    this.counts.release();
    this.values.release();
    super.release();
  }
}
