/**
 * OPTIONAL by a hash table over the optional side (SPARQL 1.1, 18.5, LeftJoin): pairs that agree and
 * meet the condition, and the rows of the left side that have none of those.
 */

import { BATCH_ROWS } from '../../storage/scan.js';
import type { Expression } from '../algebra/expression.js';
import { BatchContext } from '../expressions/batch-context.js';
import { type Condition, compileCondition, TRUE } from '../expressions/condition.js';
import type { QueryTerms } from '../terms.js';
import { gather, type QueryBatch } from './batch.js';
import { BuildTable, type HashJoinKeys } from './build-table.js';
import type { MemoryBudget } from './memory.js';
import { Operator, PENDING, type Step } from './operator.js';
import { PairBuffer } from './pair-rows.js';
import { type JoinPiece, UNORDERED_JOIN } from './spill/join-run.js';
import type { PartitionedJoin } from './spill/partitioned-join.js';

/** Pairs that one call looks at, matching or not. */
const PAIRS_PER_CALL = 65_536;

export class HashLeftJoinOperator extends Operator {
  private readonly table: BuildTable;
  private readonly pairs: PairBuffer;
  private readonly context: BatchContext;
  private readonly condition: Condition | null;
  private readonly answers = new Uint8Array(BATCH_ROWS);
  private readonly kept = new Uint32Array(BATCH_ROWS);
  /** The row of the left batch that each pair in the buffer comes from. */
  private readonly pairRow = new Uint32Array(BATCH_ROWS);
  private readonly matched = new Uint8Array(BATCH_ROWS);
  private readonly piece: JoinPiece | null;
  /** Rows of the left side in the batches before. */
  private rowsBefore = 0;
  private built = false;
  private spilled: PartitionedJoin | null = null;
  private batch: QueryBatch | null = null;
  private row = 0;
  private candidate = -1;

  constructor(
    private readonly left: Operator,
    right: Operator,
    private readonly keys: HashJoinKeys,
    private readonly expression: Expression | null,
    private readonly terms: QueryTerms,
    private readonly budget: MemoryBudget,
    run = UNORDERED_JOIN,
  ) {
    const table = new BuildTable(right, left.variables, keys, run, budget);
    const pairs = new PairBuffer(left.variables, right.variables, table);
    super(pairs.variables, [left, right]);
    this.table = table;
    this.pairs = pairs;
    this.context = new BatchContext(pairs.variables, terms);
    this.condition = expression === null ? null : compileCondition(expression, this.context);
    this.piece = run.piece;
  }

  protected step(): Step {
    if (!this.built) {
      if (!this.table.work()) return PENDING;
      this.built = true;
      this.spilled = this.table.spilled(
        this.left,
        (left, right, run) =>
          new HashLeftJoinOperator(left, right, this.keys, this.expression, this.terms, this.budget, run),
      );
    }
    if (this.spilled !== null) return this.spilled.next();
    const { buffer } = this.pairs;
    buffer.clear();
    if (this.batch === null) {
      const step = this.left.next();
      if (step === null || step === PENDING) return step;
      this.batch = step;
      this.row = 0;
      this.candidate = -1;
      this.matched.fill(0, 0, step.rows);
    }
    if (this.row < this.batch.rows) {
      this.pairRows(this.batch);
      this.keepMatches();
    } else {
      if (this.piece !== null) this.carryMatches(this.piece, this.batch.rows);
      if (this.piece?.last !== false) this.pushUnmatched(this.batch);
      this.rowsBefore += this.batch.rows;
      this.batch = null;
    }
    return buffer.rows > 0 ? buffer : PENDING;
  }

  private pairRows(batch: QueryBatch): void {
    const { table, pairs } = this;
    let budget = PAIRS_PER_CALL;
    for (; this.row < batch.rows; this.row++) {
      if (this.candidate < 0) this.candidate = table.first(batch, this.row);
      while (this.candidate >= 0) {
        if (pairs.buffer.full || budget-- === 0) return;
        if (table.compatible(batch, this.row, this.candidate)) {
          this.pairRow[pairs.buffer.rows] = this.row;
          pairs.push(batch, this.row, this.candidate);
        }
        this.candidate = table.after(this.candidate);
      }
    }
  }

  /** Drops the pairs that miss the condition, in place. */
  private keepMatches(): void {
    const { buffer } = this.pairs;
    const rows = buffer.rows;
    if (rows === 0) return;
    if (this.condition === null) {
      for (let pair = 0; pair < rows; pair++) this.matched[this.pairRow[pair] as number] = 1;
      return;
    }
    this.context.begin(buffer);
    this.condition(this.answers, rows);
    let count = 0;
    for (let pair = 0; pair < rows; pair++) {
      if (this.answers[pair] !== TRUE) continue;
      this.matched[this.pairRow[pair] as number] = 1;
      this.kept[count++] = pair;
    }
    if (count < rows) for (const column of buffer.columns) gather(column, this.kept, count, column);
    buffer.rows = count;
  }

  /** A row has no partner only if no piece of the right side has one. */
  private carryMatches(piece: JoinPiece, rows: number): void {
    for (let row = 0; row < rows; row++) {
      if (this.matched[row] === 1) piece.matched.add(this.rowsBefore + row);
      else if (piece.matched.has(this.rowsBefore + row)) this.matched[row] = 1;
    }
  }

  private pushUnmatched(batch: QueryBatch): void {
    this.pairs.buffer.reserve(batch.rows);
    for (let row = 0; row < batch.rows; row++) {
      if (this.matched[row] === 0) this.pairs.pushUnmatched(batch, row);
    }
  }

  override close(): void {
    this.spilled?.close();
    this.table.release();
    super.close();
  }
}
