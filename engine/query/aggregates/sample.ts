/** SAMPLE: the value of the first row that has one. */

import { threadMemory } from '../../kernels/thread-memory.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { MemoryAccount } from '../runtime/memory.js';
import type { QueryTerms } from '../terms/terms.js';
import { Accumulator } from './accumulator.js';
import type { AggregatedValues } from './aggregated-values.js';
import { GroupRecords } from './group-records.js';
import { groupsAddress, idsAddress } from './kernel-rows.js';

export class SampleAccumulator extends Accumulator {
  protected readonly groupBytes = 2 * Uint32Array.BYTES_PER_ELEMENT;
  private readonly found = new GroupRecords(8);

  constructor(
    values: AggregatedValues,
    private readonly terms: QueryTerms,
    budget: MemoryAccount,
  ) {
    super(values, budget);
  }

  protected addRows(): void {
    const { count, groups, ids } = this.values;
    if (count === 0) return;
    const idsAt = idsAddress(ids, count);
    threadMemory().kernels.sampleGroups(idsAt, groupsAddress(groups, count), count, this.found.address);
  }

  write(column: IdColumn, first: number, count: number): void {
    column.set(this.found.words.subarray(2 * first, 2 * (first + count)));
    this.terms.settle(column, count);
  }

  protected resize(groups: number): void {
    this.found.resize(groups);
  }

  override release(): void {
    this.found.release();
    super.release();
  }
}
