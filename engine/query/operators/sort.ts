/**
 * ORDER BY, and ORDER BY with LIMIT.
 *
 *  1. The rows are collected, with a column for each key.
 *  2. Each key becomes numbers whose order is the order wanted (`SortRanks`).
 *  3. The row numbers are sorted by those, a slice at a time; rows that tie keep their order.
 *  4. When memory does not last, the rows so far are sorted and written to disk as a run, and so on;
 *     at the end the runs are merged.
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
import type { MemoryAccount, MemoryBudget } from './memory.js';
import { MergeSort, SORT_BYTES_PER_ROW } from './merge-sort.js';
import { Operator, PENDING, type Step } from './operator.js';
import { RowStore } from './row-store.js';
import { SortRanks } from './sort-ranks.js';
import { MergeRuns } from './spill/merge-runs.js';
import { SortRunOrder } from './spill/sort-run-order.js';
import { SpilledRows } from './spill/spilled-rows.js';

/** Rows beyond the limit that are worth a cut: a cut costs a sort of all rows held. */
const CUT_ROWS_MIN = 32_768;

export class SortOperator extends Operator {
  private readonly context: BatchContext;
  private readonly evaluators: readonly Evaluator[];
  private readonly keyColumns: IdColumn[];
  private readonly width: number;
  private readonly account: MemoryAccount;
  private readonly store: RowStore;
  private readonly buffer: BatchBuffer;
  private phase: 'collect' | 'absorb' | 'rank' | 'sort' | 'spill' | 'give' | 'merge' = 'collect';
  private inputEnded = false;
  private ranks: SortRanks[] = [];
  private ranked = 0;
  /** Rows that are sorted together: all that are held, unless their keys took too much memory. */
  private runRows = 0;
  private sort: MergeSort | null = null;
  private sortBytes = 0;
  /** Rows of the sorted order that were given or spilled. */
  private given = 0;
  private run: SpilledRows | null = null;
  private readonly runs: SpilledRows[] = [];
  private merge: MergeRuns | null = null;
  private merged = 0;

  constructor(
    private readonly input: Operator,
    private readonly keys: readonly SortKey[],
    private readonly limit: number | null,
    private readonly terms: QueryTerms,
    budget: MemoryBudget,
  ) {
    super(input.variables, [input]);
    this.context = new BatchContext(input.variables, terms);
    this.evaluators = keys.map((key) => compileEvaluator(key.expression, this.context));
    this.keyColumns = keys.map(() => newColumn(BATCH_ROWS));
    this.width = input.variables.length;
    this.account = budget.openAccount();
    this.store = new RowStore(this.width + keys.length, this.account);
    this.buffer = new BatchBuffer(this.width);
    this.beginRanks();
  }

  protected step(): Step {
    switch (this.phase) {
      case 'collect':
        return this.collect();
      case 'absorb':
        return this.absorb();
      case 'rank':
        return this.rank();
      case 'sort':
        return this.sortSome();
      case 'spill':
        return this.spillSome();
      case 'give':
        return this.give();
      case 'merge':
        return this.mergeSome(this.merge as MergeRuns);
    }
  }

  private beginRanks(): void {
    this.ranks = this.keys.map((key) => new SortRanks(key.descending, this.terms, this.account));
    this.ranked = 0;
  }

  private collect(): Step {
    if (this.inputEnded || (this.store.rows > 0 && !this.fitsMore())) return this.beginSort();
    const batch = this.input.next();
    if (batch === PENDING) return PENDING;
    if (batch === null) {
      this.inputEnded = true;
      return this.beginSort();
    }
    this.append(batch);
    this.phase = 'absorb';
    return PENDING;
  }

  private fitsMore(): boolean {
    let bytes = this.store.bytesToAppend(BATCH_ROWS) + (this.store.rows + BATCH_ROWS) * SORT_BYTES_PER_ROW;
    for (const ranks of this.ranks) bytes += ranks.bytesToAbsorb(BATCH_ROWS);
    return this.account.fits(bytes);
  }

  private append(batch: QueryBatch): void {
    this.context.begin(batch);
    for (let key = 0; key < this.evaluators.length; key++) {
      (this.evaluators[key] as Evaluator)(this.keyColumns[key] as IdColumn, batch.rows);
    }
    const columns = batch.columns.length === this.width ? batch.columns : batch.columns.slice(0, this.width);
    this.store.appendBatch({ rows: batch.rows, columns: [...columns, ...this.keyColumns] });
  }

