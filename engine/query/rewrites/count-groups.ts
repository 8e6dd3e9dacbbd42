/** Groups over one triple pattern, whose counts storage or an order of the index tells. */

import { type Aggregate, type NodeOf, namesOf, type QuadPattern, termsOf } from '../algebra/algebra.js';
import { type Rewrite, rewriteOf } from './rewrite.js';

/**
 * `SELECT (COUNT(*) AS ?n)` over one pattern asks storage for the count instead of the rows. Counting
 * a variable that the pattern binds is the same count. A variable that stands twice in the pattern
 * needs the rows.
 */
export const countFromStorage: Rewrite = rewriteOf('count-from-storage', (node) => {
  const pattern = node.kind === 'group' && node.keys.length === 0 ? onlyPattern(node) : null;
  if (node.kind !== 'group' || pattern === null) return node;
  const names = namesOf(termsOf(pattern));
  const told = new Set(names).size === names.length && node.aggregates.every((one) => countsRows(one, names));
  return told ? { kind: 'countPattern', pattern, variables: node.aggregates.map(({ variable }) => variable) } : node;
});

/** COUNT(DISTINCT *) counts solutions, which don't show the blank nodes of the pattern. */
function countsRows({ function: name, distinct, expression }: Aggregate, names: readonly string[]): boolean {
  if (name !== 'count' || distinct) return false;
  return expression === null || (expression.kind === 'variable' && names.includes(expression.name));
}

/**
 * `COUNT(DISTINCT ?s)` beside `COUNT(DISTINCT ?o)` over one pattern of variables becomes a GROUP BY for each, joined by
 * their keys: every one of them can be read in the order of the index that brings its equal values together, and reading the
 * pattern again costs a third of remembering what came before.
 */
export const splitDistincts: Rewrite = rewriteOf('split-distincts', (node) => {
  const pattern = node.kind === 'group' && node.keys.length < TOLD_APART_MAX ? onlyPattern(node) : null;
  if (node.kind !== 'group' || pattern === null) return node;
  const { keys, aggregates } = node;
  const names = new Set(namesOf([pattern.s, pattern.p, pattern.o]));
  // No constant, no variable twice, and none for the graph.
  if (names.size < 3 || pattern.g?.kind === 'variable' || !keys.every((key) => names.has(key))) return node;
  const split = [...names].flatMap((name) => {
    const part = keys.includes(name) ? [] : aggregates.filter((aggregate) => tellsApart(aggregate, name));
    return part.length === 0 ? [] : [part];
  });
  if (split.length < 2) return node;
  const rest = aggregates.filter((aggregate) => !split.some((part) => part.includes(aggregate)));
  return {
    kind: 'join',
    inputs: split.map((part, at) => ({ ...node, aggregates: at === 0 ? [...part, ...rest] : part })),
  };
});

/** Two variables of a triple pattern are the first ones of some order, in one sequence or the other. */
const TOLD_APART_MAX = 2;

function tellsApart({ distinct, expression }: Aggregate, name: string): boolean {
  return distinct && expression?.kind === 'variable' && expression.name === name;
}

function onlyPattern({ input }: NodeOf<'group'>): QuadPattern | null {
  return input.kind === 'patterns' && input.patterns.length === 1 ? (input.patterns[0] as QuadPattern) : null;
}
