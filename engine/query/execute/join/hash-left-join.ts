/**
 * OPTIONAL by a hash table over the optional side (SPARQL 1.1, 18.5, LeftJoin): pairs that agree and
 * meet the condition, and the rows of the left side that have none of those. Where nothing but the keys
 * decides, both come in the order of the left side; otherwise the rows without partners follow the
 * pairs of their batch.
 */

import type { Expression } from '../../algebra/expression.js';
import { batchRowsFor, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import type { Operator } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';
import type { HashJoinKeys } from '../tables/build-table.js';
import { type JoinPiece, type JoinRun, UNORDERED_JOIN } from '../tables/join-run.js';
import { LoosePairs } from '../tables/nullable-pairs.js';
import { PairCursor } from '../tables/pair-cursor.js';
import { NO_ROW, rowPairs } from '../tables/row-pairs.js';
import { joinedVariables, TableJoinOperator } from '../tables/table-join.js';
import { JoinOutput } from './join-output.js';
import { PairCondition } from './pair-condition.js';

export class HashLeftJoinOperator extends TableJoinOperator {
  protected readonly dropsLonely = false;
  private readonly cursor: PairCursor;
  /** In place of the cursor, where keys may be unbound. */
  private readonly loose: LoosePairs | null;
  private readonly output: JoinOutput;
  private readonly pairsMax: number;
  private readonly test: PairCondition | null;
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
    this.test =
      expression === null ? null : new PairCondition(expression, left.variables, right.variables, keys.loose, terms);
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
    const kept = this.test === null ? count : this.test.keep(batch, this.table.store, count);
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
    this.test?.release();
  }
}
