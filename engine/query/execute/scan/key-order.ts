/**
 * The distinct keys of a batch in ascending order, and the rows of each (`kernels/as/key-order.ts`). Rows that
 * come sorted, each with a key of its own, as most do, are found to be so in one pass, and stay as they are.
 */

import { keptInMemory, threadMemory } from '../../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import { listColumns } from '../../runtime/column-list.js';
import { KernelColumns } from '../../runtime/kernel-columns.js';

/** Two keys and a row number of each row; a histogram. */
const SCRATCH_BYTES = 20 * BATCH_ROWS + 8192 + 64;

const scratch = keptInMemory((memory) => memory.allocate(SCRATCH_BYTES));

export class KeyOrder {
  /** Distinct keys. */
  count = 0;
  /** The keys, a column for each key column of the batch; views of them where `identity` says so. */
  keys: readonly IdColumn[] = [];
  /** True when row and key number are the same: rows come sorted, each with a key of its own. */
  identity = false;
  /** Address of the rows by key (u32), rows of one key in their own sequence; those of key k at `[starts[k], starts[k + 1])`. */
  orderAt = 0;
  /** Address of the starts (u32). */
  startsAt = 0;
  private distinct: KernelColumns | null = null;
  private room = 0;

  /** Takes the key columns of a batch. */
  set(columns: readonly IdColumn[], rows: number): void {
    this.identity = rows < 2 || !this.order(columns, rows);
    if (!this.identity) return;
    this.count = rows;
    this.keys = columns;
  }

  /** False when the rows stand in order already, each with a key of its own. */
  private order(columns: readonly IdColumn[], rows: number): boolean {
    const width = columns.length;
    this.reserve(rows, width);
    const memory = threadMemory();
    const distinct = this.distinct as KernelColumns;
    const columnsAt = listColumns(columns, rows);
    const { orderAt, startsAt } = this;
    const count = memory.kernels.orderKeys(columnsAt, width, rows, orderAt, startsAt, distinct.listAt, scratch());
    if (count === 0) return false;
    this.count = count;
    this.keys = distinct.columns;
    return true;
  }

  private reserve(rows: number, width: number): void {
    if (rows <= this.room && this.distinct?.width === width) return;
    this.release();
    this.distinct = new KernelColumns(width, BATCH_ROWS);
    this.distinct.reserve(rows);
    this.room = this.distinct.capacity;
    this.orderAt = threadMemory().allocate(4 * (2 * this.room + 1));
    this.startsAt = this.orderAt + 4 * this.room;
  }

  /** Gives up the memory; the order may be used again. */
  release(): void {
    if (this.room > 0) threadMemory().free(this.orderAt, 4 * (2 * this.room + 1));
    this.distinct?.release();
    this.distinct = null;
    this.room = 0;
    this.keys = [];
  }
}
