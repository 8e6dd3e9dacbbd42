/**
 * ORDER BY, and ORDER BY with LIMIT.
 *
 *  1. The rows are collected, with a column for each key; the first key becomes numbers whose order is the
 *     order wanted (`KeyEncoder`) as they come.
 *  2. The row numbers are sorted by those, and by the other keys where rows tie (`orderRows`); rows that tie in all keep
 *     their order.
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
import { compileOwnValues, type Evaluator } from '../../expressions/evaluator.js';
import { BatchBuffer, batchRowsFor, gather, newColumn, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryAccount, MemoryBudget } from '../../runtime/memory.js';
import { finish, type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import { RowStore } from '../../runtime/row-store.js';
import { mergeRuns } from '../../runtime/spill/merge-runs.js';
import { SpilledRows } from '../../runtime/spill/spilled-rows.js';
import type { QueryTerms } from '../../terms/terms.js';
import { KeyEncoder } from './key-encoder.js';
import { ORDER_BYTES_PER_ROW, type OrderedRows, orderBytesPerRow, orderRows } from './order-rows.js';
import { numberBar, type SortBar, termBarAt } from './sort-bar.js';
import { SortRunOrder } from './sort-run-order.js';

/** Rows beyond the limit that are worth a cut: a cut costs a sort of all rows held. */
const CUT_ROWS_MIN = 4096;

/** Rows that are sorted in one slice. */
const FEW_ROWS = 512;

/** The rows of a batch that may be among the first, while they are brought together. */
const keptRows = new Uint32Array(BATCH_ROWS);

export class SortOperator extends WorkOperator {
  private readonly context: BatchContext;
  private readonly evaluators: readonly Evaluator[];
  private keyColumns: IdColumn[];
  private readonly width: number;
  private readonly account: MemoryAccount;
  private readonly store: RowStore;
  private readonly kept: BatchBuffer;
  private inputEnded = false;
  /** Of the first key. */
  private encoder: KeyEncoder;
  private bar: SortBar | null = null;
  private readonly runs: SpilledRows[] = [];

  constructor(
    private readonly input: Operator,
    private readonly keys: readonly SortKey[],
    private readonly limit: number | null,
    private readonly terms: QueryTerms,
    budget: MemoryBudget,
  ) {
    super(input.variables, [input]);
    this.context = new BatchContext(input.variables, terms);
    this.evaluators = keys.map((key) => compileOwnValues(key.expression, this.context));
    this.keyColumns = keys.map(() => newColumn(0));
    this.width = input.variables.length;
    this.account = budget.openAccount();
    this.store = new RowStore(this.width + keys.length, this.account);
    this.kept = new BatchBuffer(this.width, 0);
    this.encoder = this.encoderOf(0);
  }

  private encoderOf(key: number): KeyEncoder {
    return new KeyEncoder((this.keys[key] as SortKey).descending, this.terms, this.account);
  }

  protected *work(): Work<void, QueryBatch> {
    const { store, limit, account } = this;
    for (;;) {
      yield* this.collect();
      const sorted = yield* this.order();
      const { rows } = this.encoder;
      const isAll = this.inputEnded && rows === store.rows;
      if (isAll && this.runs.length === 0) return yield* this.give(sorted);
      if (!this.inputEnded && limit !== null && rows > 2 * limit) this.cut(sorted, limit);
      else yield* this.spill(sorted);
      account.give(rows * ORDER_BYTES_PER_ROW);
      if (isAll) break;
      this.encoder = this.encoderOf(0);
    }
    store.release();
    yield* this.merge();
  }

  /** Takes rows in until it is time to sort them: at the end of the input, for a cut, or as memory is short. */
  private *collect(): Work {
    const { store, limit } = this;
    const heldMax = limit === null ? Number.POSITIVE_INFINITY : Math.max(CUT_ROWS_MIN, 4 * limit);
    for (;;) {
      yield* this.encoder.absorb(this.firstKeys, store.rows);
      if (this.inputEnded || this.encoder.rows < store.rows || store.rows > heldMax) return;
      if (store.rows > 0 && !this.fitsMore()) return;
      const batch = this.input.next();
      if (batch === null) this.inputEnded = true;
      else {
        if (batch !== PENDING) this.append(batch);
        yield PENDING;
      }
    }
  }

