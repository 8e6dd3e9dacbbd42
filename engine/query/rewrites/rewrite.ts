/** What a rewrite is: a named function from algebra to algebra that never changes the answer. */

import type { Algebra, QueryForm } from '../algebra/algebra.js';

export interface RewriteContext {
  readonly form: QueryForm;
  /** True for the pattern of an EXISTS, which sees the variables of the row that it is asked for. */
  readonly correlated?: boolean;
}

export interface Rewrite {
  /** The name that switches it off. */
  readonly name: string;
  readonly apply: (algebra: Algebra, context: RewriteContext) => Algebra;
}
