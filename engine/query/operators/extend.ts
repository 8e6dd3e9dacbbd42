/** Adds a column for the value of an expression; unbound where the expression is an error. */

import { BATCH_ROWS } from '../../storage/scan.js';
import type { Expression } from '../algebra/expression.js';
import { BatchContext } from '../expressions/batch-context.js';
import { compileEvaluator, type Evaluator } from '../expressions/evaluator.js';
import type { QueryTerms } from '../terms.js';
import { newColumn } from './batch.js';
import { Operator, PENDING, type Step } from './operator.js';

export class ExtendOperator extends Operator {
  private readonly context: BatchContext;
  private readonly evaluate: Evaluator;
  private readonly column = newColumn(BATCH_ROWS);

  constructor(
    private readonly input: Operator,
    variable: string,
    expression: Expression,
    terms: QueryTerms,
  ) {
    super([...input.variables, variable], [input]);
    this.context = new BatchContext(input.variables, terms);
    this.evaluate = compileEvaluator(expression, this.context);
  }

  protected step(): Step {
    const batch = this.input.next();
    if (batch === null || batch === PENDING) return batch;
    this.context.begin(batch);
    this.evaluate(this.column, batch.rows);
    return { rows: batch.rows, columns: [...batch.columns, this.column] };
  }
}
