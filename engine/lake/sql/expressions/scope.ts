/** What an expression sees: the variables of the row at hand, and ways to bring in more of the row. */

import type { ExistsExpression } from '../../../query/algebra/expression.js';
import type { Term } from '../../../rdf/terms.js';
import type { Scalar } from '../scalars.js';
import type { Fields, KnownTerm, SqlTerm } from '../sql-terms.js';

export interface ExpressionScope {
  /** Undefined = it is never bound here. */
  term(name: string): SqlTerm | undefined;
  /** The variable with its fields, which are looked up where they have not been. */
  known(name: string): KnownTerm | undefined;
  /** The parts of a triple term by its id. */
  partsOf(id: Scalar): Readonly<Record<'subject' | 'predicate' | 'object', SqlTerm>>;
  /** A term with its fields, which are looked up by its id. */
  lookUp(term: SqlTerm): KnownTerm;
  /** The same values as columns of their own, so that what is read twice is computed once. */
  keep(term: KnownTerm): Fields;
  /** True where the pattern has a solution. */
  exists(expression: ExistsExpression): Scalar;
  /** The id of a constant; null where it can't be asked for. */
  constantId(term: Term): Scalar | null;
  readonly now: string;
}
