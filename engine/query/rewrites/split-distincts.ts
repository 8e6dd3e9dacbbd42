/**
 * `COUNT(DISTINCT ?s)` beside `COUNT(DISTINCT ?o)` over one pattern of variables becomes a GROUP BY for each, joined by
 * their keys: every one of them can be read in the order of the index that brings its equal values together, and reading the
 * pattern again costs a tenth of remembering what came before.
 */

import { type Aggregate, type Algebra, type QuadPattern, rewriteUp } from '../algebra/algebra.js';
import type { Rewrite } from './rewrite.js';

export const splitDistincts: Rewrite = {
  name: 'split-distincts',
  apply: (algebra) => rewriteUp(algebra, split),
};

/** Two variables of a triple pattern are the first ones of some order, in one sequence or the other. */
const TOLD_APART_MAX = 2;

function split(node: Algebra): Algebra {
  if (node.kind !== 'group' || node.input.kind !== 'patterns' || node.keys.length >= TOLD_APART_MAX) return node;
  const [pattern, ...others] = node.input.patterns as [QuadPattern, ...QuadPattern[]];
  const names = variablesOfTriple(pattern);
  if (others.length > 0 || names === null || !node.keys.every((key) => names.has(key))) return node;
  const parts = new Map<string, Aggregate[]>();
  for (const aggregate of node.aggregates) {
    const name = distinctVariable(aggregate, names, node.keys);
    if (name !== null) parts.set(name, [...(parts.get(name) ?? []), aggregate]);
  }
  if (parts.size < 2) return node;
  const split = [...parts.values()];
  const rest = node.aggregates.filter((aggregate) => !split.some((part) => part.includes(aggregate)));
  const inputs = split.map((part, at): Algebra => ({ ...node, aggregates: at === 0 ? [...part, ...rest] : part }));
  return { kind: 'join', inputs };
}

/** Null where a position is a constant, a variable stands twice, or the graph is a variable, too. */
function variablesOfTriple({ s, p, o, g }: QuadPattern): ReadonlySet<string> | null {
  const names = new Set([s, p, o].flatMap((position) => (position.kind === 'variable' ? [position.name] : [])));
  return names.size === 3 && g?.kind !== 'variable' ? names : null;
}

/** The variable of the pattern whose values an aggregate tells apart within a group; null for others. */
function distinctVariable(
  { distinct, expression }: Aggregate,
  names: ReadonlySet<string>,
  keys: readonly string[],
): string | null {
  if (!distinct || expression?.kind !== 'variable') return null;
  return names.has(expression.name) && !keys.includes(expression.name) ? expression.name : null;
}
