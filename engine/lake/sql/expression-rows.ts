/** Rows that expressions are evaluated over. */

import type { ExistsExpression } from '../../query/algebra/expression.js';
import type { Term } from '../../rdf/terms.js';
import type { ExpressionScope } from './expressions/scope.js';
import type { Names } from './names.js';
import type { Scalar } from './scalars.js';
import { constantId, type ScanContext } from './scans.js';
import { Rows, type Solutions } from './solutions.js';

/** Whether a pattern has a solution for each row; it may bring columns into the rows. */
export type AskExists = (rows: ExpressionRows, expression: ExistsExpression) => Scalar;

export class ExpressionRows extends Rows implements ExpressionScope {
  constructor(
    input: Pick<Solutions, 'relation' | 'terms'>,
    names: Names,
    readonly now: string,
    private readonly ids: Pick<ScanContext, 'idOf'>,
    private readonly ask: AskExists,
  ) {
    super(input, names);
  }

  constantId(term: Term): Scalar | null {
    return constantId(term, this.ids);
  }

  exists(expression: ExistsExpression): Scalar {
    return this.ask(this, expression);
  }
}
