/**
 * ORDER BY, and ORDER BY with LIMIT.
 *
 *  1. The rows are collected, with a column for each key; the first key becomes numbers whose order is the
 *     order wanted (`SortRanks`) as they come.
 *  2. The row numbers are sorted by those, a slice at a time, and by the other keys where rows tie
 *     (`RunSort`); rows that tie in all keep their order.
 *  3. When memory does not last, the rows so far are sorted and written to disk as a run, and so on;
 *     at the end the runs are merged.
 *
 * With a limit, the rows are cut to the best ones whenever a few times that many have come together, so
 * that a small limit needs little memory over any number of rows. After a cut, rows whose first key is beyond
 * that of the last row kept are dropped as they come (`sort-bar.ts`), before their other keys are computed.
 */

import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import type { SortKey } from '../../algebra/algebra.js';
import { BatchContext } from '../../expressions/batch-context.js';
import { compileEvaluator, type Evaluator } from '../../expressions/evaluator.js';
import { makesOwn } from '../../expressions/own-values.js';
import { BatchBuffer, batchRowsFor, copyId, gather, newColumn, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryAccount, MemoryBudget } from '../../runtime/memory.js';
import { Operator, PENDING, type Step } from '../../runtime/operator.js';
import { RowStore } from '../../runtime/row-store.js';
import { MergeRuns } from '../../runtime/spill/merge-runs.js';
import { SpilledRows } from '../../runtime/spill/spilled-rows.js';
import type { QueryTerms } from '../../terms/terms.js';
import { RunSort, runSortBytesPerRow } from './run-sort.js';
import { NumberBar, type SortBar, termBarAt } from './sort-bar.js';
import type { NumberKind } from './sort-numbers.js';
import { SortRanks } from './sort-ranks.js';
import { SortRunOrder } from './sort-run-order.js';

/** Rows beyond the limit that are worth a cut: a cut costs a sort of all rows held. */
const CUT_ROWS_MIN = 4096;

/** Rows that go through several phases in one call. */
const FEW_ROWS = 512;

/** The rows of a batch that may be among the first, while they are brought together. */
const keptRows = new Uint32Array(BATCH_ROWS);

