/** One COUNT over all groups of an aggregation; COUNT(DISTINCT …) keeps a hash set of (group, value). */

import { BATCH_ROWS, type IdColumn } from '../../storage/scan.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import { compileEvaluator, type Evaluator } from '../expressions/evaluator.js';
import { newColumn, type QueryBatch } from './batch.js';
import { isUnboundAt } from './ids.js';
import type { MemoryBudget } from './memory.js';
import { RowIndex } from './row-index.js';
import { RowStore } from './row-store.js';

const FIRST_GROUPS = 64;

export class Counter {
  private counts = new Float64Array(FIRST_GROUPS);
  /** Null for COUNT(*). */
  private readonly evaluate: Evaluator | null;
  private readonly values: IdColumn;
  private readonly pairs: RowStore | null = null;
  private readonly pairIndex: RowIndex | null = null;
  private readonly solutionColumns: number[] = [];
  private readonly pairColumns: readonly number[] = [];

  constructor(aggregate: Aggregate, context: BatchContext, budget: MemoryBudget) {
    const { expression } = aggregate;
    this.evaluate = expression === null ? null : compileEvaluator(expression, context);
    this.values = newColumn(expression === null ? 0 : BATCH_ROWS);
    if (!aggregate.distinct) return;
    // COUNT(DISTINCT *) tells whole solutions apart, without blank nodes of the text; the others one value.
    context.variables.forEach((name, column) => {
      if (!name.startsWith('_:')) this.solutionColumns.push(column);
    });
    const width = 1 + (expression === null ? this.solutionColumns.length : 1);
    this.pairColumns = Array.from({ length: width }, (_, column) => column);
    this.pairs = new RowStore(width, budget);
    this.pairIndex = new RowIndex(this.pairs, this.pairColumns, budget);
  }

  /** Counts the rows of a batch; `groups` has the group number of each in its low halves. */
  add(batch: QueryBatch, groups: IdColumn): void {
    this.evaluate?.(this.values, batch.rows);
    const counted =
      this.evaluate === null ? this.solutionColumns.map((column) => batch.columns[column] as IdColumn) : [this.values];
    const columns = [groups, ...counted];
    for (let row = 0; row < batch.rows; row++) {
      if (this.evaluate !== null && isUnboundAt(this.values, row)) continue;
      if (this.pairs !== null && !this.isNew(this.pairs, columns, row)) continue;
      const group = groups[2 * row] as number;
      this.counts[group] = (this.counts[group] as number) + 1;
    }
  }

  /** Makes room for `groups` groups; new ones begin at zero. */
  reserve(groups: number): void {
    if (groups <= this.counts.length) return;
    const grown = new Float64Array(Math.max(groups, 2 * this.counts.length));
    grown.set(this.counts);
    this.counts = grown;
  }

  countOf(group: number): number {
    return this.counts[group] as number;
  }

  release(): void {
    this.pairIndex?.release();
    this.pairs?.release();
  }

  private isNew(pairs: RowStore, columns: readonly IdColumn[], row: number): boolean {
    const known = pairs.rows;
    this.pairIndex?.findOrAppend(columns, this.pairColumns, this.pairColumns, row);
    return pairs.rows > known;
  }
}
