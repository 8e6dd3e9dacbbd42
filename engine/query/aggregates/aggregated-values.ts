/**
 * What an aggregate reads of a batch: the value of its expression in each row as an id, and, for
 * DISTINCT, only the rows that bring a value (as a term) which their group has not had.
 * An error is an unbound value, once per group under DISTINCT.
 */

import { BATCH_ROWS, type IdColumn } from '../../storage/scan.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import { compileEvaluator, type Evaluator } from '../expressions/evaluator.js';
import type { Operand } from '../expressions/operand.js';
import { newColumn, type QueryBatch } from '../operators/batch.js';
import type { MemoryAccount } from '../operators/memory.js';
import { PENDING, type Step } from '../operators/operator.js';
import { DistinctRows } from '../operators/spill/distinct-rows.js';

export class AggregatedValues {
  /** The values; of COUNT(*) there are none. */
  readonly ids: IdColumn;
  /** The rows that count, the first `count` entries. */
  readonly rows = new Uint32Array(BATCH_ROWS);
  count = 0;
  private readonly evaluate: Evaluator | null;
  private readonly distinct: DistinctValues | null;
  private numbers: Int32Array | null = null;
  private resolved = false;
  private batchRows = 0;

  constructor(
    { expression, distinct }: Aggregate,
    private readonly context: BatchContext,
    budget: MemoryAccount,
  ) {
    this.evaluate = expression === null ? null : compileEvaluator(expression, context);
    this.ids = newColumn(expression === null ? 0 : BATCH_ROWS);
    this.distinct = distinct ? new DistinctValues(expression === null ? solutionColumns(context) : null, budget) : null;
    if (!distinct) for (let row = 0; row < BATCH_ROWS; row++) this.rows[row] = row;
  }

  read(batch: QueryBatch, groups: IdColumn): void {
    this.evaluate?.(this.ids, batch.rows);
    this.batchRows = batch.rows;
    this.resolved = false;
    this.count = this.distinct === null ? batch.rows : this.distinct.select(batch, groups, this.ids, this.rows);
  }

  /**
   * After the last batch: `add` is called when there are more values, new ones that could not be told at
   * once, in the sequence of rows. True at the end.
   */
  takeIn(add: (groups: IdColumn) => void): boolean {
    const step = this.distinct?.drain() ?? null;
    if (step === null) return true;
    if (step !== PENDING) add(this.readDrained(step));
    return false;
  }

  private readDrained(step: QueryBatch): IdColumn {
    const [groups, values] = step.columns as [IdColumn, IdColumn | undefined];
    this.context.begin(step);
    if (this.ids.length > 0 && values !== undefined) this.ids.set(values.subarray(0, 2 * step.rows));
    for (let row = 0; row < step.rows; row++) this.rows[row] = row;
    this.count = step.rows;
    this.batchRows = step.rows;
    this.resolved = false;
    return groups;
  }

  /** The value of a row as a term; null for an error. Decodes the whole batch when first asked. */
  operandAt(row: number): Operand | null {
    this.numbers ??= new Int32Array(BATCH_ROWS);
    if (!this.resolved) this.context.cache.resolve(this.ids, this.batchRows, this.numbers);
    this.resolved = true;
    const number = this.numbers[row] as number;
    return number < 0 ? null : (this.context.cache.operands[number] as Operand);
  }

  release(): void {
    this.distinct?.release();
  }
}

/** COUNT(DISTINCT *) tells whole solutions apart, without the blank nodes of the text. */
function solutionColumns(context: BatchContext): number[] {
  return context.variables.flatMap((name, column) => (name.startsWith('_:') ? [] : [column]));
}

/** The set of (group, value) pairs, or of (group, solution). */
class DistinctValues {
  private readonly pairs: DistinctRows;

  constructor(
    private readonly solution: readonly number[] | null,
    account: MemoryAccount,
  ) {
    this.pairs = new DistinctRows(1 + (solution === null ? 1 : solution.length), account);
  }

  /** Lists the rows that are surely new; gives their number. */
  select(batch: QueryBatch, groups: IdColumn, ids: IdColumn, into: Uint32Array): number {
    const values = this.solution === null ? [ids] : this.solution.map((column) => batch.columns[column] as IdColumn);
    this.pairs.beginBatch([groups, ...values], batch.rows);
    let count = 0;
    for (let row = 0; row < batch.rows; row++) if (this.pairs.offer(row)) into[count++] = row;
    return count;
  }

  /** Pairs that could not be told at once and are new. */
  drain(): Step {
    return this.pairs.drain();
  }

  release(): void {
    this.pairs.close();
  }
}
