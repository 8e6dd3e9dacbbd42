/**
 * The rows of a build table as lists: for each key the ids of one variable, ascending, one list after
 * the other in one column. The table's rows must come with the variable ascending within each key.
 */

import { threadMemory } from '../../../kernels/thread-memory.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import { KernelColumns } from '../../runtime/kernel-columns.js';
import { inSlices, type Work } from '../../runtime/operator.js';
import type { BuildTable } from '../tables/build-table.js';

/** Rows that a slice copies: less than a millisecond. */
const ROWS_PER_SLICE = 131_072;
const BYTES_PER_ID = 8;

export class SortedLists {
  readonly ids: IdColumn;
  private readonly own = new KernelColumns(1);

  /** `table` is whole. */
  constructor(
    private readonly table: BuildTable,
    private readonly column: number,
  ) {
    const { groups, store } = table;
    if (!groups.unique) this.own.resize(store.rows, 0);
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

  /** Makes the lists; those of a table in which no key comes twice are there. */
  *fill(): Work {
    const { ids, table } = this;
    if (table.groups.unique) return;
    const from = table.store.columns[this.column] as IdColumn;
    const rowsAt = table.groups.rowsOf.byteOffset;
    yield* inSlices(table.store.rows, ROWS_PER_SLICE, (first, end) => {
      const to = ids.byteOffset + BYTES_PER_ID * first;
      threadMemory().kernels.gatherIds(from.byteOffset, rowsAt + 4 * first, end - first, to);
    });
  }

  release(): void {
    this.own.release();
  }
}
