/**
 * The rows of a build table as lists: for each key the ids of one variable, ascending, one list after
 * the other in one column. The table's rows must come with the variable ascending within each key.
 */

import { threadMemory } from '../../../kernels/thread-memory.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import { KernelColumns } from '../../runtime/kernel-columns.js';
import type { BuildTable } from '../tables/build-table.js';

/** Rows that one call copies: less than a millisecond. */
const ROWS_PER_CALL = 131_072;
const BYTES_PER_ID = 8;

export class SortedLists {
  readonly ids: IdColumn;
  private readonly own = new KernelColumns(1);
  private copied = 0;

  /** `table` is whole. */
  constructor(
    private readonly table: BuildTable,
    private readonly column: number,
  ) {
    const { groups, store } = table;
    if (groups.unique) this.copied = store.rows;
    else this.own.resize(store.rows, 0);
    this.ids = (groups.unique ? store.columns[column] : this.own.columns[0]) as IdColumn;
  }

  /** Address of where the list of each group starts, and the last one ends; 0 = each group has one id. */
  get startsAt(): number {
    const { starts } = this.table.groups;
    return starts.length === 0 ? 0 : starts.byteOffset;
  }

  /** What the lists take beside the table. */
  static bytesFor(rows: number): number {
    return BYTES_PER_ID * rows;
  }

  /** True when the lists are made; false = call again. */
  work(): boolean {
    const { copied, ids, table } = this;
    const { rows } = table.store;
    const count = Math.min(ROWS_PER_CALL, rows - copied);
    if (count > 0) {
      const from = table.store.columns[this.column] as IdColumn;
      const rowsAt = table.groups.rowsOf.byteOffset + 4 * copied;
      threadMemory().kernels.gatherIds(from.byteOffset, rowsAt, count, ids.byteOffset + BYTES_PER_ID * copied);
    }
    this.copied += count;
    return this.copied === rows;
  }

  release(): void {
    this.own.release();
  }
}
