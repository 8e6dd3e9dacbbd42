/**
 * Joins of joins become one join, basic graph patterns that meet in a join become one, units go, and
 * a join with an empty part is empty. The planner then sees all patterns of a group at once.
 */

import type { Algebra, QuadPattern } from '../algebra/algebra.js';
import { scopeOf } from '../algebra/scope.js';
import { type Rewrite, rewriteOf } from './rewrite.js';

export const normaliseJoins: Rewrite = rewriteOf('normalise-joins', normalise);

function normalise(node: Algebra): Algebra {
  return node.kind === 'join' ? joinOf(node.inputs) : node;
}

/** The join of some parts, in its normal form. */
export function joinOf(joined: readonly Algebra[]): Algebra {
  const inputs = joined.flatMap((input) => (input.kind === 'join' ? input.inputs : [input]));
  if (inputs.some((input) => input.kind === 'empty')) {
    return { kind: 'empty', variables: [...scopeOf({ kind: 'join', inputs }).variables] };
  }
  const patterns: QuadPattern[] = [];
  const others: Algebra[] = [];
  for (const input of inputs) {
    if (input.kind === 'patterns') patterns.push(...input.patterns);
    else if (input.kind !== 'unit') others.push(input);
  }
  const parts: Algebra[] = patterns.length > 0 ? [{ kind: 'patterns', patterns }, ...others] : others;
  if (parts.length === 0) return { kind: 'unit' };
  return parts.length === 1 ? (parts[0] as Algebra) : { kind: 'join', inputs: parts };
}
