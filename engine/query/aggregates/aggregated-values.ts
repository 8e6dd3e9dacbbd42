/**
 * What an aggregate reads of a batch: the value of its expression in each row as an id, and the group of
 * each; for DISTINCT, only the rows that bring a value (as a term) which their group has not had.
 * An error is an unbound value, once per group under DISTINCT.
 */

import { KernelInput } from '../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { Expression } from '../algebra/expression.js';
import type { BatchContext } from '../expressions/batch-context.js';
import { compileOwnValues, type Evaluator } from '../expressions/evaluator.js';
import { AdjacentRows } from '../runtime/adjacent-rows.js';
import { gather, type QueryBatch } from '../runtime/batch.js';
import type { MemoryAccount } from '../runtime/memory.js';
import { PENDING, type Work } from '../runtime/operator.js';
import { DistinctRows } from '../runtime/spill/distinct-rows.js';
import type { Operand } from '../terms/operand.js';

/** Of DISTINCT: the rows that are new, while they are brought together. */
const newRows = new Uint32Array(BATCH_ROWS);
/** Group numbers as a column of ids. */
const groupIds: IdColumn = new Uint32Array(2 * BATCH_ROWS);
const NONE: IdColumn = new Uint32Array(0);
const idInput = new KernelInput(2 * BATCH_ROWS);
const groupInput = new KernelInput(BATCH_ROWS);

export class AggregatedValues {
  /** The values that count, and their groups: the first `count` entries of each. Of COUNT(*) there are no ids. */
  ids: IdColumn = NONE;
  groups: Int32Array = new Int32Array(0);
  count = 0;
  private readonly column: number;
  private readonly evaluate: Evaluator | null;
  private readonly distinct: DistinctValues | null;
  /** What is not a column of the batch itself. */
  private ownIds: IdColumn = NONE;
  private ownGroups = new Int32Array(0);
  private numbers = new Int32Array(0);
  private resolved = false;

  constructor(
    { expression, distinct, adjacent }: Aggregate,
    private readonly context: BatchContext,
    budget: MemoryAccount,
    grouped: boolean,
  ) {
    this.column = context.variableColumn(expression ?? undefined);
    this.evaluate = expression === null || this.column >= 0 ? null : compileOwnValues(expression, context);
    this.distinct = distinct
      ? new DistinctValues(keysOf(expression, context), budget, grouped, adjacent === true)
      : null;
  }

  read(batch: QueryBatch, groups: Int32Array): void {
    this.resolved = false;
    this.count = batch.rows;
    this.groups = groups;
    this.ids = this.idsOf(batch);
    if (this.distinct === null) return;
    const count = this.distinct.select(batch, groups, this.ids);
    if (count < batch.rows) this.keepNew(count);
  }

  /** Values from elsewhere in place of those of a batch; there is no DISTINCT. */
  readIds(ids: IdColumn, count: number, groups: Int32Array): void {
    this.resolved = false;
    this.ids = ids;
    this.count = count;
    this.groups = groups;
  }

  /** Where the next call of a kernel finds the values. */
  idsAt(): number {
    return idInput.addressOf(this.ids, 2 * this.count);
  }

  /** The same of their groups. */
  groupsAt(): number {
    return groupInput.addressOf(this.groups, this.count);
  }

  private idsOf(batch: QueryBatch): IdColumn {
    if (this.column >= 0) return batch.columns[this.column] as IdColumn;
    if (this.evaluate === null) return NONE;
    this.reserve(batch.rows);
    this.evaluate(this.ownIds, batch.rows);
    return this.ownIds;
  }

  /** Brings the values of the first `count` of `newRows` together. */
  private keepNew(count: number): void {
    const { ids, groups } = this;
    this.reserve(count);
    // Gathering goes forward only, so that values of our own may be brought together in place.
    if (ids.length > 0) {
      gather(ids, newRows, count, this.ownIds);
      this.ids = this.ownIds;
    }
    for (let at = 0; at < count; at++) this.ownGroups[at] = groups[newRows[at] as number] as number;
    this.groups = this.ownGroups;
    this.count = count;
  }

  private reserve(rows: number): void {
    if (this.ownGroups.length >= rows) return;
    const capacity = Math.max(rows, Math.min(BATCH_ROWS, 2 * this.ownGroups.length));
    const { ownIds } = this;
    this.ownIds = new Uint32Array(2 * capacity);
    this.ownIds.set(ownIds);
    this.ownGroups = new Int32Array(capacity);
  }

  /** After the last batch: `add` is called when there are more values, which could not be told at once to be new. */
  *takeIn(add: () => void): Work {
    for (const step of this.distinct?.pairs.drain() ?? []) {
      if (step !== PENDING) {
        this.readDrained(step);
        add();
      }
      yield PENDING;
    }
  }

  private readDrained(step: QueryBatch): void {
    const { columns, rows } = step;
    this.context.begin(step);
    this.resolved = false;
    this.count = rows;
    this.reserve(rows);
    const values = (this.distinct as DistinctValues).grouped ? 1 : 0;
    if (values === 0) this.ownGroups.fill(0, 0, rows);
    else for (let row = 0; row < rows; row++) this.ownGroups[row] = (columns[0] as IdColumn)[2 * row] as number;
    this.groups = this.ownGroups;
    this.ids = columns[values] ?? NONE;
  }

  /** The value of a row as a term; null for an error. Decodes all that count when first asked. */
  operandAt(row: number): Operand | null {
    const { cache } = this.context;
    if (!this.resolved) {
      if (this.numbers.length < this.count) this.numbers = new Int32Array(this.count);
      cache.resolve(this.ids, this.count, this.numbers);
    }
    this.resolved = true;
    const number = this.numbers[row] as number;
    return number < 0 ? null : (cache.operands[number] as Operand);
  }

  release(): void {
    this.distinct?.release();
  }
}

/**
 * The columns that tell solutions apart for COUNT(DISTINCT *), which are all but the blank nodes of the
 * text; null for the value of an expression.
 */
function keysOf(expression: Expression | null, context: BatchContext): readonly number[] | null {
  if (expression !== null) return null;
  return context.variables.flatMap((name, column) => (name.startsWith('_:') ? [] : [column]));
}

/** The set of (group, value) pairs, or of (group, solution); of values alone where there is one group. */
class DistinctValues {
  /** It tells in the end of those that could not be told at once. */
  readonly pairs: DistinctRows | AdjacentRows;

  constructor(
    private readonly solution: readonly number[] | null,
    account: MemoryAccount,
    readonly grouped: boolean,
    adjacent: boolean,
  ) {
    const width = (grouped ? 1 : 0) + (solution === null ? 1 : solution.length);
    this.pairs = adjacent ? new AdjacentRows(width) : new DistinctRows(width, account);
  }

  /** Lists the rows that are surely new in `newRows`; gives their number. */
  select(batch: QueryBatch, groups: Int32Array, ids: IdColumn): number {
    const values = this.solution === null ? [ids] : this.solution.map((column) => batch.columns[column] as IdColumn);
    if (!this.grouped) return this.pairs.select(values, batch.rows, newRows);
    for (let row = 0; row < batch.rows; row++) groupIds[2 * row] = groups[row] as number;
    return this.pairs.select([groupIds, ...values], batch.rows, newRows);
  }

  release(): void {
    this.pairs.close();
  }
}
