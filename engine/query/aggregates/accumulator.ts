/**
 * One aggregate over all groups of a GROUP BY: what it has gathered lies in arrays by group number.
 * The memory of these arrays, and of whatever a group holds beside, is counted against the query's budget.
 */

import type { IdColumn } from '../../storage/scan.js';
import type { QueryBatch } from '../operators/batch.js';
import type { MemoryBudget } from '../operators/memory.js';

const FIRST_GROUPS = 64;

export abstract class Accumulator {
  private capacity = 0;
  private heldBytes = 0;

  constructor(private readonly budget: MemoryBudget) {}

  /** Takes in the rows of a batch; `groups` has the group number of each in its low halves. */
  abstract add(batch: QueryBatch, groups: IdColumn): void;

  /** Writes the result of a group as an id; 0 for an error or no result. */
  abstract write(column: IdColumn, row: number, group: number): void;

  /** Bytes of the arrays for each group. */
  protected abstract readonly groupBytes: number;

  /** Makes the arrays this long, with what they hold. */
  protected abstract resize(groups: number): void;

  /** Makes room for `groups` groups; new ones begin empty. */
  reserve(groups: number): void {
    if (groups <= this.capacity) return;
    const grown = Math.max(groups, FIRST_GROUPS, 2 * this.capacity);
    this.take((grown - this.capacity) * this.groupBytes);
    this.resize(grown);
    this.capacity = grown;
  }

  release(): void {
    this.budget.give(this.heldBytes);
    this.heldBytes = 0;
  }

  protected take(bytes: number): void {
    this.budget.take(bytes);
    this.heldBytes += bytes;
  }
}

/** A longer copy of an array, zeros at the end. */
export function grownFloats(from: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(length);
  grown.set(from);
  return grown;
}

export function grownBytes(from: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(length);
  grown.set(from);
  return grown;
}

/** Of a column of ids, whose length is counted in rows. */
export function grownIds(from: IdColumn, rows: number): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(2 * rows);
  grown.set(from);
  return grown;
}
