/**
 * Rows kept by a blocking operator: growing columns of ids, counted against the query's budget. They lie on the
 * heap, or, for tables that kernels look into, in kernel memory; then a view of them is good until the store grows.
 */

import { invariant } from '../../base/errors.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { copyId, newColumn, type QueryBatch } from './batch.js';
import { KernelColumns } from './kernel-columns.js';
import type { MemoryCounter } from './memory.js';

const FIRST_CAPACITY = 8;
const BYTES_PER_ID = 8;
const NO_IDS = newColumn(0);
/** Larger stores grow by half, so that a budget is not left half empty. */
const DOUBLED_ROWS_MAX = 1 << 18;

export class RowStore implements QueryBatch {
  columns: IdColumn[] = [];
  rows = 0;
  private capacity = 0;
  private readonly kernel: KernelColumns | null = null;

  constructor(
    readonly width: number,
    private readonly memory: MemoryCounter,
    place: 'heap' | 'kernel' = 'heap',
  ) {
    if (place === 'kernel') this.kernel = new KernelColumns(width);
    for (let column = 0; column < width; column++) this.columns.push(NO_IDS);
  }

  appendBatch(batch: QueryBatch): void {
    invariant(batch.columns.length >= this.width, 'a batch has the columns that a store keeps');
    this.reserve(this.rows + batch.rows);
    for (let column = 0; column < this.width; column++) {
      const source = batch.columns[column] as IdColumn;
      const used = source.length === 2 * batch.rows ? source : source.subarray(0, 2 * batch.rows);
      (this.columns[column] as IdColumn).set(used, 2 * this.rows);
    }
    this.rows += batch.rows;
  }

  /** Appends one row of other columns: `sources[i]` goes to column i. */
  appendRow(columns: readonly IdColumn[], sources: readonly number[], row: number): void {
    if (this.rows === this.capacity) this.reserve(this.rows + 1);
    for (let column = 0; column < this.width; column++) {
      copyId(columns[sources[column] as number] as IdColumn, row, this.columns[column] as IdColumn, this.rows);
    }
    this.rows++;
  }

  /** Keeps the rows that `kept` lists, in that order. For stores on the heap. */
  keep(kept: Uint32Array): void {
    invariant(this.kernel === null, 'a store in kernel memory keeps all of its rows');
    for (let column = 0; column < this.width; column++) {
      const from = this.columns[column] as IdColumn;
      const to = newColumn(kept.length);
      for (let row = 0; row < kept.length; row++) copyId(from, kept[row] as number, to, row);
      this.columns[column] = to;
    }
    this.account(kept.length);
    this.rows = kept.length;
  }

  /** Drops the first `count` rows. */
  dropFirst(count: number): void {
    for (const column of this.columns) column.copyWithin(0, 2 * count, 2 * this.rows);
    this.rows -= count;
  }

  clear(): void {
    this.rows = 0;
  }

  /** What the store would take of the budget for so many more rows. */
  bytesToAppend(rows: number): number {
    return (this.capacityFor(this.rows + rows) - this.capacity) * this.width * BYTES_PER_ID;
  }

  release(): void {
    this.columns = Array(this.width).fill(NO_IDS);
    this.kernel?.release();
    this.account(0);
    this.rows = 0;
  }

  private reserve(rows: number): void {
    const capacity = this.capacityFor(rows);
    if (capacity === this.capacity) return;
    this.account(capacity);
    if (this.kernel !== null) {
      this.kernel.resize(capacity, this.rows);
      this.columns = [...this.kernel.columns];
      return;
    }
    for (let column = 0; column < this.width; column++) {
      const grown = newColumn(capacity);
      if (this.rows > 0) grown.set((this.columns[column] as IdColumn).subarray(0, 2 * this.rows));
      this.columns[column] = grown;
    }
  }

  private capacityFor(rows: number): number {
    if (rows <= this.capacity) return this.capacity;
    let capacity = Math.max(this.capacity, FIRST_CAPACITY);
    while (capacity < rows) capacity = capacity < DOUBLED_ROWS_MAX ? 2 * capacity : Math.ceil(1.5 * capacity);
    return capacity;
  }

  /** Counts before allocating, so that a query over its budget ends without the memory. */
  private account(capacity: number): void {
    const bytes = (capacity - this.capacity) * this.width * BYTES_PER_ID;
    if (bytes > 0) this.memory.take(bytes);
    else this.memory.give(-bytes);
    this.capacity = capacity;
  }
}
