/**
 * One aggregate over all groups of a GROUP BY: what it has gathered lies in arrays by group number.
 * The memory of these arrays, and of whatever a group holds beside, is counted. Values of DISTINCT that
 * memory does not last for are put aside and taken in at the end (`finish`).
 */

import type { IdColumn } from '../../storage/seam/scan.js';
import type { QueryBatch } from '../runtime/batch.js';
import type { MemoryAccount } from '../runtime/memory.js';
import type { Work } from '../runtime/operator.js';
import type { AggregatedValues } from './aggregated-values.js';

const FIRST_GROUPS = 16;

export abstract class Accumulator {
  /** Groups take more memory as more rows come, beside what is put aside. */
  readonly grows: boolean = false;
  private capacity = 0;
  private heldBytes = 0;

  constructor(
    protected readonly values: AggregatedValues,
    private readonly budget: MemoryAccount,
  ) {}

  /** Takes in the rows of a batch; `groups` has the group number of each. */
  add(batch: QueryBatch, groups: Int32Array): void {
    this.values.read(batch, groups);
    this.addRows();
  }

  /** Takes in the values that count. */
  protected abstract addRows(): void;

  /** Writes the results of the groups from `first` on as ids, into the first `count` rows; 0 for an error or no result. */
  abstract write(column: IdColumn, first: number, count: number): void;

  /** Bytes of the arrays for each group. */
  protected abstract readonly groupBytes: number;

  /** Makes the arrays this long, with what they hold. */
  protected abstract resize(groups: number): void;

  /** Makes room for `groups` groups; new ones begin empty. */
  reserve(groups: number): void {
    const grown = this.capacityFor(groups);
    if (grown === this.capacity) return;
    this.take((grown - this.capacity) * this.groupBytes);
    this.resize(grown);
    this.capacity = grown;
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
