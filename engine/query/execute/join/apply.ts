/**
 * A plan that is run once for each batch of rows of the input, with the rows as one of its leaves:
 * OPTIONAL, EXISTS, NOT EXISTS and MINUS, and joins with UNION and subqueries, where the rows decide what is read on the other
 * side.
 *
 *  1. Rows are collected until there are enough for a run, or no more come.
 *  2. Their variables that the inner plan reads, with the number of the row, go into its slot; equal
 *     ones once, where only the existence of a match counts.
 *  3. The inner rows carry the number of the row they belong to.
 */

import { highOf, lowOf } from '../../../storage/ids/halves.js';
import type { TermId } from '../../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import { BatchBuffer, copyId, newColumn, type QueryBatch } from '../../runtime/batch.js';
import { HashKeys } from '../../runtime/keys/hash-keys.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import {
  columnsOf,
  type KeyFilter,
  type Operator,
  PENDING,
  Trace,
  type Traced,
  type Work,
  WorkOperator,
} from '../../runtime/operator.js';
import { RowStore } from '../../runtime/row-store.js';

/** Where the rows that are handed down wait for the leaf of the inner plan that reads them, by slot. */
export type CorrelatedSlots = Map<number, QueryBatch>;

export type ApplyKind = 'join' | 'left' | 'semi' | 'anti' | 'mark';

/** Each row comes out with each of its matches. */
export function pairsRows(kind: ApplyKind): kind is 'join' | 'left' {
  return kind === 'join' || kind === 'left';
}

export interface ApplySpec {
  readonly kind: ApplyKind;
  /** Variables of the input that the inner plan reads; none = it is the same for every row. */
  readonly outer: readonly string[];
  readonly slot: number;
  /** The variable that holds the number of the row in the inner plan. */
  readonly rowNumber: string;
  /** What the inner plan adds to the row ('join', 'left'), or where the answer goes ('mark'). */
  readonly added: readonly string[];
  /** Variables of the input that the inner plan may bind where the row does not. */
  readonly completed: readonly string[];
}

/** Ids of true and false, for marks. */
export interface MarkIds {
  readonly yes: TermId;
  readonly no: TermId;
}

export class ApplyOperator extends WorkOperator {
  private readonly rows: RowStore;
  private readonly keys: HashKeys;
  /** The key of each row; the row itself where every row is its own key. */
  private readonly keyOfRow = new Int32Array(BATCH_ROWS);
  private matched = new Uint8Array(BATCH_ROWS);
  private unmatched = 0;
  private readonly outerColumns: readonly number[];
  private readonly buffer: BatchBuffer;
  private readonly kept = new Uint32Array(BATCH_ROWS);
  private inner: Operator | null = null;
  /** Where the inner plan's columns are. */
  private numberColumn = -1;
  private innerColumns: readonly number[] = [];
  private completedColumns: readonly (readonly [number, number])[] = [];
  /** A batch of the input that did not fit. */
  private pending: QueryBatch | null = null;
  /** The answer, where it is the same for every row. */
  private constant: boolean | null = null;
  private readonly trace = new Trace();

  constructor(
    private readonly input: Operator,
    private readonly openInner: () => Operator,
    private readonly spec: ApplySpec,
    private readonly slots: CorrelatedSlots,
    private readonly marks: MarkIds,
    budget: MemoryBudget,
  ) {
    super([...input.variables, ...spec.added], [input]);
    this.rows = new RowStore(input.variables.length, budget);
    this.outerColumns = columnsOf(input.variables, spec.outer);
    this.keys = new HashKeys(spec.outer.length, budget);
    this.buffer = new BatchBuffer(this.variables.length);
  }

  override narrow(filter: KeyFilter): void {
    // What a match completes may be the value that is asked for.
    if (!this.spec.completed.includes(filter.variable)) this.narrowInputs(filter, [this.input]);
  }

  protected *work(): Work<void, QueryBatch> {
    const { rows } = this;
    for (let ended = false; !ended; ) {
      ended = yield* this.collect();
      if (rows.rows === 0) return;
      if (this.constant === null) yield* this.run();
      if (this.spec.kind !== 'join') yield this.rest();
      rows.clear();
    }
  }

  override get traces(): readonly Traced[] {
    return [this.input, this.trace];
  }

  /** True at the end of the input. */
  private *collect(): Work<boolean> {
    const { rows, input } = this;
    if (this.pending !== null) rows.appendBatch(this.pending);
    this.pending = null;
    while (rows.rows < BATCH_ROWS) {
      const step = input.next();
      if (step === null) return true;
      if (step !== PENDING) {
        if (rows.rows + step.rows > BATCH_ROWS) {
          this.pending = step;
          return false;
        }
        rows.appendBatch(step);
      }
      yield PENDING;
    }
    return false;
  }