  /** Orders the rows that have been taken in; fewer of them, when memory does not last for all. */
  private *order(): Work<OrderedRows> {
    const { account } = this;
    for (;;) {
      const { rows } = this.encoder;
      const columns = this.store.columns.slice(this.width + 1);
      const keys = { first: this.encoder, columns, encoderOf: (column: number) => this.encoderOf(column + 1) };
      account.take(rows * ORDER_BYTES_PER_ROW);
      const work = orderRows(keys, this.limit, account);
      const sorted = rows > FEW_ROWS ? yield* work : finish(work);
      if (sorted !== null) return sorted;
      account.give(rows * ORDER_BYTES_PER_ROW);
      this.encoder = this.encoderOf(0);
      // Of one row no key but the first is looked at.
      yield* this.encoder.absorb(this.firstKeys, Math.max(1, rows >>> 1));
    }
  }

  private fitsMore(): boolean {
    const sorting = (this.store.rows + BATCH_ROWS) * orderBytesPerRow(this.keys.length);
    return this.account.fits(this.store.bytesToAppend(BATCH_ROWS) + sorting + this.encoder.bytesToAbsorb(BATCH_ROWS));
  }

  private append(batch: QueryBatch): void {
    this.makeKeyColumns(batch.rows);
    this.context.begin(batch);
    let rest = batch;
    for (let key = 0; key < this.evaluators.length; key++) {
      const column = this.keyColumns[key] as IdColumn;
      (this.evaluators[key] as Evaluator)(column, rest.rows);
      if (key > 0 || this.bar === null) continue;
      rest = this.withinBar(this.bar, column, batch);
      if (rest.rows === 0) return;
      if (rest !== batch) this.context.begin(rest);
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
    const count = bar(keys, batch.rows, keptRows);
    if (count === batch.rows) return batch;
    this.kept.reserveMore(count);
    this.kept.gather(batch, keptRows, count);
    gather(keys, keptRows, count, keys);
    return this.kept;
  }

  private get firstKeys(): IdColumn {
    return this.store.columns[this.width] as IdColumn;
  }

  /** Keeps the best rows of those that were ordered, and the rows behind them. */
  private cut({ order, bar }: OrderedRows, limit: number): void {
    const { store, encoder, firstKeys } = this;
    const behind = store.rows - encoder.rows;
    const kept = new Uint32Array(limit + behind);
    kept.set(order.subarray(0, limit));
    for (let row = 0; row < behind; row++) kept[limit + row] = encoder.rows + row;
    const last = order[limit - 1] as number;
    const descending = this.keys[0]?.descending === true;
    this.bar =
      encoder.kind === null
        ? termBarAt(firstKeys, last, descending, this.terms)
        : numberBar(encoder.kind, bar, descending);
    store.keep(kept);
  }

  /** Writes the rows that were ordered as a run. */
  private *spill({ order }: OrderedRows): Work {
    const run = new SpilledRows(this.account.spill, this.store.width, this.account);
    this.runs.push(run);
    const end = Math.min(order.length, this.limit ?? order.length);
    for (let at = 0; at < end; at++) {
      run.appendRow(this.store.columns, order[at] as number);
      if ((at + 1) % BATCH_ROWS === 0) yield PENDING;
    }
    run.seal();
    this.store.dropFirst(this.encoder.rows);
    yield PENDING;
  }

  private *merge(): Work<void, QueryBatch> {
    const order = new SortRunOrder(this.keys, this.width, this.terms, this.account);
    let left = this.limit ?? Number.POSITIVE_INFINITY;
    for (const step of mergeRuns(this.runs.splice(0), this.store.width, order, this.account)) {
      if (left <= 0) return;
      if (step === PENDING) yield PENDING;
      else {
        const rows = Math.min(step.rows, left);
        left -= rows;
        yield { rows, columns: step.columns.slice(0, this.width) };
      }
    }
  }

  private *give({ order }: OrderedRows): Work<void, QueryBatch> {
    const buffer = new BatchBuffer(this.width, 0);
    const end = Math.min(order.length, this.limit ?? order.length);
    const rows = batchRowsFor(this.width);
    for (let from = 0; from < end; from += rows) {
      const given = order.subarray(from, Math.min(from + rows, end));
      buffer.reserve(given.length);
      yield buffer.gather(this.store, given, given.length);
    }
  }

  override close(): void {
    super.close();
    for (const run of this.runs.splice(0)) run.release();
    this.store.release();
    this.encoder.release();
    this.account.close();
  }
}
