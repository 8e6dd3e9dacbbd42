/**
 * The rows of a build table as lists: for each key the ids of one variable, ascending, one list after
 * the other in one column. The table's rows must come with the variable ascending within each key.
 */

import type { IdColumn } from '../../storage/scan.js';
import { newColumn } from './batch.js';
import type { BuildTable } from './build-table.js';

/** Rows that one call copies: about a millisecond. */
const ROWS_PER_CALL = 131_072;

export class SortedLists {
  /** `starts[g] .. starts[g + 1]` are the ids of group g; empty = each group has one. */
  readonly starts: Int32Array;
  readonly ids: IdColumn;
  private copied = 0;

  /** `table` is whole. */
  constructor(
    private readonly table: BuildTable,
    private readonly column: number,
  ) {
    const { groups, store } = table;
    this.starts = groups.starts;
    this.ids = groups.unique ? (store.columns[column] as IdColumn) : newColumn(store.rows);
    if (groups.unique) this.copied = store.rows;
  }

  /** What the lists take beside the table. */
  static bytesFor(rows: number): number {
    return 8 * rows;
  }

  /** True when the lists are made; false = call again. */
  work(): boolean {
    const { ids, table } = this;
    const { rowsOf } = table.groups;
    const from = table.store.columns[this.column] as IdColumn;
    const end = Math.min(this.copied + ROWS_PER_CALL, table.store.rows);
    for (let at = this.copied; at < end; at++) {
      const row = 2 * (rowsOf[at] as number);
      ids[2 * at] = from[row] as number;
      ids[2 * at + 1] = from[row + 1] as number;
    }
    this.copied = end;
    return end === table.store.rows;
  }

  startOf(group: number): number {
    return this.starts.length === 0 ? group : (this.starts[group] as number);
  }

  endOf(group: number): number {
    return this.starts.length === 0 ? group + 1 : (this.starts[group + 1] as number);
  }
}
