/**
 * One aggregate over all groups of a GROUP BY. What it has gathered of each group is a record in kernel memory, by group
 * number: kernels add whole batches to the records, and the exact slow ways read and write single fields. The memory of
 * the records, and of whatever a group holds beside, is counted. Values of DISTINCT that memory does not last for are put
 * aside and taken in at the end (`finish`).
 */

import { invariant } from '../../base/errors.js';
import { threadMemory } from '../../kernels/thread-memory.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import type { QueryBatch } from '../runtime/batch.js';
import type { MemoryAccount } from '../runtime/memory.js';
import type { Work } from '../runtime/operator.js';
import type { QueryTerms } from '../terms/terms.js';
import { AggregatedValues } from './aggregated-values.js';

const FIRST_GROUPS = 16;

export abstract class Accumulator {
  /** Groups take more memory as more rows come, beside what is put aside. */
  readonly grows: boolean = false;
  protected readonly values: AggregatedValues;
  protected readonly terms: QueryTerms;
  /** All records, of zeros at first; to be taken anew after `reserve`. */
  protected address = 0;
  protected bytes: Uint8Array = new Uint8Array(0);
  protected words: Uint32Array = new Uint32Array(0);
  protected doubles: Float64Array = new Float64Array(0);
  private capacity = 0;
  private heldBytes = 0;

  /** Not grouped: all is group 0. */
  constructor(
    protected readonly aggregate: Aggregate,
    context: BatchContext,
    private readonly budget: MemoryAccount,
    protected readonly grouped: boolean,
  ) {
    this.values = new AggregatedValues(aggregate, context, budget, grouped);
    this.terms = context.terms;
  }

  /** Bytes of the record of a group: whole doubles. */
  protected abstract readonly groupBytes: number;

  /** Takes in the rows of a batch; `groups` has the group number of each. */
  add(batch: QueryBatch, groups: Int32Array): void {
    this.values.read(batch, groups);
    this.addRows();
  }

  /**
   * Takes in what kernels gathered of other rows, which come behind those that are in: as many records at an address as there are
   * `groups`, each with the number of its group here. There is no DISTINCT, and no value that kernels can't tell.
   */
  merge(_records: number, _count: number, _groups: Int32Array): void {
    invariant(false, 'what a morsel gathers can be brought together');
  }

  /** Takes in the values that count. */
  protected abstract addRows(): void;

  /** A kernel takes the values from a row on and stops at each that it leaves to `addRow`. */
  protected addByKernel(take: (row: number) => number, addRow: (group: number, row: number) => void): void {
    const { ids, groups, count } = this.values;
    let prepared = false;
    for (let row = 0; row < count; row++) {
      row = take(row);
      if (row === count) return;
      if (!prepared) this.terms.doubles.prepare(ids, count);
      prepared = true;
      addRow(groups[row] as number, row);
    }
  }

  /** Writes the results of the groups from `first` on as ids, into the first `count` rows; 0 for an error or no result. */
  abstract write(column: IdColumn, first: number, count: number): void;

  /** Makes room for `groups` groups; new ones begin empty. */
  reserve(groups: number): void {
    const grown = this.capacityFor(groups);
    if (grown === this.capacity) return;
    this.take((grown - this.capacity) * this.groupBytes);
    this.resize(grown);
    this.capacity = grown;
  }

  private resize(groups: number): void {
    const memory = threadMemory();
    const { bytes: held, address } = this;
    const length = groups * this.groupBytes;
    this.address = memory.allocate(length);
    this.bytes = memory.bytesAt(this.address, length);
    this.bytes.set(held);
    this.bytes.fill(0, held.length);
    this.words = memory.wordsAt(this.address, length / 4);
    this.doubles = memory.doublesAt(this.address, length / 8);
    if (held.length > 0) memory.free(address, held.length);
  }

  /** What `reserve` would take. */
  bytesToReserve(groups: number): number {
    return (this.capacityFor(groups) - this.capacity) * this.groupBytes;
  }

  /** After the last batch: takes in what was put aside. */
  finish(): Work {
    return this.values.takeIn(() => this.addRows());
  }

  release(): void {
    if (this.bytes.length > 0) threadMemory().free(this.address, this.bytes.length);
    this.bytes = new Uint8Array(0);
    this.words = new Uint32Array(0);
    this.doubles = new Float64Array(0);
    this.values.release();
    this.budget.give(this.heldBytes);
    this.heldBytes = 0;
  }

  private capacityFor(groups: number): number {
    return groups <= this.capacity ? this.capacity : Math.max(groups, FIRST_GROUPS, 2 * this.capacity);
  }

  protected take(bytes: number): void {
    this.budget.take(bytes);
    this.heldBytes += bytes;
  }
}
