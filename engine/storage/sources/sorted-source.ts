/**
 * Sorts a small source into another order: the rows of a small graph, which the shared partition
 * keeps together in one order only. Holds all rows; the caller sees to it that they are few.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { keyColumns } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, type Order } from '../seam/scan.js';
import { firstNotBefore } from './merge-source.js';
import type { RowSource, SourceBatch } from './row-source.js';
import { keyHalves } from './scan-plan.js';

const HISTOGRAM_BYTES = 16384;

export class SortedSource implements RowSource {
  readonly #memory: ThreadMemory;
  readonly #input: RowSource;
  readonly #order: Order;
  readonly #wanted: readonly number[];
  #rows: RowColumns | null = null;
  #count = 0;
  #at = 0;
  readonly #out: RowColumns;

  /** The input gives dense batches in which the wanted columns, the order's key among them, are decoded. */
  constructor(memory: ThreadMemory, input: RowSource, order: Order, wanted: readonly number[]) {
    this.#memory = memory;
    this.#input = input;
    this.#order = order;
    this.#wanted = wanted;
    this.#out = new RowColumns(memory);
  }

  #load(): RowColumns {
    if (this.#rows) return this.#rows;
    let rows = new RowColumns(this.#memory);
    for (let batch = this.#input.next(); batch !== null; batch = this.#input.next()) {
      if (this.#count + batch.rows > rows.rows) {
        const larger = new RowColumns(this.#memory, 2 * Math.max(rows.rows, this.#count + batch.rows));
        this.#copy(rows.addresses, 0, larger, 0, this.#count);
        rows.release();
        rows = larger;
      }
      this.#copy(batch.columns, 0, rows, this.#count, batch.rows);
      this.#count += batch.rows;
    }
    this.#input.close();
    this.#rows = this.#sort(rows);
    return this.#rows;
  }

  #copy(from: readonly number[], at: number, to: RowColumns, target: number, rows: number): void {
    for (const c of this.#wanted) {
      const start = (from[c] as number) + 8 * at;
      this.#memory.bytes.copyWithin((to.addresses[c] as number) + 8 * target, start, start + 8 * rows);
    }
  }

  /** Stable sorts by each key column from the last to the first, carrying the permutation. */
  #sort(rows: RowColumns): RowColumns {
    const memory = this.#memory;
    const n = Math.max(1, this.#count);
    const keys = memory.allocate(8 * n);
    const keys2 = memory.allocate(8 * n);
    let order = memory.allocate(4 * n);
    let order2 = memory.allocate(4 * n);
    const histogram = memory.allocate(HISTOGRAM_BYTES);
    const words = memory.wordsAt(order, n);
    for (let i = 0; i < this.#count; i++) words[i] = i;
    for (const column of [...keyColumns(this.#order)].reverse()) {
      memory.kernels.gatherColumn(rows.addresses[column] as number, order, this.#count, keys);
      if (memory.kernels.sortPairs(keys, order, keys2, order2, this.#count, histogram, 0)) {
        [order, order2] = [order2, order];
      }
    }
    const sorted = new RowColumns(memory, Math.max(BATCH_ROWS, this.#count));
    for (const c of this.#wanted) {
      memory.kernels.gatherColumn(rows.addresses[c] as number, order, this.#count, sorted.addresses[c] as number);
    }
    memory.free(keys, 8 * n);
    memory.free(keys2, 8 * n);
    memory.free(order, 4 * n);
    memory.free(order2, 4 * n);
    memory.free(histogram, HISTOGRAM_BYTES);
    rows.release();
    return sorted;
  }

  next(): SourceBatch | null {
    const rows = this.#load();
    const count = Math.min(BATCH_ROWS, this.#count - this.#at);
    if (count <= 0) return null;
    this.#copy(rows.addresses, this.#at, this.#out, 0, count);
    this.#at += count;
    return { rows: count, columns: this.#out.addresses, list: this.#out.list, selection: 0, selected: count };
  }

  seek(values: readonly bigint[]): void {
    const rows = this.#load();
    const batch = { rows: this.#count, columns: rows.addresses, list: rows.list, selection: 0, selected: this.#count };
    this.#at = firstNotBefore(this.#memory, batch, keyColumns(this.#order), this.#at, keyHalves(values));
  }

  close(): void {
    if (this.#rows) this.#rows.release();
    else this.#input.close();
    this.#out.release();
  }
}
