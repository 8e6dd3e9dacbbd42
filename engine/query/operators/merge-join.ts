/**
 * Joins two inputs that come sorted by the same variable, in one pass over both.
 *
 *  1. The smaller key of the two current rows moves on until the keys are equal.
 *  2. All rows of the right input with that key are collected into `group`.
 *  3. Every left row with that key is paired with every row of the group; further shared variables
 *     are compared pair by pair.
 *
 * The output is sorted by the key too.
 */

import type { IdColumn } from '../../storage/scan.js';
import { BatchBuffer, copyId, type QueryBatch } from './batch.js';
import { compareIds, sameId } from './ids.js';
import type { MemoryBudget } from './memory.js';
import { columnsOf, Operator, PENDING, type Step } from './operator.js';
import { RowStore } from './row-store.js';

class Side {
  batch: QueryBatch | null = null;
  row = 0;
  ended = false;

  constructor(
    readonly input: Operator,
    readonly key: number,
  ) {}

  /** True when a row stands ready or the input has ended; false = ask again. */
  ready(): boolean {
    if (this.ended || this.batch !== null) return true;
    const step = this.input.next();
    if (step === PENDING) return false;
    if (step === null) this.ended = true;
    else {
      this.batch = step;
      this.row = 0;
    }
    return true;
  }

  get keys(): IdColumn {
    return (this.batch as QueryBatch).columns[this.key] as IdColumn;
  }

  advance(): void {
    this.row++;
    if (this.row === (this.batch as QueryBatch).rows) this.batch = null;
  }
}

export class MergeJoinOperator extends Operator {
  private readonly left: Side;
  private readonly right: Side;
  private readonly group: RowStore;
  private readonly groupKey = new Uint32Array(2);
  private readonly buffer: BatchBuffer;
  /** Further shared variables: [left column, right column]. */
  private readonly others: readonly (readonly [number, number])[];
  /** Columns of the right input that the left one does not have. */
  private readonly added: readonly number[];
  private readonly rightColumns: readonly number[];
  private phase: 'align' | 'collect' | 'emit' = 'align';
  private groupRow = 0;

  constructor(left: Operator, right: Operator, key: string, budget: MemoryBudget) {
    const addedNames = right.variables.filter((name) => !left.variables.includes(name));
    super([...left.variables, ...addedNames], [left, right]);
    this.left = new Side(left, left.variables.indexOf(key));
    this.right = new Side(right, right.variables.indexOf(key));
    this.added = columnsOf(right.variables, addedNames);
    this.others = right.variables
      .filter((name) => name !== key && left.variables.includes(name))
      .map((name) => [left.variables.indexOf(name), right.variables.indexOf(name)] as const);
    this.rightColumns = right.variables.map((_, index) => index);
    this.group = new RowStore(right.variables.length, budget);
    this.buffer = new BatchBuffer(this.variables.length);
  }

  protected step(): Step {
    this.buffer.clear();
    // Each turn of the loop uses up rows of the batches at hand or returns.
    for (;;) {
      const outcome = this.phase === 'align' ? this.align() : this.phase === 'collect' ? this.collect() : this.emit();
      if (outcome === 'continue') continue;
      if (this.buffer.rows > 0) return this.buffer;
      return outcome === 'end' ? null : PENDING;
    }
  }

  private align(): 'continue' | 'wait' | 'end' {
    const { left, right } = this;
    if (!left.ready() || !right.ready()) return 'wait';
    if (left.ended || right.ended) return 'end';
    const order = compareIds(left.keys, left.row, right.keys, right.row);
    if (order < 0) skipBelow(left, right);
    else if (order > 0) skipBelow(right, left);
    else {
      copyId(right.keys, right.row, this.groupKey, 0);
      this.group.clear();
      this.phase = 'collect';
    }
    // A side without a batch is asked again in the next call, so that a call pulls each input once.
    return left.batch === null || right.batch === null ? 'wait' : 'continue';
  }

  private collect(): 'continue' | 'wait' {
    const { right } = this;
    if (!right.ready()) return 'wait';
    while (right.batch !== null && sameId(right.keys, right.row, this.groupKey, 0)) {
      this.group.appendRow(right.batch.columns, this.rightColumns, right.row);
      right.advance();
      if (right.batch === null) return 'wait';
    }
    this.groupRow = 0;
    this.phase = 'emit';
    return 'continue';
  }

  private emit(): 'continue' | 'wait' {
    const { left } = this;
    if (!left.ready()) return 'wait';
    if (left.batch === null || !sameId(left.keys, left.row, this.groupKey, 0)) {
      this.phase = 'align';
      return 'continue';
    }
    while (this.groupRow < this.group.rows) {
      if (this.buffer.full) return 'wait';
      if (this.agrees()) this.push();
      this.groupRow++;
    }
    this.groupRow = 0;
    left.advance();
    return left.batch === null ? 'wait' : 'continue';
  }

  private agrees(): boolean {
    const columns = (this.left.batch as QueryBatch).columns;
    for (const [leftColumn, rightColumn] of this.others) {
      const mine = columns[leftColumn] as IdColumn;
      if (!sameId(mine, this.left.row, this.group.columns[rightColumn] as IdColumn, this.groupRow)) return false;
    }
    return true;
  }

  private push(): void {
    const { buffer, left } = this;
    const columns = (left.batch as QueryBatch).columns;
    const width = columns.length;
    for (let column = 0; column < width; column++) {
      copyId(columns[column] as IdColumn, left.row, buffer.columns[column] as IdColumn, buffer.rows);
    }
    for (let index = 0; index < this.added.length; index++) {
      const from = this.group.columns[this.added[index] as number] as IdColumn;
      copyId(from, this.groupRow, buffer.columns[width + index] as IdColumn, buffer.rows);
    }
    buffer.rows++;
  }

  override close(): void {
    this.group.release();
    super.close();
  }
}

/** Moves `side` to its first row whose key is not below the other side's, within its batch. */
function skipBelow(side: Side, other: Side): void {
  const keys = side.keys;
  const rows = (side.batch as QueryBatch).rows;
  let row = side.row + 1;
  // Gallop, then bisect: runs of keys that do not match are often long.
  let stride = 1;
  while (row + stride < rows && compareIds(keys, row + stride, other.keys, other.row) < 0) {
    row += stride;
    stride *= 2;
  }
  let end = Math.min(row + stride, rows);
  while (row < end) {
    const middle = (row + end) >>> 1;
    if (compareIds(keys, middle, other.keys, other.row) < 0) row = middle + 1;
    else end = middle;
  }
  side.row = row;
  if (row >= rows) side.batch = null;
}
