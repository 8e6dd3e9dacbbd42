/** ORDER BY goes where nobody sees the order: in ASK, and by keys that are the same in every row. */

import { type Algebra, rewriteUp } from '../algebra/algebra.js';
import { variablesOf } from '../algebra/mentioned.js';
import type { Rewrite } from './rewrite.js';

export const dropSorts: Rewrite = {
  name: 'drop-sorts',
  apply: (algebra, { form }) => rewriteUp(algebra, (node) => dropSort(node, form === 'ask')),
};

function dropSort(node: Algebra, orderUnseen: boolean): Algebra {
  if (node.kind !== 'sort') return node;
  if (orderUnseen) return node.input;
  const keys = node.keys.filter((key) => variablesOf(key.expression).size > 0);
  return keys.length === 0 ? node.input : { ...node, keys };
}
