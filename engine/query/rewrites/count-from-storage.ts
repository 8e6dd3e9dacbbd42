/**
 * `SELECT (COUNT(*) AS ?n)` over one pattern asks storage for the count instead of the rows. Counting
 * a variable that the pattern binds is the same count. A variable that stands twice in the pattern
 * needs the rows.
 */

import { type Aggregate, type Algebra, type QuadPattern, rewriteUp } from '../algebra/algebra.js';
import { patternVariables } from '../algebra/scope.js';
import type { Rewrite } from './rewrite.js';

export const countFromStorage: Rewrite = {
  name: 'count-from-storage',
  apply: (algebra) => rewriteUp(algebra, count),
};

function count(node: Algebra): Algebra {
  if (node.kind !== 'group' || node.keys.length > 0 || node.input.kind !== 'patterns') return node;
  const [pattern, ...others] = node.input.patterns as [QuadPattern, ...QuadPattern[]];
  if (
    others.length > 0 ||
    repeatsVariable(pattern) ||
    !node.aggregates.every((aggregate) => countsRows(aggregate, pattern))
  ) {
    return node;
  }
  return { kind: 'countPattern', pattern, variables: node.aggregates.map((aggregate) => aggregate.variable) };
}

function countsRows({ function: name, distinct, expression }: Aggregate, pattern: QuadPattern): boolean {
  if (name !== 'count') return false;
  // COUNT(DISTINCT *) counts solutions, which don't show the blank nodes of the pattern.
  if (distinct) return false;
  if (expression === null) return true;
  return expression.kind === 'variable' && patternVariables(pattern).has(expression.name);
}

function repeatsVariable({ s, p, o, g }: QuadPattern): boolean {
  const names = [s, p, o, g].flatMap((position) => (position?.kind === 'variable' ? [position.name] : []));
  return new Set(names).size < names.length;
}
