/** Adds a column for the value of an expression; unbound where the expression is an error. */

import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import type { Expression } from '../../algebra/expression.js';
import { BatchContext } from '../../expressions/batch-context.js';
import { compileEvaluator, type Evaluator } from '../../expressions/evaluator.js';
import { newColumn } from '../../runtime/batch.js';
import { type KeyFilter, Operator, PENDING, type Step } from '../../runtime/operator.js';
import type { ComputedTerms } from '../../terms/computed-terms.js';
import type { QueryTerms } from '../../terms/terms.js';

export class ExtendOperator extends Operator {
  private readonly context: BatchContext;
  /** The column that the new one is a copy of; -1 = it is computed. */
  private readonly aliased: number;
  private readonly evaluate: Evaluator;
  private column = newColumn(0);

  constructor(
    private readonly input: Operator,
    variable: string,
    expression: Expression,
    terms: QueryTerms,
    computed: ComputedTerms,
  ) {
    super([...input.variables, variable], [input]);
    this.aliased = expression.kind === 'variable' ? input.variables.indexOf(expression.name) : -1;
    this.context = new BatchContext(input.variables, terms);
    this.evaluate = compileEvaluator(expression, this.context, computed);
  }

  override narrow(filter: KeyFilter): void {
    this.narrowInputs(filter);
  }

  protected step(): Step {
    const batch = this.input.next();
    if (batch === null || batch === PENDING) return batch;
    if (this.aliased >= 0)
      return { rows: batch.rows, columns: [...batch.columns, batch.columns[this.aliased] as IdColumn] };
    if (this.column.length < 2 * batch.rows) {
      this.column = newColumn(Math.max(batch.rows, Math.min(BATCH_ROWS, this.column.length)));
    }
    this.context.begin(batch);
    this.evaluate(this.column, batch.rows);
    return { rows: batch.rows, columns: [...batch.columns, this.column] };
  }
}
