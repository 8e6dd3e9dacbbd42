/**
 * ORDER BY, and ORDER BY with LIMIT.
 *
 *  1. The rows are collected, with a column for each key.
 *  2. Each key becomes numbers whose order is the order wanted: inlined numbers their value (no term
 *     is decoded), everything else the rank of its term among the distinct terms of the column.
 *  3. The row numbers are sorted by those, a slice at a time; rows that tie keep their order.
 *
 * With a limit, the rows are cut to the best ones whenever a few times that many have come together,
 * so that a small limit needs little memory over any number of rows.
 */

import { BATCH_ROWS, type IdColumn } from '../../storage/scan.js';
import type { SortKey } from '../algebra/algebra.js';
import { BatchContext } from '../expressions/batch-context.js';
import { compileEvaluator, type Evaluator } from '../expressions/evaluator.js';
import type { QueryTerms } from '../terms.js';
import { BatchBuffer, copyId, newColumn, type QueryBatch } from './batch.js';
import type { MemoryBudget } from './memory.js';
import { MergeSort } from './merge-sort.js';
import { Operator, PENDING, type Step } from './operator.js';
import { RowStore } from './row-store.js';
import { SortRanks } from './sort-ranks.js';

/** Rows beyond the limit that are worth a cut: a cut costs a sort of all rows held. */
const CUT_ROWS_MIN = 32_768;
/** Order numbers, ranks and the spare of the sort, per row, beside the rows themselves. */
const BYTES_PER_ROW = 24;

export class SortOperator extends Operator {
  private readonly context: BatchContext;
  private readonly evaluators: readonly Evaluator[];
  private readonly keyColumns: IdColumn[];
  private readonly store: RowStore;
  private readonly buffer: BatchBuffer;
  private phase: 'collect' | 'rank' | 'sort' | 'give' = 'collect';
  private inputEnded = false;
  private ranks: SortRanks[] = [];
  private ranked = 0;
  private sort: MergeSort | null = null;
  private accounted = 0;
  private given = 0;

  constructor(
    private readonly input: Operator,
    private readonly keys: readonly SortKey[],
    private readonly limit: number | null,
    private readonly terms: QueryTerms,
    private readonly budget: MemoryBudget,
  ) {
    super(input.variables, [input]);
    this.context = new BatchContext(input.variables, terms);
    this.evaluators = keys.map((key) => compileEvaluator(key.expression, this.context));
    this.keyColumns = keys.map(() => newColumn(BATCH_ROWS));
    this.store = new RowStore(input.variables.length + keys.length, budget);
    this.buffer = new BatchBuffer(input.variables.length);
  }

  protected step(): Step {
    switch (this.phase) {
      case 'collect':
        return this.collect();
      case 'rank':
        return this.rank();
      case 'sort':
        return this.sortSome();
      case 'give':
        return this.give();
    }
  }

  private collect(): Step {
    const batch = this.input.next();
    if (batch === PENDING) return PENDING;
    if (batch !== null) this.append(batch);
    else this.inputEnded = true;
    const heldMax = this.limit === null ? Number.POSITIVE_INFINITY : Math.max(CUT_ROWS_MIN, 4 * this.limit);
    if (this.inputEnded || this.store.rows > heldMax) this.beginSort();
    return PENDING;
  }

  private append(batch: QueryBatch): void {
    this.context.begin(batch);
    for (let key = 0; key < this.evaluators.length; key++) {
      (this.evaluators[key] as Evaluator)(this.keyColumns[key] as IdColumn, batch.rows);
    }
    this.store.appendBatch({ rows: batch.rows, columns: [...batch.columns, ...this.keyColumns] });
  }

  private beginSort(): void {
    this.account(this.store.rows * BYTES_PER_ROW);
    const width = this.input.variables.length;
    this.ranks = this.keys.map(
      (key, index) =>
        new SortRanks(
          this.store.columns[width + index] as IdColumn,
          this.store.rows,
          key.descending,
          this.terms,
          this.budget,
        ),
    );
    this.ranked = 0;
    this.phase = 'rank';
  }

  private rank(): Step {
    const ranks = this.ranks[this.ranked];
    if (ranks !== undefined) {
      if (ranks.work()) this.ranked++;
      return PENDING;
    }
    const keys = this.ranks.map((done) => done.values);
    this.sort = new MergeSort(this.store.rows, (a, b) => compareRows(keys, a, b));
    this.phase = 'sort';
    return PENDING;
  }

  private sortSome(): Step {
    const sort = this.sort as MergeSort;
    if (this.store.rows > 0 && !sort.work()) return PENDING;
    const order = this.limit === null ? sort.order : sort.order.subarray(0, this.limit);
    if (this.inputEnded) this.phase = 'give';
    else {
      this.store.keep(order);
      this.phase = 'collect';
    }
    for (const ranks of this.ranks) ranks.release();
    this.ranks = [];
    return PENDING;
  }

  private give(): Step {
    const { buffer, store } = this;
    const order = (this.sort as MergeSort).order;
    const end = Math.min(order.length, this.limit ?? order.length);
    const rows = Math.min(buffer.capacity, end - this.given);
    if (rows <= 0) return null;
    for (let column = 0; column < buffer.columns.length; column++) {
      const from = store.columns[column] as IdColumn;
      const to = buffer.columns[column] as IdColumn;
      for (let row = 0; row < rows; row++) copyId(from, order[this.given + row] as number, to, row);
    }
    this.given += rows;
    buffer.rows = rows;
    return buffer;
  }

  private account(bytes: number): void {
    if (bytes > this.accounted) this.budget.take(bytes - this.accounted);
    else this.budget.give(this.accounted - bytes);
    this.accounted = bytes;
  }

  override close(): void {
    this.store.release();
    for (const ranks of this.ranks) ranks.release();
    this.ranks = [];
    this.account(0);
    super.close();
  }
}

function compareRows(keys: readonly Float64Array[], a: number, b: number): number {
  for (let key = 0; key < keys.length; key++) {
    const values = keys[key] as Float64Array;
    const valueA = values[a] as number;
    const valueB = values[b] as number;
    if (valueA !== valueB) return valueA < valueB ? -1 : 1;
  }
  return a - b;
}
