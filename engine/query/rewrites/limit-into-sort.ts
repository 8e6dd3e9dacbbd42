/** LIMIT above ORDER BY tells the sort how many rows are wanted, so that it keeps no more. */

import { type Algebra, rewriteUp } from '../algebra/algebra.js';
import type { Rewrite } from './rewrite.js';

export const limitIntoSort: Rewrite = {
  name: 'limit-into-sort',
  apply: (algebra) => rewriteUp(algebra, pushLimit),
};

function pushLimit(node: Algebra): Algebra {
  if (node.kind !== 'slice' || node.limit === null) return node;
  return { ...node, input: limitSort(node.input, node.offset + node.limit) };
}

function limitSort(node: Algebra, limit: number): Algebra {
  if (node.kind === 'project') return { ...node, input: limitSort(node.input, limit) };
  return node.kind === 'sort' ? { ...node, limit } : node;
}
