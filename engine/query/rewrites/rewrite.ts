/** What a rewrite is: a named function from algebra to algebra that never changes the answer. */

import { type Algebra, type QueryForm, rewriteUp } from '../algebra/algebra.js';

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

/** One that looks at each node by itself, from the leaves up. */
export function rewriteOf(name: string, change: (node: Algebra) => Algebra): Rewrite {
  return { name, apply: (algebra) => rewriteUp(algebra, change) };
}

/** The same, but for patterns of EXISTS: the row that is asked for may bind their variables, and there all stays. */
export function uncorrelatedRewrite(name: string, change: (node: Algebra) => Algebra): Rewrite {
  return { name, apply: (algebra, { correlated }) => (correlated === true ? algebra : rewriteUp(algebra, change)) };
}
