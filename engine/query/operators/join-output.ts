/**
 * The rows of a join, gathered from pairs of rows (`join-pairs.ts`) a column at a time. Columns of the
 * first side are handed on as they are where each of its rows makes exactly one pair; only the variables
 * that are shown are carried; the columns take as much memory as the rows that come.
 */

import type { IdColumn } from '../../storage/scan.js';
import { newColumn, type QueryBatch } from './batch.js';
import { completeUnbound, gatherRows, gatherRowsOrUnbound, pairs } from './join-pairs.js';

const FIRST_ROWS = 16;

/** Where an output column comes from. */
interface Source {
  readonly side: 'first' | 'second';
  readonly column: number;
  /** Column of the second side that fills in for an unbound value; negative = none. */
  readonly completedBy: number;
}

export class JoinOutput {
  private readonly sources: readonly Source[];
  private readonly made: IdColumn[] = [];
  private capacity = 0;

  constructor(
    shown: readonly string[],
    first: readonly string[],
    second: readonly string[],
    /** Variables of the first side that may be unbound where the second side has them. */
    completed: readonly string[] = [],
  ) {
    this.sources = shown.map((name) => {
      const column = first.indexOf(name);
      if (column < 0) return { side: 'second', column: second.indexOf(name), completedBy: -1 };
      return { side: 'first', column, completedBy: completed.includes(name) ? second.indexOf(name) : -1 };
    });
  }

  /** The first `count` pairs as rows; valid until the next call. */
  gather(first: QueryBatch, second: QueryBatch, count: number, outer = false): QueryBatch {
    this.reserve(count);
    const whole = count === first.rows && isIdentity(pairs.first, count);
    const gatherSecond = outer ? gatherRowsOrUnbound : gatherRows;
    const columns: IdColumn[] = [];
    for (let index = 0; index < this.sources.length; index++) {
      const { side, column, completedBy } = this.sources[index] as Source;
      if (side === 'first' && completedBy < 0 && whole) {
        columns.push(first.columns[column] as IdColumn);
        continue;
      }
      const to = this.columnAt(index);
      if (side === 'second') gatherSecond(second.columns[column] as IdColumn, pairs.second, count, to);
      else gatherRows(first.columns[column] as IdColumn, pairs.first, count, to);
      if (completedBy >= 0) completeUnbound(to, second.columns[completedBy] as IdColumn, pairs.second, count);
      columns.push(to);
    }
    return { rows: count, columns };
  }

  private reserve(rows: number): void {
    if (rows <= this.capacity) return;
    this.capacity = Math.max(FIRST_ROWS, this.capacity);
    while (this.capacity < rows) this.capacity *= 2;
    this.made.length = 0;
  }

  private columnAt(index: number): IdColumn {
    const made = this.made[index] ?? newColumn(this.capacity);
    this.made[index] = made;
    return made;
  }
}

function isIdentity(rows: Int32Array, count: number): boolean {
  for (let pair = 0; pair < count; pair++) if (rows[pair] !== pair) return false;
  return true;
}
