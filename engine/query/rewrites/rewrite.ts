/** What a rewrite is: a named function from algebra to algebra that never changes the answer. */

import type { Algebra } from '../algebra/algebra.js';

export interface RewriteContext {
  readonly form: 'select' | 'ask';
}

export interface Rewrite {
  /** The name that switches it off. */
  readonly name: string;
  readonly apply: (algebra: Algebra, context: RewriteContext) => Algebra;
}
