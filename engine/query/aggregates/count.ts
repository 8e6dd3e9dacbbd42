/** COUNT: rows, or rows in which the expression has a value. */

import { threadMemory } from '../../kernels/thread-memory.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import type { MemoryAccount } from '../runtime/memory.js';
import { Accumulator } from './accumulator.js';
import type { AggregatedValues } from './aggregated-values.js';
import { GroupRecords } from './group-records.js';
import { groupsAddress, idsAddress } from './kernel-rows.js';
import { writeIntegers } from './write-value.js';

export class CountAccumulator extends Accumulator {
  protected readonly groupBytes = Float64Array.BYTES_PER_ELEMENT;
  private readonly counts = new GroupRecords(Float64Array.BYTES_PER_ELEMENT);
  private readonly wholeRows: boolean;

  constructor(
    aggregate: Aggregate,
    values: AggregatedValues,
    private readonly context: BatchContext,
    budget: MemoryAccount,
    private readonly grouped: boolean,
  ) {
    super(values, budget);
    this.wholeRows = aggregate.expression === null;
  }

  protected addRows(): void {
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
    super.release();
  }
}
