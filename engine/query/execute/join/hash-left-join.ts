/**
 * OPTIONAL by a hash table over the optional side (SPARQL 1.1, 18.5, LeftJoin): pairs that agree and
 * meet the condition, and the rows of the left side that have none of those. Where nothing but the keys
 * decides, both come in the order of the left side; otherwise the rows without partners follow the
 * pairs of their batch. Where the condition compares a value of the optional side with what the row has, only pairs that the
 * comparison leaves are tested (`range-join/compared-pairs.ts`).
 */

import type { Expression } from '../../algebra/expression.js';
import { batchRowsFor, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { type Operator, PENDING, type Work } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';
import { ComparedPairs } from '../range-join/compared-pairs.js';
import type { RangePredicates } from '../range-join/range-index.js';
import type { HashJoinKeys } from '../tables/build-table.js';
import { type JoinRun, UNORDERED_JOIN } from '../tables/join-run.js';
import { pairSourceOf } from '../tables/nullable-pairs.js';
import type { PairSource } from '../tables/pair-cursor.js';
import { NO_ROW, rowPairs } from '../tables/row-pairs.js';
import { joinedVariables, TableJoinOperator } from '../tables/table-join.js';
import { JoinOutput } from './join-output.js';
import { PairCondition } from './pair-condition.js';

export class HashLeftJoinOperator extends TableJoinOperator {
  protected readonly dropsLonely = false;
  private readonly pairs: PairSource;
  /** The pairs, where comparisons tell them. */
  private readonly compared: ComparedPairs | null;
  private readonly output: JoinOutput;
  private readonly pairsMax: number;
  private readonly test: PairCondition | null;
  /** The keys alone tell which rows have partners. */
  private readonly plain: boolean;
  /** By row of the batch: it has a partner. */
  private matched = new Uint8Array(0);

  constructor(
    left: Operator,
    right: Operator,
    keys: HashJoinKeys,
    private readonly expression: Expression | null,
    private readonly terms: QueryTerms,
    budget: MemoryBudget,
    run: JoinRun = UNORDERED_JOIN,
    shown: readonly string[] = joinedVariables(left.variables, right.variables),
    private readonly range: RangePredicates | null = null,
  ) {
    super(left, right, keys, budget, shown, run);
    this.plain = expression === null && keys.loose.length === 0 && run.piece === null;
    this.compared =
      range === null ? null : new ComparedPairs(this.table, range, left.variables, right.variables, terms);
    this.pairs = this.compared ?? pairSourceOf(this.table, this.plain);
    this.output = new JoinOutput(shown, left.variables, right.variables, keys.loose);
    this.pairsMax = batchRowsFor(joinedVariables(left.variables, right.variables).length);
    this.test =
      expression === null ? null : new PairCondition(expression, left.variables, right.variables, keys.loose, terms);
  }

  protected again(left: Operator, right: Operator, shown: readonly string[], run: JoinRun): Operator {
    const { keys, expression, terms, budget, range } = this;
    return new HashLeftJoinOperator(left, right, keys, expression, terms, budget, run, shown, range);
  }

  protected *join(batch: QueryBatch): Work<void, QueryBatch> {
    const { output, table, plain, test, compared } = this;
    if (compared !== null) yield* compared.prepare();
    if (!plain) {
      if (this.matched.length < batch.rows) this.matched = new Uint8Array(batch.rows);
      else this.matched.fill(0, 0, batch.rows);
    }
    const { first } = rowPairs();
    for (const filled of this.pairs.pairsOf(batch, this.pairsMax)) {
      if (plain) {
        yield output.gather(batch, table.store, filled, true);
        continue;
      }
      const kept = test === null || compared?.sure === true ? filled : test.keep(batch, table.store, filled);
      for (let pair = 0; pair < kept; pair++) this.matched[first[pair] as number] = 1;
      yield kept === 0 ? PENDING : output.gather(batch, table.store, kept);
    }
    if (!plain) yield* this.giveUnmatched(batch);
  }

  private *giveUnmatched(batch: QueryBatch): Work<void, QueryBatch> {
    const { piece } = this.run;
    // A row has no partner only if no piece of the right side has one.
    if (piece !== null) this.carryMatches(piece, this.matched, batch.rows);
    if (piece?.last === false) return;
    const { first, second } = rowPairs();
    let count = 0;
    for (let row = 0; row < batch.rows; row++) {
      if (this.matched[row] === 1) continue;
      first[count] = row;
      second[count++] = NO_ROW;
      if (count < this.pairsMax) continue;
      yield this.output.gather(batch, this.table.store, count, true);
      count = 0;
    }
    if (count > 0) yield this.output.gather(batch, this.table.store, count, true);
  }

  protected release(): void {
    this.pairs.release();
    this.output.release();
    this.test?.release();
  }
}
