/** SAMPLE: the value of the first row that has one. */

import { threadMemory } from '../../kernels/thread-memory.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import type { QueryBatch } from '../runtime/batch.js';
import type { MemoryAccount } from '../runtime/memory.js';
import type { QueryTerms } from '../terms/terms.js';
import { Accumulator } from './accumulator.js';
import { AggregatedValues } from './aggregated-values.js';
import { GroupRecords } from './group-records.js';
import { groupsAddress, idsAddress } from './kernel-rows.js';

export class SampleAccumulator extends Accumulator {
  protected readonly groupBytes = 2 * Uint32Array.BYTES_PER_ELEMENT;
  private readonly found = new GroupRecords(8);
  private readonly values: AggregatedValues;
  private readonly terms: QueryTerms;

  constructor(aggregate: Aggregate, context: BatchContext, budget: MemoryAccount, grouped: boolean) {
    super(budget);
    this.terms = context.terms;
    this.values = new AggregatedValues({ ...aggregate, distinct: false }, context, budget, grouped);
  }

  add(batch: QueryBatch, groups: Int32Array): void {
    this.values.read(batch, groups);
    const { rows } = batch;
    if (rows === 0) return;
    const ids = idsAddress(this.values.ids, rows);
    threadMemory().kernels.sampleGroups(ids, groupsAddress(groups, rows), rows, this.found.address);
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
    this.values.release();
    super.release();
  }
}