  private absorb(): Step {
    const ranks = this.ranks[this.ranked];
    if (ranks !== undefined) {
      const column = this.store.columns[this.width + this.ranked] as IdColumn;
      if (ranks.absorb(column, this.store.rows)) this.ranked++;
      return PENDING;
    }
    this.ranked = 0;
    const heldMax = this.limit === null ? Number.POSITIVE_INFINITY : Math.max(CUT_ROWS_MIN, 4 * this.limit);
    if (this.store.rows > heldMax || this.absorbedRows() < this.store.rows) return this.beginSort();
    this.phase = 'collect';
    return PENDING;
  }

  private absorbedRows(): number {
    return Math.min(this.store.rows, ...this.ranks.map((ranks) => ranks.rows));
  }

  private beginSort(): Step {
    this.ranked = 0;
    this.runRows = this.absorbedRows();
    this.phase = 'rank';
    return PENDING;
  }

  private rank(): Step {
    const ranks = this.ranks[this.ranked];
    if (ranks !== undefined) {
      if (ranks.rank()) this.ranked++;
      return PENDING;
    }
    const keys = this.ranks.map((done) => done.values);
    this.sortBytes = this.runRows * SORT_BYTES_PER_ROW;
    this.account.take(this.sortBytes);
    this.sort = new MergeSort(this.runRows, (a, b) => compareRows(keys, a, b));
    this.phase = 'sort';
    return PENDING;
  }

  private sortSome(): Step {
    if (this.runRows > 0 && !(this.sort as MergeSort).work()) return PENDING;
    for (const ranks of this.ranks) ranks.release();
    this.ranks = [];
    this.given = 0;
    if (this.allSorted() && this.runs.length === 0) this.phase = 'give';
    else if (!this.inputEnded && this.limit !== null && this.runRows > 2 * this.limit) this.cut(this.limit);
    else this.phase = 'spill';
    return PENDING;
  }

  /** Everything that the input gives is in the run at hand. */
  private allSorted(): boolean {
    return this.inputEnded && this.runRows === this.store.rows;
  }

  /** Keeps the best rows of the run, and those behind it. */
  private cut(limit: number): void {
    const behind = this.store.rows - this.runRows;
    const kept = new Uint32Array(limit + behind);
    kept.set((this.sort as MergeSort).order.subarray(0, limit));
    for (let row = 0; row < behind; row++) kept[limit + row] = this.runRows + row;
    this.store.keep(kept);
    this.beginCollecting();
  }

  /** Goes on with the rows that are held and those of the input. */
  private beginCollecting(): void {
    this.releaseSort();
    this.beginRanks();
    this.phase = 'absorb';
  }

  /** Writes the sorted rows as a run. */
  private spillSome(): Step {
    this.run ??= new SpilledRows(this.account.spill, this.store.width, this.account);
    const { order } = this.sort as MergeSort;
    const end = Math.min(order.length, this.limit ?? order.length);
    const until = Math.min(end, this.given + BATCH_ROWS);
    for (; this.given < until; this.given++) this.run.appendRow(this.store.columns, order[this.given] as number);
    if (this.given < end) return PENDING;
    this.run.seal();
    this.runs.push(this.run);
    this.run = null;
    const last = this.allSorted();
    this.store.dropFirst(this.runRows);
    if (last) this.beginMerge();
    else this.beginCollecting();
    return PENDING;
  }

  private beginMerge(): void {
    this.releaseSort();
    this.store.release();
    const order = new SortRunOrder(this.keys, this.width, this.terms, this.account);
    this.merge = new MergeRuns(this.runs.splice(0), this.store.width, order, this.account);
    this.phase = 'merge';
  }

  private mergeSome(merge: MergeRuns): Step {
    const left = this.limit === null ? Number.POSITIVE_INFINITY : this.limit - this.merged;
    if (left <= 0) return null;
    const step = merge.next();
    if (step === null || step === PENDING) return step;
    const rows = Math.min(step.rows, left);
    this.merged += rows;
    return { rows, columns: step.columns.slice(0, this.width) };
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

  private releaseSort(): void {
    this.sort = null;
    this.account.give(this.sortBytes);
    this.sortBytes = 0;
  }

  override close(): void {
    this.merge?.close();
    this.run?.release();
    for (const run of this.runs.splice(0)) run.release();
    this.store.release();
    for (const ranks of this.ranks) ranks.release();
    this.ranks = [];
    this.releaseSort();
    this.account.close();
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
