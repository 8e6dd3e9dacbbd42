/** ORDER BY that nobody sees, or sees the first rows of only. */

import { type Algebra, rewriteUp } from '../algebra/algebra.js';
import { isVolatile } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { type Rewrite, rewriteOf } from './rewrite.js';

/** It goes at the top of ASK, and by keys that are the same in every row. */
export const dropSorts: Rewrite = {
  name: 'drop-sorts',
  apply: (algebra, { form }) => rewriteUp(form === 'ask' ? withoutSort(algebra) : algebra, dropConstantKeys),
};

/** Modifiers change which rows there are, or their order, but not whether there is one. */
function withoutSort(node: Algebra): Algebra {
  switch (node.kind) {
    case 'sort':
      return withoutSort(node.input);
    case 'project':
    case 'distinct':
    case 'reduced':
    case 'slice':
      return { ...node, input: withoutSort(node.input) };
    default:
      return node;
  }
}

function dropConstantKeys(node: Algebra): Algebra {
  if (node.kind !== 'sort') return node;
  const keys = node.keys.filter(({ expression }) => variablesOf(expression).size > 0 || isVolatile(expression));
  return keys.length === 0 ? node.input : { ...node, keys };
}

/** LIMIT above ORDER BY tells the sort how many rows are wanted, so that it keeps no more. */
export const limitIntoSort: Rewrite = rewriteOf('limit-into-sort', (node) => {
  if (node.kind !== 'slice' || node.limit === null) return node;
  return { ...node, input: limitSort(node.input, node.offset + node.limit) };
});

function limitSort(node: Algebra, limit: number): Algebra {
  if (node.kind === 'project') return { ...node, input: limitSort(node.input, limit) };
  return node.kind === 'sort' ? { ...node, limit } : node;
}
