/** A condition on the pairs of rows of a join: those that do not meet it are dropped. */

import type { Expression } from '../../algebra/expression.js';
import { BatchContext } from '../../expressions/batch-context.js';
import { type Condition, compileCondition, TRUE } from '../../expressions/condition.js';
import type { QueryBatch } from '../../runtime/batch.js';
import type { QueryTerms } from '../../terms/terms.js';
import { rowPairs } from '../tables/row-pairs.js';
import { joinedVariables } from '../tables/table-join.js';
import { JoinOutput } from './join-output.js';

export class PairCondition {
  private readonly context: BatchContext;
  private readonly condition: Condition;
  private readonly rows: JoinOutput;
  private readonly pairs = rowPairs();
  private answers = new Uint8Array(0);

  constructor(
    expression: Expression,
    first: readonly string[],
    second: readonly string[],
    /** Shared variables that the first side may leave unbound. */
    completed: readonly string[],
    terms: QueryTerms,
  ) {
    const variables = joinedVariables(first, second);
    this.context = new BatchContext(variables, terms);
    this.condition = compileCondition(expression, this.context);
    this.rows = new JoinOutput(variables, first, second, completed);
  }

  /** Keeps the pairs, of the first `count` ones, that meet the condition, and gives their number. */
  keep(first: QueryBatch, second: QueryBatch, count: number): number {
    if (count === 0) return 0;
    if (this.answers.length < count) this.answers = new Uint8Array(2 * count);
    this.context.begin(this.rows.gather(first, second, count));
    this.condition(this.answers, count);
    return this.keepTrue(count);
  }

  private keepTrue(count: number): number {
    const { answers } = this;
    const { first, second } = this.pairs;
    let kept = 0;
    for (let pair = 0; pair < count; pair++) {
      if (answers[pair] !== TRUE) continue;
      first[kept] = first[pair] as number;
      second[kept++] = second[pair] as number;
    }
    return kept;
  }

  release(): void {
    this.rows.release();
  }
}
