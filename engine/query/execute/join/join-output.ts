/**
 * The rows of a join, gathered from pairs of rows (`row-pairs.ts`) a column at a time. Columns of the
 * first side are handed on as they are where each of its rows makes exactly one pair; only the variables
 * that are shown are carried; the columns take as much memory as the rows that come.
 */

import { invariant } from '../../../base/errors.js';
import { threadMemory } from '../../../kernels/thread-memory.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import type { QueryBatch } from '../../runtime/batch.js';
import { completeUnbound, gather, gatherOrUnbound } from '../../runtime/gather.js';
import { KernelColumns } from '../../runtime/kernel-columns.js';
import { rowPairs } from '../tables/row-pairs.js';

/** Where an output column comes from. */
interface Source {
  readonly side: 'first' | 'second';
  readonly column: number;
  /** Column of the second side that fills in for an unbound value; negative = none. */
  readonly completedBy: number;
}

export class JoinOutput {
  private readonly sources: readonly Source[];
  private readonly made: KernelColumns;
  private readonly pairs = rowPairs();

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
    this.made = new KernelColumns(shown.length);
  }

  /** The first `count` pairs as rows; valid until the next call. */
  gather(first: QueryBatch, second: QueryBatch, count: number, outer = false): QueryBatch {
    const { made, pairs } = this;
    invariant(count > 0 && count <= pairs.first.length, 'a join gives the pairs that were made');
    made.reserve(count);
    const whole = count === first.rows && threadMemory().kernels.isSequence(pairs.first.byteOffset, count) === 1;
    const gatherSecond = outer ? gatherOrUnbound : gather;
    const columns: IdColumn[] = [];
    for (let index = 0; index < this.sources.length; index++) {
      const { side, column, completedBy } = this.sources[index] as Source;
      if (side === 'first' && completedBy < 0 && whole) {
        columns.push(first.columns[column] as IdColumn);
        continue;
      }
      const to = made.columns[index] as IdColumn;
      if (side === 'second') gatherSecond(second.columns[column] as IdColumn, pairs.second, count, to);
      else gather(first.columns[column] as IdColumn, pairs.first, count, to);
      if (completedBy >= 0) completeUnbound(to, second.columns[completedBy] as IdColumn, pairs.second, count);
      columns.push(to);
    }
    return { rows: count, columns };
  }

  /** The same, or null where there are none. */
  gatherSome(first: QueryBatch, second: QueryBatch, count: number): QueryBatch | null {
    return count === 0 ? null : this.gather(first, second, count);
  }

  release(): void {
    this.made.release();
  }
}
