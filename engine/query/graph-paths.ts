/**
 * `query.named_graph_paths: "refuse"`: a property path inside GRAPH ends the query with an error, before
 * anything runs. Steps of a path are known by their mark; what stands for a negated set is a predicate
 * that no text can name.
 */

import { SvcError } from '../base/errors.js';
import { type Algebra, childrenOf, expressionsOf, type QuadPattern } from './algebra/algebra.js';
import type { Expression } from './algebra/expression.js';

export function refuseGraphPaths(node: Algebra): void {
  if (node.kind === 'closure' ? node.g !== null : node.kind === 'patterns' && node.patterns.some(isStepInGraph)) {
    throw new SvcError('invalid_request', 'a property path inside GRAPH is refused (query.named_graph_paths)', {
      hint: 'read the graph as the default graph (FROM), or set query.named_graph_paths to "evaluate"',
    });
  }
  for (const child of childrenOf(node)) refuseGraphPaths(child);
  for (const expression of expressionsOf(node)) refuseInExpression(expression);
}

function isStepInGraph({ p, g }: QuadPattern): boolean {
  if (g === null) return false;
  return p.kind === 'variable' ? p.name.startsWith('_:') : p.inPath === true;
}

function refuseInExpression(expression: Expression): void {
  if (expression.kind === 'exists') refuseGraphPaths(expression.pattern);
  else if ('args' in expression) for (const arg of expression.args) refuseInExpression(arg);
}