export class SortOperator extends Operator {
  private readonly context: BatchContext;
  /** That one, and the one of keys that are made for the sort alone. */
  private readonly contexts: readonly BatchContext[];
  private readonly evaluators: readonly Evaluator[];
  private keyColumns: IdColumn[];
  private readonly width: number;
  private readonly account: MemoryAccount;
  private readonly store: RowStore;
  private readonly buffer: BatchBuffer;
  private readonly kept: BatchBuffer;
  private phase: 'collect' | 'absorb' | 'absorbAgain' | 'sort' | 'spill' | 'give' | 'merge' = 'collect';
  private inputEnded = false;
  /** Of the first key. */
  private ranks: SortRanks | null = null;
  private bar: SortBar | null = null;
  /** Rows that are sorted together: all that are held, unless their keys took too much memory. */
  private runRows = 0;
  private sort: RunSort | null = null;
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
    const own = new BatchContext(input.variables, terms, true);
    const isOwn = keys.map((key) => makesOwn(key.expression));
    this.evaluators = keys.map((key, at) => compileEvaluator(key.expression, isOwn[at] ? own : this.context));
    this.contexts = isOwn.includes(true) ? [this.context, own] : [this.context];
    this.keyColumns = keys.map(() => newColumn(0));
    this.width = input.variables.length;
    this.account = budget.openAccount();
    this.store = new RowStore(this.width + keys.length, this.account);
    this.buffer = new BatchBuffer(this.width, 0);
    this.kept = new BatchBuffer(this.width, 0);
  }

  protected step(): Step {
    switch (this.phase) {
      case 'collect':
        return this.collect();
      case 'absorb':
        return this.absorb();
      case 'absorbAgain':
        return this.absorbAgain();
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

  private ranksOf(key: number): SortRanks {
    return new SortRanks((this.keys[key] as SortKey).descending, this.terms, this.account);
  }

  private collect(): Step {
    if (this.inputEnded || (this.store.rows > 0 && !this.fitsMore())) return this.beginSort(this.absorbedRows());
    const batch = this.input.next();
    if (batch === PENDING) return PENDING;
    if (batch === null) {
      this.inputEnded = true;
      return this.beginSort(this.absorbedRows());
    }
    const few = batch.rows <= FEW_ROWS;
    this.append(batch);
    this.phase = 'absorb';
    return few ? this.absorb() : PENDING;
  }

  private fitsMore(): boolean {
    const rows = this.store.rows + BATCH_ROWS;
    const absorbing = this.ranks?.bytesToAbsorb(BATCH_ROWS) ?? 0;
    const sorting = runSortBytesPerRow(this.keys.length);
    return this.account.fits(this.store.bytesToAppend(BATCH_ROWS) + rows * sorting + absorbing);
  }

  private append(batch: QueryBatch): void {
    this.makeKeyColumns(batch.rows);
    for (const context of this.contexts) context.begin(batch);
    let rest = batch;
    for (let key = 0; key < this.evaluators.length; key++) {
      const column = this.keyColumns[key] as IdColumn;
      (this.evaluators[key] as Evaluator)(column, rest.rows);
      if (key > 0 || this.bar === null) continue;
      rest = this.withinBar(this.bar, column, batch);
      if (rest.rows === 0) return;
      if (rest === batch) continue;
      for (const context of this.contexts) context.begin(rest);
    }
    const columns = rest.columns.length === this.width ? rest.columns : rest.columns.slice(0, this.width);
    this.store.appendBatch({ rows: rest.rows, columns: [...columns, ...this.keyColumns] });
  }

  private makeKeyColumns(rows: number): void {
    const held = (this.keyColumns[0] as IdColumn).length / 2;
    if (rows <= held) return;
    const capacity = Math.max(rows, Math.min(BATCH_ROWS, 2 * held));
    this.keyColumns = this.keys.map(() => newColumn(capacity));
  }

  /** The rows whose first key is not surely behind that of enough others; brings their keys together, too. */
  private withinBar(bar: SortBar, keys: IdColumn, batch: QueryBatch): QueryBatch {
    const count = bar.keep(keys, batch.rows, keptRows);
    if (count === batch.rows) return batch;
    this.kept.reserveMore(count);
    this.kept.rows = count;
    for (let column = 0; column < this.width; column++) {
      gather(batch.columns[column] as IdColumn, keptRows, count, this.kept.columns[column] as IdColumn);
    }
    gather(keys, keptRows, count, keys);
    return this.kept;
  }

  private absorb(): Step {
    this.ranks ??= this.ranksOf(0);
    if (!this.ranks.absorb(this.firstKeys, this.store.rows)) return PENDING;
    const heldMax = this.limit === null ? Number.POSITIVE_INFINITY : Math.max(CUT_ROWS_MIN, 4 * this.limit);
    const absorbed = this.absorbedRows();
    if (this.store.rows > heldMax || absorbed < this.store.rows) return this.beginSort(absorbed);
    this.phase = 'collect';
    return PENDING;
  }

  private get firstKeys(): IdColumn {
    return this.store.columns[this.width] as IdColumn;
  }

  private absorbedRows(): number {
    return this.ranks?.rows ?? 0;
  }

  /** The first rows only, when the keys of all of them took too much memory. */
  private absorbAgain(): Step {
    this.ranks ??= this.ranksOf(0);
    if (!this.ranks.absorb(this.firstKeys, this.runRows)) return PENDING;
    return this.beginSort(this.absorbedRows());
  }

  private beginSort(rows: number): Step {
    this.runRows = rows;
    this.ranks ??= this.ranksOf(0);
    const spec = {
      first: this.ranks,
      columns: this.store.columns.slice(this.width + 1),
      ranksOf: (column: number) => this.ranksOf(column + 1),
      rows,
      limit: this.limit,
    };
    this.sort = new RunSort(spec, this.account);
    this.phase = 'sort';
    return PENDING;
  }

  private sortSome(): Step {
    const sort = this.sort as RunSort;
    while (!sort.work()) if (this.runRows > FEW_ROWS) return PENDING;
    const kind = this.ranks?.kind ?? null;
    this.ranks = null;
    this.given = 0;
    if (sort.short) this.sortFewer();
    else if (this.allSorted() && this.runs.length === 0) this.phase = 'give';
    else if (!this.inputEnded && this.limit !== null && this.runRows > 2 * this.limit) this.cut(sort, this.limit, kind);
    else this.phase = 'spill';
    return PENDING;
  }

  private sortFewer(): void {
    this.releaseSort();
    // Of one row no key but the first is looked at.
    this.runRows = Math.max(1, this.runRows >>> 1);
    this.phase = 'absorbAgain';
  }

  /** Everything that the input gives is in the run at hand. */
  private allSorted(): boolean {
    return this.inputEnded && this.runRows === this.store.rows;
  }

  /** Keeps the best rows of the run, and those behind it. */
  private cut({ order, bar }: RunSort, limit: number, kind: NumberKind | null): void {
    const behind = this.store.rows - this.runRows;
    const kept = new Uint32Array(limit + behind);
    kept.set(order.subarray(0, limit));
    for (let row = 0; row < behind; row++) kept[limit + row] = this.runRows + row;
    const last = order[limit - 1] as number;
    const descending = this.keys[0]?.descending === true;
    this.bar =
      kind === null ? termBarAt(this.firstKeys, last, descending, this.terms) : new NumberBar(kind, bar, descending);
    this.store.keep(kept);
    this.beginCollecting();
  }

  /** Goes on with the rows that are held and those of the input. */
  private beginCollecting(): void {
    this.releaseSort();
    this.phase = 'absorb';
  }

  /** Writes the sorted rows as a run. */
  private spillSome(): Step {
    this.run ??= new SpilledRows(this.account.spill, this.store.width, this.account);
    const { order } = this.sort as RunSort;
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
    const { order } = this.sort as RunSort;
    const end = Math.min(order.length, this.limit ?? order.length);
    const rows = Math.min(batchRowsFor(this.width), end - this.given);
    if (rows <= 0) return null;
    buffer.reserve(rows);
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
    this.sort?.release();
    this.sort = null;
  }

  override close(): void {
    this.merge?.close();
    this.run?.release();
    for (const run of this.runs.splice(0)) run.release();
    this.store.release();
    this.ranks?.release();
    this.ranks = null;
    this.releaseSort();
    this.account.close();
    super.close();
  }
}
