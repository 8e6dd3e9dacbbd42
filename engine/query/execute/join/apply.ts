/**
 * A plan that is run once for each batch of rows of the input, with the rows as one of its leaves:
 * OPTIONAL, EXISTS, NOT EXISTS and MINUS where the rows decide what is read on the other side.
 *
 *  1. Rows are collected until there are enough for a run, or no more come.
 *  2. Their variables that the inner plan reads, with the number of the row, go into its slot; equal
 *     ones once, where only the existence of a match counts.
 *  3. The inner rows carry the number of the row they belong to.
 */

import { highOf, lowOf } from '../../../storage/ids/halves.js';
import type { TermId } from '../../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import { BatchBuffer, copyId, gather, newColumn, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { columnsOf, Operator, PENDING, type Step, type Traced } from '../../runtime/operator.js';
import { RowIndex } from '../../runtime/row-index.js';
import { RowStore } from '../../runtime/row-store.js';
import { Trace } from '../../runtime/trace.js';
import type { OuterSlots } from './correlated-input.js';

export type ApplyKind = 'left' | 'semi' | 'anti' | 'mark';

export interface ApplySpec {
  readonly kind: ApplyKind;
  /** Variables of the input that the inner plan reads; none = it is the same for every row. */
  readonly outer: readonly string[];
  readonly slot: number;
  /** The variable that holds the number of the row in the inner plan. */
  readonly rowNumber: string;
  /** What the inner plan adds to the row ('left'), or where the answer goes ('mark'). */
  readonly added: readonly string[];
  /** Variables of the input that the inner plan may bind where the row does not. */
  readonly completed: readonly string[];
}

/** Ids of true and false, for marks. */
export interface MarkIds {
  readonly yes: TermId;
  readonly no: TermId;
}

export class ApplyOperator extends Operator {
  private readonly rows: RowStore;
  private readonly keys: RowStore;
  private keyIndex: RowIndex | null = null;
  /** The key of each row; the row itself where every row is its own key. */
  private readonly keyOfRow = new Int32Array(BATCH_ROWS);
  private matched = new Uint8Array(BATCH_ROWS);
  private unmatched = 0;
  private readonly outerColumns: readonly number[];
  private readonly buffer: BatchBuffer;
  private readonly kept = new Uint32Array(BATCH_ROWS);
  private phase: 'collect' | 'run' | 'rest' = 'collect';
  private ended = false;
  private inner: Operator | null = null;
  /** Where the inner plan's columns are. */
  private numberColumn = -1;
  private innerColumns: readonly number[] = [];
  private completedColumns: readonly (readonly [number, number])[] = [];
  private batch: QueryBatch | null = null;
  private batchRow = 0;
  private pending: QueryBatch | null = null;
  /** The answer, where it is the same for every row. */
  private constant: boolean | null = null;
  private readonly trace = new Trace();

  constructor(
    private readonly input: Operator,
    private readonly openInner: () => Operator,
    private readonly spec: ApplySpec,
    private readonly slots: OuterSlots,
    private readonly marks: MarkIds,
    private readonly budget: MemoryBudget,
  ) {
    super([...input.variables, ...spec.added], [input]);
    this.rows = new RowStore(input.variables.length, budget);
    this.outerColumns = columnsOf(input.variables, spec.outer);
    this.keys = new RowStore(spec.outer.length, budget);
    this.buffer = new BatchBuffer(this.variables.length);
  }

  protected step(): Step {
    switch (this.phase) {
      case 'collect':
        return this.collect();
      case 'run':
        return this.run();
      case 'rest':
        return this.giveRest();
    }
  }

  override get traces(): readonly Traced[] {
    return [this.input, this.trace];
  }

  private collect(): Step {
    if (!this.ended && this.pending === null) {
      const step = this.input.next();
      if (step === PENDING) return PENDING;
      if (step === null) this.ended = true;
      else this.pending = step;
    }
    if (this.pending !== null && this.rows.rows + this.pending.rows <= BATCH_ROWS) {
      this.rows.appendBatch(this.pending);
      this.pending = null;
      if (this.rows.rows < BATCH_ROWS) return PENDING;
    }
    if (this.rows.rows === 0) return this.ended ? null : PENDING;
    this.begin();
    return PENDING;
  }

  private begin(): void {
    this.matched.fill(0, 0, this.rows.rows);
    this.phase = 'run';
    if (this.constant !== null) {
      this.phase = 'rest';
      this.matched.fill(this.constant ? 1 : 0, 0, this.rows.rows);
      return;
    }
    this.slots.put(this.spec.slot, this.outerBatch());
    this.inner = this.openInner();
    const names = this.inner.variables;
    this.numberColumn = names.indexOf(this.spec.rowNumber);
    this.innerColumns = this.spec.kind === 'left' ? this.spec.added.map((name) => names.indexOf(name)) : [];
    this.completedColumns = this.spec.completed.map(
      (name) => [this.input.variables.indexOf(name), names.indexOf(name)] as const,
    );
    this.batch = null;
  }

