/**
 * Joins by comparisons, `?x = ?y + 1` or `?t > ?from && ?t < ?until`, with shared variables or without: of the rows of a table
 * those that the comparisons leave are partners of a probe row (`range-join/compared-pairs.ts`) when they meet the condition.
 * The output comes in the order of the probe input.
 */

import type { Expression } from '../../algebra/expression.js';
import { batchRowsFor, type QueryBatch } from '../../runtime/batch.js';
import type { MemoryBudget } from '../../runtime/memory.js';
import { type Operator, PENDING, type Work } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';
import { ComparedPairs } from '../range-join/compared-pairs.js';
import type { RangePredicates } from '../range-join/range-index.js';
import type { HashJoinKeys } from '../tables/build-table.js';
import { type JoinRun, WHOLE_JOIN } from '../tables/join-run.js';
import { joinedVariables, TableJoinOperator } from '../tables/table-join.js';
import { JoinOutput } from './join-output.js';
import { PairCondition } from './pair-condition.js';

/** What partners have to meet besides the keys. */
export interface ComparedCondition {
  readonly expression: Expression;
  readonly terms: QueryTerms;
  /** Comparisons that are parts of the condition. */
  readonly range: RangePredicates;
}

export class RangeJoinOperator extends TableJoinOperator {
  protected readonly dropsLonely = true;
  private readonly pairs: ComparedPairs;
  private readonly test: PairCondition;
  private readonly output: JoinOutput;
  private readonly pairsMax: number;

  /** `keys`: all of them bound on both sides. */
  constructor(
    probe: Operator,
    build: Operator,
    keys: HashJoinKeys,
    private readonly condition: ComparedCondition,
    budget: MemoryBudget,
    run: JoinRun = WHOLE_JOIN,
    shown: readonly string[] = joinedVariables(probe.variables, build.variables),
  ) {
    super(probe, build, keys, budget, shown, run);
    const { expression, range, terms } = condition;
    this.pairs = new ComparedPairs(this.table, range, probe.variables, build.variables, terms);
    this.test = new PairCondition(expression, probe.variables, build.variables, [], terms);
    this.output = new JoinOutput(shown, probe.variables, build.variables);
    this.pairsMax = batchRowsFor(joinedVariables(probe.variables, build.variables).length);
  }

  protected again(probe: Operator, build: Operator, shown: readonly string[], run: JoinRun): Operator {
    return new RangeJoinOperator(probe, build, this.keys, this.condition, this.budget, run, shown);
  }

  protected override endsEarly(): boolean {
    return this.table.store.rows === 0;
  }

  protected *join(batch: QueryBatch): Work<void, QueryBatch> {
    const { table, pairs, test, output } = this;
    yield* pairs.prepare();
    for (const listed of pairs.pairsOf(batch, this.pairsMax)) {
      const kept = pairs.sure ? listed : test.keep(batch, table.store, listed);
      yield kept === 0 ? PENDING : output.gather(batch, table.store, kept);
    }
  }

  protected release(): void {
    this.pairs.release();
    this.test.release();
    this.output.release();
  }
}
