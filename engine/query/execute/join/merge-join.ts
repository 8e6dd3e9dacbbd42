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
import type { MemoryBudget } from '../../runtime/memory.js';
import { Operator, PENDING, type Step } from '../../runtime/operator.js';
import { RowStore } from '../../runtime/row-store.js';
import { keepEqual, rowPairs } from '../tables/row-pairs.js';
import { joinedVariables } from '../tables/table-join.js';
import { JoinOutput } from './join-output.js';
import { endOfRun } from './sorted-ids.js';

/** Keys of the two batches at hand, where kernels find them. */
const leftInput = new KernelInput(2 * BATCH_ROWS);
const rightInput = new KernelInput(2 * BATCH_ROWS);

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

  moveTo(row: number): void {
    this.row = row;
    if (row >= (this.batch as QueryBatch).rows) this.batch = null;
  }
}

export class MergeJoinOperator extends Operator {
  private readonly left: Side;
  private readonly right: Side;
  private readonly group: RowStore;
  private readonly groupKey = new Uint32Array(2);
  private readonly output: JoinOutput;
  private readonly pairsMax: number;
  /** Further shared variables: [left column, right column]. */
  private readonly others: readonly (readonly [number, number])[];
  private phase: 'match' | 'collect' | 'group' = 'match';
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

  /** A call pulls each input at most once. */
  protected step(): Step {
    const { left, right } = this;
    if (this.phase === 'collect') return this.collect();
    if (!left.ready()) return PENDING;
    if (left.ended) return null;
    if (this.phase === 'group') return this.joinGroup(left.batch as QueryBatch);
    if (!right.ready()) return PENDING;
    if (right.ended) return null;
    return this.match(left.batch as QueryBatch, right.batch as QueryBatch);
  }

  /** Pairs the rows of the two batches at hand until one of them is used up. */
  private match(leftBatch: QueryBatch, rightBatch: QueryBatch): Step {
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
    const given = this.give(leftBatch, rightBatch, count);
    left.moveTo(leftRow);
    right.moveTo(open === 1 ? rightBatch.rows : rightRow);
    return given;
  }

  /** The rest of the right batch has one key. */
  private beginGroup(rightBatch: QueryBatch, row: number): void {
    copyId(this.right.keys, row, this.groupKey, 0);
    this.group.clear();
    this.group.appendBatch(sliceBatch(rightBatch, row, rightBatch.rows - row));
    this.phase = 'collect';
  }

  private collect(): Step {
    const { right, group } = this;
    if (!right.ready()) return PENDING;
    if (right.batch !== null) {
      const { keys, batch } = right;
      const [low, high] = this.groupKey;
      const end = keys[0] === low && keys[1] === high ? endOfRun(keys, 0, batch.rows) : 0;
      if (end > 0) group.appendBatch(sliceBatch(batch, 0, end));
      right.moveTo(end);
      if (right.batch === null) return PENDING;
    }
    this.phase = 'group';
    return PENDING;
  }

  /** Pairs the left rows that have the key of the group. */
  private joinGroup(leftBatch: QueryBatch): Step {
    const { left, group, pairsMax } = this;
    const { keys } = left;
    const [low, high] = this.groupKey;
    let { row } = left;
    const { first, second } = this.pairs;
    let count = 0;
    for (; row < leftBatch.rows && count < pairsMax; row++) {
      if (keys[2 * row] !== low || keys[2 * row + 1] !== high) {
        this.phase = 'match';
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
    const given = this.give(leftBatch, group, count);
    left.moveTo(row);
    return given;
  }

  private give(leftBatch: QueryBatch, rightBatch: QueryBatch, count: number): Step {
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
    this.group.release();
    this.output.release();
    super.close();
  }
}
