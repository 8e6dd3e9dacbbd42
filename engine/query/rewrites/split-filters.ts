/** `a && b` in a filter becomes two filters: a row passes exactly when both are true. */

import { type Algebra, rewriteUp } from '../algebra/algebra.js';
import type { Expression } from '../algebra/expression.js';
import type { Rewrite } from './rewrite.js';

export const splitFilters: Rewrite = {
  name: 'split-filters',
  apply: (algebra) => rewriteUp(algebra, split),
};

function split(node: Algebra): Algebra {
  if (node.kind !== 'filter') return node;
  return conjunctsOf(node.condition).reduceRight<Algebra>(
    (input, condition) => ({ kind: 'filter', input, condition }),
    node.input,
  );
}

/** The parts of a condition that all have to be true. */
export function conjunctsOf(condition: Expression): Expression[] {
  const conjuncts: Expression[] = [];
  collectConjuncts(condition, conjuncts);
  return conjuncts;
}

function collectConjuncts(condition: Expression, into: Expression[]): void {
  if (condition.kind !== 'call' || condition.operator !== '&&') into.push(condition);
  else for (const arg of condition.args) collectConjuncts(arg, into);
}
