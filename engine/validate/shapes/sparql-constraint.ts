/** A constraint that a SPARQL query decides (SHACL 5 and 6). */

import type { PreparedQuery } from '../../query/query.js';
import type { Literal, Term } from '../../rdf/terms.js';

export interface SparqlConstraint {
  /** Local name of the component. */
  readonly component: string;
  /** `select`: each solution is a result. `ask`: each value for which the answer is false. */
  readonly form: 'select' | 'ask';
  readonly query: PreparedQuery;
  /** Parameters of the component by the names of their variables, and the shape as `currentShape`. */
  readonly bindings: ReadonlyMap<string, Term>;
  /** Messages with `{?variable}` and `{$variable}` in them. */
  readonly messages: readonly Literal[];
}
