/**
 * The rows of one side that have, or have not, a partner on the other: EXISTS, NOT EXISTS and MINUS by
 * a hash table. MINUS takes a row away when a partner agrees with it and binds one of its variables too
 * (SPARQL 1.1, 18.5, Minus); keys that both sides always bind see to that by themselves. Under a condition on both
 * rows the partners of a row are tried until one meets it: all that share its keys, or, where the condition compares a
 * value of the partner with what the row has, those that the comparison leaves (`range-index.ts`).
 */

import type { Expression } from '../../algebra/expression.js';
import { batchRowsFor, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { type Operator, PENDING, type Work } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';
import { CandidatePairs } from '../range-join/candidate-pairs.js';
import { sortedPartners } from '../range-join/compared-pairs.js';
import type { RangeIndex, RangePredicates } from '../range-join/range-index.js';
import type { HashJoinKeys } from '../tables/build-table.js';
import { type JoinRun, WHOLE_JOIN } from '../tables/join-run.js';
import { NullablePairs, WHOLE } from '../tables/nullable-pairs.js';
import { PairCursor } from '../tables/pair-cursor.js';
import { rowPairs } from '../tables/row-pairs.js';
import { joinedVariables, TableJoinOperator } from '../tables/table-join.js';
import { JoinOutput } from './join-output.js';
import { PairCondition } from './pair-condition.js';

/** What partners have to meet besides the keys. */
export interface PartnerCondition {
  readonly expression: Expression;
  readonly terms: QueryTerms;
  /** Comparisons that are parts of the condition; null = none by which partners are found. */
  readonly range: RangePredicates | null;
}

export class HashSemiJoinOperator extends TableJoinOperator {
  protected readonly dropsLonely: boolean;
  private readonly cursor: PairCursor;
  private readonly nullable: NullablePairs | null;
  private readonly output: JoinOutput;
  /** A partner has to bind one of the loose keys, too. */
  private readonly sharing: boolean;
  /** By row of the batch: 1 = it has a partner. */
  private matched = new Uint8Array(0);
  private readonly test: PairCondition | null;
  private readonly pairsMax: number;
  private index: RangeIndex | null = null;
  /** Null until the partners are sorted, or need not be. */
  private candidates: CandidatePairs | null = null;

  constructor(
    input: Operator,
    partners: Operator,
    keys: HashJoinKeys,
    private readonly anti: boolean,
    budget: MemoryBudget,
    run: JoinRun = WHOLE_JOIN,
    shown: readonly string[] = input.variables,
    private readonly condition: PartnerCondition | null = null,
  ) {
    super(input, partners, keys, budget, shown, run);
    this.dropsLonely = !anti;
    this.sharing = keys.certain.length === 0;
    this.cursor = new PairCursor(this.table.groups, this.table.probeKeys);
    this.nullable = keys.loose.length === 0 ? null : new NullablePairs(this.table);
    this.output = new JoinOutput(shown, input.variables, []);
    this.pairsMax = batchRowsFor(joinedVariables(input.variables, partners.variables).length);
    this.test =
      condition === null
        ? null
        : new PairCondition(condition.expression, input.variables, partners.variables, keys.loose, condition.terms);
  }

  protected again(input: Operator, partners: Operator, shown: readonly string[], run: JoinRun): Operator {
    const { keys, anti, budget, condition } = this;
    return new HashSemiJoinOperator(input, partners, keys, anti, budget, run, shown, condition);
  }

  /** Pairs that were tried. */
  get pairsTested(): number {
    return this.candidates?.pairs ?? 0;
  }

  protected *join(batch: QueryBatch): Work<void, QueryBatch> {
    const { cursor, output, table, anti } = this;
    const { piece } = this.run;
    cursor.begin(batch);
    const keysTell = this.test === null && this.nullable === null && !this.sharing;
    if (keysTell && piece === null) {
      const count = cursor.listMatched(!anti);
      if (count > 0) yield output.gather(batch, table.store, count);
      return;
    }
    if (this.matched.length < batch.rows) this.matched = new Uint8Array(batch.rows);
    if (keysTell) cursor.markMatched(this.matched);
    else yield* this.findPartners(batch);
    if (piece !== null) this.carryMatches(piece, this.matched, batch.rows);
    // Only the last piece of the partners tells.
    if (piece?.last === false) return;
    const count = listRows(this.matched, anti ? 0 : 1, batch.rows);
    if (count > 0) yield output.gather(batch, table.store, count);
  }

  /** Tries candidates of the rows until one is a partner. */
  private *findPartners(batch: QueryBatch): Work {
    const { cursor, table, matched, sharing, test, nullable } = this;
    matched.fill(0, 0, batch.rows);
    if (test === null && nullable !== null) cursor.leaveOut(nullable.markMatched(batch, matched, sharing), WHOLE);
    this.candidates ??= yield* this.sortPartners();
    this.index?.begin(batch);
    const { first } = rowPairs();
    this.candidates.begin(cursor, batch.rows, matched);
    for (;;) {
      const listed = this.candidates.fill(cursor, this.pairsMax, matched);
      if (listed === 0) return;
      let kept = table.keepCompatible(batch, listed);
      if (test !== null) kept = test.keep(batch, table.store, kept);
      else if (sharing) kept = table.keepSharing(batch, kept);
      for (let pair = 0; pair < kept; pair++) matched[first[pair] as number] = 1;
      yield PENDING;
    }
  }

  /** Sorts the partners by what they are compared by, where memory has room for that. */
  private *sortPartners(): Work<CandidatePairs> {
    const { table, condition, probe, inputs } = this;
    if (condition !== null && condition.range !== null) {
      const partners = (inputs[1] as Operator).variables;
      this.index = yield* sortedPartners(table, condition.range, probe.variables, partners, condition.terms);
    }
    return new CandidatePairs(table.groups, this.index);
  }

  protected release(): void {
    this.cursor.release();
    this.nullable?.release();
    this.output.release();
    this.test?.release();
  }
}

/** Puts the rows with the wanted mark into the pairs. */
function listRows(marks: Uint8Array, wanted: number, rows: number): number {
  const { first } = rowPairs();
  let count = 0;
  for (let row = 0; row < rows; row++) {
    first[count] = row;
    if (marks[row] === wanted) count++;
  }
  return count;
}