  private *run(): Work<void, QueryBatch> {
    const { kind, slot, outer, rowNumber, added, completed } = this.spec;
    this.matched.fill(0, 0, this.rows.rows);
    this.slots.set(slot, this.outerBatch());
    const inner = this.openInner();
    this.inner = inner;
    const names = inner.variables;
    this.numberColumn = names.indexOf(rowNumber);
    const pairing = pairsRows(kind);
    this.innerColumns = pairing ? added.map((name) => names.indexOf(name)) : [];
    this.completedColumns = completed.map((name) => [this.input.variables.indexOf(name), names.indexOf(name)] as const);
    yield PENDING;
    for (let step = inner.next(); step !== null; step = inner.next()) {
      if (step === PENDING) yield PENDING;
      else if (pairing) {
        for (let row = 0; row < step.rows; row += this.buffer.capacity) yield this.pairs(step, row);
      } else {
        this.markMatches(step);
        if (this.unmatched === 0 || outer.length === 0) break;
        yield PENDING;
      }
    }
    this.closeInner();
    if (outer.length === 0 && !pairing) this.constant ??= false;
    yield PENDING;
  }

  /** The rows as the inner plan sees them: their variables and a number, from 1. */
  private outerBatch(): QueryBatch {
    const { rows, keys, keyOfRow } = this;
    let columns = this.outerColumns.map((column) => rows.columns[column] as IdColumn);
    let count = rows.rows;
    if (pairsRows(this.spec.kind)) for (let row = 0; row < count; row++) keyOfRow[row] = row;
    else if (columns.length === 0) count = 1;
    else {
      keys.release();
      keys.assign(columns, count, keyOfRow);
      columns = [...keys.columns];
      count = keys.count;
    }
    this.unmatched = count;
    const numbers = newColumn(count);
    for (let row = 0; row < count; row++) numbers[2 * row] = row + 1;
    return { rows: count, columns: [...columns, numbers] };
  }

  private markMatches(batch: QueryBatch): void {
    // Without a number the inner plan is the same for every row, and one solution answers for all.
    if (this.numberColumn < 0) {
      this.constant = true;
      return;
    }
    const numbers = batch.columns[this.numberColumn] as IdColumn;
    for (let row = 0; row < batch.rows; row++) {
      const key = (numbers[2 * row] as number) - 1;
      if (this.matched[key] === 1) continue;
      this.matched[key] = 1;
      this.unmatched--;
    }
  }

  /** Rows of the inner plan from `from` on, up to a batch, with the rows that they belong to. */
  private pairs(batch: QueryBatch, from: number): QueryBatch {
    const { buffer, rows } = this;
    const count = Math.min(buffer.capacity, batch.rows - from);
    const numbers = batch.columns[this.numberColumn] as IdColumn;
    const width = this.input.variables.length;
    for (let at = 0; at < count; at++) {
      const source = (numbers[2 * (from + at)] as number) - 1;
      this.kept[at] = source;
      this.matched[source] = 1;
    }
    buffer.gather(rows, this.kept, count);
    for (const [column, inner] of this.completedColumns) this.copyInner(batch, inner, column, from, count);
    this.innerColumns.forEach((inner, index) => {
      this.copyInner(batch, inner, width + index, from, count);
    });
    return buffer;
  }

  private copyInner(batch: QueryBatch, column: number, to: number, from: number, count: number): void {
    const source = batch.columns[column] as IdColumn;
    (this.buffer.columns[to] as IdColumn).set(source.subarray(2 * from, 2 * (from + count)));
  }

  /** What is given once the matches of all rows are known. */
  private rest(): QueryBatch | typeof PENDING {
    const { buffer, rows, kept } = this;
    const { kind } = this.spec;
    let count = 0;
    for (let row = 0; row < rows.rows; row++) {
      const found = this.constant ?? this.matched[this.keyOfRow[row] as number] === 1;
      if (kind === 'mark' || found === (kind === 'semi')) kept[count++] = row;
    }
    const width = this.input.variables.length;
    buffer.reserve(count);
    buffer.gather(rows, kept, count);
    for (let column = width; column < buffer.columns.length; column++) {
      (buffer.columns[column] as IdColumn).fill(0, 0, 2 * count);
    }
    if (kind === 'mark') this.writeMarks(buffer.columns[width] as IdColumn, count);
    return count > 0 ? buffer : PENDING;
  }

  private writeMarks(column: IdColumn, count: number): void {
    const { no, yes } = this.marks;
    const answers = Uint32Array.of(lowOf(no), highOf(no), lowOf(yes), highOf(yes));
    for (let row = 0; row < count; row++) {
      const found = this.constant ?? this.matched[this.keyOfRow[row] as number] === 1;
      copyId(answers, found ? 1 : 0, column, row);
    }
  }

  private closeInner(): void {
    if (this.inner === null) return;
    this.trace.add(this.inner);
    this.inner.close();
    this.inner = null;
  }

  override close(): void {
    super.close();
    this.closeInner();
    this.keys.release();
    this.rows.release();
  }
}