  /** The rows as the inner plan sees them: their variables and a number, from 1. */
  private outerBatch(): QueryBatch {
    const { rows, keys, keyOfRow } = this;
    const oncePerKey = this.spec.kind !== 'left';
    if (oncePerKey) {
      this.keyIndex?.release();
      keys.clear();
      this.keyIndex = new RowIndex(
        keys,
        this.spec.outer.map((_, column) => column),
        this.budget,
      );
    }
    for (let row = 0; row < rows.rows; row++) {
      keyOfRow[row] = oncePerKey
        ? (this.keyIndex as RowIndex).findOrAppend(rows.columns, this.outerColumns, this.outerColumns, row)
        : row;
    }
    const source = oncePerKey ? keys.columns : this.outerColumns.map((column) => rows.columns[column] as IdColumn);
    const count = oncePerKey ? keys.rows : rows.rows;
    this.unmatched = count;
    const numbers = newColumn(count);
    for (let row = 0; row < count; row++) numbers[2 * row] = row + 1;
    return { rows: count, columns: [...source, numbers] };
  }

  private run(): Step {
    if (this.batch === null) {
      const step = (this.inner as Operator).next();
      if (step === PENDING) return PENDING;
      if (step === null) return this.endRun();
      this.batch = step;
      this.batchRow = 0;
    }
    if (this.spec.kind === 'left') return this.pairSome(this.batch);
    this.markMatches(this.batch);
    this.batch = null;
    if (this.unmatched === 0 || this.spec.outer.length === 0) return this.endRun();
    return PENDING;
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

  private pairSome(batch: QueryBatch): Step {
    const { buffer, rows } = this;
    const count = Math.min(buffer.capacity, batch.rows - this.batchRow);
    const numbers = batch.columns[this.numberColumn] as IdColumn;
    const width = this.input.variables.length;
    for (let at = 0; at < count; at++) {
      const source = (numbers[2 * (this.batchRow + at)] as number) - 1;
      this.kept[at] = source;
      this.matched[source] = 1;
    }
    for (let column = 0; column < width; column++) {
      gather(rows.columns[column] as IdColumn, this.kept, count, buffer.columns[column] as IdColumn);
    }
    for (const [column, inner] of this.completedColumns) this.copyInner(batch, inner, column, count);
    this.innerColumns.forEach((inner, index) => {
      this.copyInner(batch, inner, width + index, count);
    });
    this.batchRow += count;
    if (this.batchRow === batch.rows) this.batch = null;
    buffer.rows = count;
    return buffer;
  }

  private copyInner(batch: QueryBatch, from: number, to: number, count: number): void {
    const source = batch.columns[from] as IdColumn;
    (this.buffer.columns[to] as IdColumn).set(source.subarray(2 * this.batchRow, 2 * (this.batchRow + count)));
  }

  private endRun(): Step {
    this.closeInner();
    if (this.spec.outer.length === 0 && this.spec.kind !== 'left') {
      this.constant ??= false;
      this.matched.fill(this.constant ? 1 : 0, 0, this.rows.rows);
      this.keyOfRow.fill(0, 0, this.rows.rows);
    }
    this.phase = 'rest';
    return PENDING;
  }

  private giveRest(): Step {
    const { buffer, rows, kept } = this;
    const { kind } = this.spec;
    let count = 0;
    for (let row = 0; row < rows.rows; row++) {
      const found = this.constant ?? this.matched[this.keyOfRow[row] as number] === 1;
      if (kind === 'mark' || found === (kind === 'semi')) kept[count++] = row;
    }
    const width = this.input.variables.length;
    buffer.reserve(count);
    for (let column = 0; column < width; column++) {
      gather(rows.columns[column] as IdColumn, kept, count, buffer.columns[column] as IdColumn);
    }
    for (let column = width; column < buffer.columns.length; column++) {
      (buffer.columns[column] as IdColumn).fill(0, 0, 2 * count);
    }
    if (kind === 'mark') this.writeMarks(buffer.columns[width] as IdColumn, count);
    this.rows.clear();
    this.phase = 'collect';
    buffer.rows = count;
    return count > 0 ? buffer : PENDING;
  }

  private writeMarks(column: IdColumn, count: number): void {
    const answers = Uint32Array.of(
      lowOf(this.marks.no),
      highOf(this.marks.no),
      lowOf(this.marks.yes),
      highOf(this.marks.yes),
    );
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
    this.closeInner();
    this.keyIndex?.release();
    this.keyIndex = null;
    this.keys.release();
    this.rows.release();
    super.close();
  }
}
