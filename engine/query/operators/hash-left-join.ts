/**
 * OPTIONAL by a hash table over the optional side (SPARQL 1.1, 18.5, LeftJoin): pairs that agree and
 * meet the condition, and the rows of the left side that have none of those. Where nothing but the keys
 * decides, both come in the order of the left side; otherwise the rows without partners follow the
 * pairs of their batch.
 */

import type { Expression } from '../algebra/expression.js';
import { BatchContext } from '../expressions/batch-context.js';
import { type Condition, compileCondition, TRUE } from '../expressions/condition.js';
import type { QueryTerms } from '../terms.js';
import { batchRowsFor, type QueryBatch } from './batch.js';
import type { HashJoinKeys } from './build-table.js';
import { JoinOutput } from './join-output.js';
import { LoosePairs } from './loose-pairs.js';
import type { MemoryBudget } from './memory.js';
import type { Operator } from './operator.js';
import { PairCursor } from './pair-cursor.js';
import { NO_ROW, type RowPairs, rowPairs } from './row-pairs.js';
import { type JoinPiece, type JoinRun, UNORDERED_JOIN } from './spill/join-run.js';
import { joinedVariables, TableJoinOperator } from './table-join.js';

/** What a condition is tested on. */
interface Test {
  readonly context: BatchContext;
  readonly condition: Condition;
  readonly input: JoinOutput;
  answers: Uint8Array;
}

export class HashLeftJoinOperator extends TableJoinOperator {
  protected readonly dropsLonely = false;
  private readonly cursor: PairCursor;
  /** In place of the cursor, where keys may be unbound. */
  private readonly loose: LoosePairs | null;
  private readonly output: JoinOutput;
  private readonly pairsMax: number;
  private readonly test: Test | null;
  /** The keys alone tell which rows have partners. */
  private readonly plain: boolean;
  /** By row of the batch: it has a partner. */
  private matched = new Uint8Array(0);
  /** Rows of the batch whose lack of a partner has been looked at. */
  private unmatchedRow = 0;
  private done = false;
  private readonly pairs = rowPairs();

  constructor(
    left: Operator,
    right: Operator,
    keys: HashJoinKeys,
    private readonly expression: Expression | null,
    private readonly terms: QueryTerms,
    budget: MemoryBudget,
    run: JoinRun = UNORDERED_JOIN,
    shown: readonly string[] = joinedVariables(left.variables, right.variables),
  ) {
    super(left, right, keys, budget, shown, run);
    this.plain = expression === null && keys.loose.length === 0 && run.piece === null;
    this.cursor = new PairCursor(this.table.groups, this.plain);
    this.loose = keys.loose.length === 0 ? null : new LoosePairs(this.table);
    this.output = new JoinOutput(shown, left.variables, right.variables, keys.loose);
    this.pairsMax = batchRowsFor(joinedVariables(left.variables, right.variables).length);
    this.test = expression === null ? null : this.openTest(expression, left, right);
  }

  private openTest(expression: Expression, left: Operator, right: Operator): Test {
    const variables = joinedVariables(left.variables, right.variables);
    const context = new BatchContext(variables, this.terms);
    return {
      context,
      condition: compileCondition(expression, context),
      input: new JoinOutput(variables, left.variables, right.variables, this.keys.loose),
      answers: new Uint8Array(0),
    };
  }

  protected again(left: Operator, right: Operator, shown: readonly string[], run: JoinRun): Operator {
    return new HashLeftJoinOperator(left, right, this.keys, this.expression, this.terms, this.budget, run, shown);
  }

  protected begin(batch: QueryBatch): void {
    if (this.loose === null) this.cursor.begin(batch, this.table.probeKeys);
    else this.loose.begin(batch);
    this.done = false;
    if (this.plain) return;
    this.unmatchedRow = 0;
    if (this.matched.length < batch.rows) this.matched = new Uint8Array(batch.rows);
    else this.matched.fill(0, 0, batch.rows);
  }

  protected joinSome(batch: QueryBatch): QueryBatch | null {
    const { output, table } = this;
    const pairs = this.loose ?? this.cursor;
    if (pairs.atEnd) return this.giveUnmatched(batch);
    const filled = pairs.fill(this.pairsMax);
    if (this.plain) {
      this.done = pairs.atEnd;
      return output.gather(batch, table.store, filled, true);
    }
    const count = this.keepMatches(batch, filled);
    return count === 0 ? null : output.gather(batch, table.store, count);
  }

  protected isDone(): boolean {
    return this.done;
  }

  /** Drops the pairs that miss the condition, and notes the rows of the others. */
  private keepMatches(batch: QueryBatch, count: number): number {
    let kept = count;
    if (this.test !== null && count > 0) {
      const { context, condition, input } = this.test;
      if (this.test.answers.length < count) this.test.answers = new Uint8Array(2 * count);
      context.begin(input.gather(batch, this.table.store, count));
      condition(this.test.answers, count);
      kept = keepTrue(this.test.answers, count, this.pairs);
    }
    const { first } = this.pairs;
    for (let pair = 0; pair < kept; pair++) this.matched[first[pair] as number] = 1;
    return kept;
  }

  private giveUnmatched(batch: QueryBatch): QueryBatch | null {
    const { piece } = this.run;
    if (piece !== null && this.unmatchedRow === 0) this.carryMatches(piece, batch.rows);
    const { first, second } = this.pairs;
    let count = 0;
    if (piece?.last !== false) {
      for (; this.unmatchedRow < batch.rows && count < this.pairsMax; this.unmatchedRow++) {
        if (this.matched[this.unmatchedRow] === 1) continue;
        first[count] = this.unmatchedRow;
        second[count++] = NO_ROW;
      }
    }
    this.done = piece?.last === false || this.unmatchedRow === batch.rows;
    return count === 0 ? null : this.output.gather(batch, this.table.store, count, true);
  }

  /** A row has no partner only if no piece of the right side has one. */
  private carryMatches(piece: JoinPiece, rows: number): void {
    for (let row = 0; row < rows; row++) {
      if (this.matched[row] === 1) piece.matched.add(this.rowsBefore + row);
      else if (piece.matched.has(this.rowsBefore + row)) this.matched[row] = 1;
    }
  }

  protected release(): void {
    this.cursor.release();
    this.loose?.release();
    this.output.release();
    this.test?.input.release();
  }
}

function keepTrue(answers: Uint8Array, count: number, { first, second }: RowPairs): number {
  let kept = 0;
  for (let pair = 0; pair < count; pair++) {
    if (answers[pair] !== TRUE) continue;
    first[kept] = first[pair] as number;
    second[kept++] = second[pair] as number;
  }
  return kept;
}
