/**
 * The rows of a sorted source whose triples another one in the same order does not have. Both are read once, side by
 * side: a batch of removals is kept until the rows have passed its last triple.
 */

import { invariant } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { keyColumns, packedKey } from '../runs/orders.js';
import type { Order } from '../seam/scan.js';
import { FilterSource, keepRows, type RowSource, type SourceBatch } from './row-source.js';

/** Columns of the key that are the triple. */
const TRIPLE_DEPTH = 3;

export class AntiSource extends FilterSource {
  readonly #removals: RowSource;
  readonly #order: Order;
  readonly #keyColumns: readonly number[];
  readonly #columns: readonly number[];
  /** The batch of removals that the rows have not passed yet. */
  #held: SourceBatch | null = null;
  #ended = false;

  /** Both inputs give dense batches; `columns` are those that are decoded in the first, the order's key among them. */
  constructor(memory: ThreadMemory, input: RowSource, removals: RowSource, order: Order, columns: readonly number[]) {
    super(memory, input);
    invariant(order !== 'GSPO', 'the key of an order begins with the triple');
    this.#removals = removals;
    this.#order = order;
    this.#keyColumns = keyColumns(order).slice(0, TRIPLE_DEPTH);
    this.#columns = columns;
  }

  override begin(from: number, to: number): void {
    super.begin(from, to);
    this.#removals.begin?.(from, to);
    this.#held = null;
    this.#ended = false;
  }

  protected filter(batch: SourceBatch): SourceBatch | null {
    let left = batch;
    while (this.#hold()) {
      const held = this.#held as SourceBatch;
      const { kernels } = this.memory;
      const packed = packedKey(this.#order);
      const kept = kernels.dropPresent(
        left.list,
        0,
        left.rows,
        held.list,
        0,
        held.rows,
        packed,
        TRIPLE_DEPTH,
        this.selection,
      );
      if (kept === 0) return null;
      left = keepRows(this.memory, left, this.#columns, this.selection, kept);
      if (!this.#endsBefore(held, left)) break;
      this.#held = null;
    }
    return left;
  }

  /** Sees to it that a batch of removals is held; false when there are no more. */
  #hold(): boolean {
    if (this.#held === null && !this.#ended) {
      this.#held = this.#removals.next();
      this.#ended = this.#held === null;
    }
    return this.#held !== null;
  }

  /** True when the last triple of a batch lies before that of another. */
  #endsBefore(a: SourceBatch, b: SourceBatch): boolean {
    const { words } = this.memory;
    for (const column of this.#keyColumns) {
      const [x, y] = [lastOf(a, column), lastOf(b, column)];
      if (words[x + 1] !== words[y + 1]) return (words[x + 1] as number) < (words[y + 1] as number);
      if (words[x] !== words[y]) return (words[x] as number) < (words[y] as number);
    }
    return false;
  }

  override seek(values: readonly bigint[]): void {
    super.seek(values);
    this.#removals.seek(values.slice(0, TRIPLE_DEPTH));
  }

  override close(): void {
    super.close();
    this.#removals.close();
  }
}

/** Place of the last value of a column among the words of the memory. */
function lastOf(batch: SourceBatch, column: number): number {
  return ((batch.columns[column] as number) >>> 2) + 2 * (batch.rows - 1);
}
