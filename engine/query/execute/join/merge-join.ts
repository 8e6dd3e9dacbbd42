/**
 * Joins two inputs that come sorted by the same variable, in one pass over both.
 *
 *  1. The smaller key of the two current rows gallops on until the keys are equal.
 *  2. The rows of that key make a run on either side, and each left row of the run is paired with each
 *     right one. The pairs of many keys are gathered at once; further shared variables are compared
 *     over the pairs.
 *  3. A right run that may go on in the next batch is copied into `group` until it is whole, and the
 *     left rows of its key, in whichever batches, are paired with that.
 *
 * The output is sorted by the key too.
 */

import { invariant } from '../../../base/errors.js';
import { KernelInput, threadMemory } from '../../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import { batchRowsFor, copyId, type QueryBatch, sliceBatch } from '../../runtime/batch.js';
import { sameId } from '../../runtime/ids.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';
import { RowStore } from '../../runtime/row-store.js';
import { keepEqual, rowPairs } from '../tables/row-pairs.js';
import { joinedVariables } from '../tables/table-join.js';
import { JoinOutput } from './join-output.js';

/** Keys of the two batches at hand, where kernels find them. */
const leftInput = new KernelInput(2 * BATCH_ROWS);
const rightInput = new KernelInput(2 * BATCH_ROWS);

/** The first row after `row` that has another id, or `rows`. */
function endOfRun(ids: IdColumn, row: number, rows: number): number {
  let end = row + 1;
  while (end < rows && sameId(ids, end, ids, row)) end++;
  return end;
}

class Side {
  batch: QueryBatch | null = null;
  row = 0;
  ended = false;

  constructor(
    readonly input: Operator,
    readonly key: number,
  ) {}

  /** Sees to it that a row stands ready; false = the input has ended. */
  *ready(): Work<boolean> {
    while (this.batch === null && !this.ended) {
      const step = this.input.next();
      if (step === PENDING) yield PENDING;
      else if (step === null) this.ended = true;
      else {
        this.batch = step;
        this.row = 0;
      }
    }
    return !this.ended;
  }

  get keys(): IdColumn {
    return (this.batch as QueryBatch).columns[this.key] as IdColumn;
  }

  moveTo(row: number): void {
    this.row = row;
    if (row >= (this.batch as QueryBatch).rows) this.batch = null;
  }
}

export class MergeJoinOperator extends WorkOperator {
  private readonly left: Side;
  private readonly right: Side;
  private readonly group: RowStore;
  private readonly groupKey = new Uint32Array(2);
  private readonly output: JoinOutput;
  private readonly pairsMax: number;
  /** Further shared variables: [left column, right column]. */
  private readonly others: readonly (readonly [number, number])[];
  /** Right rows of the run at hand that the left row at hand has been paired with. */
  private paired = 0;
  private readonly pairs = rowPairs();

  constructor(
    left: Operator,
    right: Operator,
    key: string,
    budget: MemoryBudget,
    shown: readonly string[] = joinedVariables(left.variables, right.variables),
  ) {
    super(shown, [left, right]);
    this.left = new Side(left, left.variables.indexOf(key));
    this.right = new Side(right, right.variables.indexOf(key));
    this.others = right.variables
      .filter((name) => name !== key && left.variables.includes(name))
      .map((name) => [left.variables.indexOf(name), right.variables.indexOf(name)] as const);
    this.group = new RowStore(right.variables.length, budget, 'kernel');
    this.output = new JoinOutput(shown, left.variables, right.variables);
    this.pairsMax = batchRowsFor(shown.length);
  }

  protected *work(): Work<void, QueryBatch> {
    const { left, right } = this;
    while ((yield* left.ready()) && (yield* right.ready())) {
      const isOpen = yield* this.match(left.batch as QueryBatch, right.batch as QueryBatch);
      if (!isOpen) continue;
      yield* this.collect();
      let isRun = true;
      while (isRun && (yield* left.ready())) isRun = yield* this.joinGroup(left.batch as QueryBatch);
    }
  }

