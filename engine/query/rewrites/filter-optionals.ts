/**
 * What the condition of an OPTIONAL says of the optional side alone becomes a filter inside that side. A
 * pair of rows joins when its values satisfy each part of the condition; a part whose variables the
 * optional side always binds has the same answer for its row alone.
 */

import { type Algebra, rewriteUp } from '../algebra/algebra.js';
import { type Expression, hasExists } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { scopeOf } from '../algebra/scope.js';
import type { Rewrite } from './rewrite.js';
import { conjunctsOf } from './split-filters.js';

export const filterOptionals: Rewrite = {
  name: 'filter-optionals',
  apply: (algebra) => rewriteUp(algebra, filterOptional),
};

function filterOptional(node: Algebra): Algebra {
  if (node.kind !== 'leftJoin' || node.condition === null) return node;
  const { certain } = scopeOf(node.right);
  const isOwn = (part: Expression): boolean => {
    const names = variablesOf(part);
    return names.size > 0 && !hasExists(part) && [...names].every((name) => certain.has(name));
  };
  const parts = conjunctsOf(node.condition);
  const own = parts.filter(isOwn);
  if (own.length === 0) return node;
  const others = parts.filter((part) => !own.includes(part));
  const right = own.reduceRight<Algebra>((input, condition) => ({ kind: 'filter', input, condition }), node.right);
  return { ...node, right, condition: others.length === 0 ? null : others.reduce(conjunction) };
}

function conjunction(a: Expression, b: Expression): Expression {
  return { kind: 'call', operator: '&&', args: [a, b] };
}