  /** Pairs the rows of the two batches at hand until one of them is used up; true = a group has begun. */
  private *match(leftBatch: QueryBatch, rightBatch: QueryBatch): Work<boolean, QueryBatch> {
    const { left, right, pairsMax } = this;
    const { first, second, cursor } = this.pairs;
    const leftAt = leftInput.addressOf(left.keys, 2 * leftBatch.rows);
    const rightAt = rightInput.addressOf(right.keys, 2 * rightBatch.rows);
    cursor[0] = left.row;
    cursor[1] = right.row;
    cursor[2] = this.paired;
    const count = threadMemory().kernels.mergePairs(
      leftAt,
      leftBatch.rows,
      rightAt,
      rightBatch.rows,
      cursor.byteOffset,
      pairsMax,
      first.byteOffset,
      second.byteOffset,
    );
    const [leftRow = 0, rightRow = 0, paired = 0, open = 0] = cursor;
    invariant(leftRow <= leftBatch.rows && rightRow <= rightBatch.rows, 'a merge stays within its batches');
    this.paired = paired;
    if (open === 1) this.beginGroup(rightBatch, rightRow);
    yield this.give(leftBatch, rightBatch, count);
    left.moveTo(leftRow);
    right.moveTo(open === 1 ? rightBatch.rows : rightRow);
    return open === 1;
  }

  /** The rest of the right batch has one key. */
  private beginGroup(rightBatch: QueryBatch, row: number): void {
    copyId(this.right.keys, row, this.groupKey, 0);
    this.group.clear();
    this.group.appendBatch(sliceBatch(rightBatch, row, rightBatch.rows - row));
  }

  /** Takes the right rows that have the key of the group, in whichever batches. */
  private *collect(): Work {
    const { right, group } = this;
    const [low, high] = this.groupKey;
    for (let isRun = true; isRun && (yield* right.ready()); ) {
      const batch = right.batch as QueryBatch;
      const { keys } = right;
      const end = keys[0] === low && keys[1] === high ? endOfRun(keys, 0, batch.rows) : 0;
      if (end > 0) group.appendBatch(sliceBatch(batch, 0, end));
      right.moveTo(end);
      isRun = right.batch === null;
      yield PENDING;
    }
  }

  /** Pairs the left rows that have the key of the group; false = one has another key. */
  private *joinGroup(leftBatch: QueryBatch): Work<boolean, QueryBatch> {
    const { left, group, pairsMax } = this;
    const { keys } = left;
    const [low, high] = this.groupKey;
    let { row } = left;
    const { first, second } = this.pairs;
    let count = 0;
    let isRun = true;
    for (; row < leftBatch.rows && count < pairsMax; row++) {
      if (keys[2 * row] !== low || keys[2 * row + 1] !== high) {
        isRun = false;
        break;
      }
      const taken = Math.min(group.rows - this.paired, pairsMax - count);
      for (let index = 0; index < taken; index++) {
        first[count] = row;
        second[count++] = this.paired + index;
      }
      this.paired += taken;
      if (this.paired < group.rows) break;
      this.paired = 0;
    }
    yield this.give(leftBatch, group, count);
    left.moveTo(row);
    return isRun;
  }

  private give(leftBatch: QueryBatch, rightBatch: QueryBatch, count: number): QueryBatch | typeof PENDING {
    const { first, second } = this.pairs;
    let kept = count;
    for (const [leftColumn, rightColumn] of this.others) {
      const mine = leftBatch.columns[leftColumn] as IdColumn;
      const other = rightBatch.columns[rightColumn] as IdColumn;
      kept = keepEqual(mine, first, leftBatch.rows, other, second, rightBatch.rows, kept);
    }
    return kept === 0 ? PENDING : this.output.gather(leftBatch, rightBatch, kept);
  }

  override close(): void {
    super.close();
    this.group.release();
    this.output.release();
  }
}
