/**
 * `query.named_graph_paths: "refuse"`: a property path inside GRAPH ends the query with an error, before
 * anything runs. Steps of a path are known by their mark; what stands for a negated set is a predicate
 * that no text can name.
 */

import { SvcError } from '../base/errors.js';
import type { Algebra, QuadPattern } from './algebra/algebra.js';
import { someNode } from './algebra/mentioned.js';

export function refuseGraphPaths(pattern: Algebra): void {
  if (!someNode(pattern, walksInGraph)) return;
  throw new SvcError('invalid_request', 'a property path inside GRAPH is refused (query.named_graph_paths)', {
    hint: 'read the graph as the default graph (FROM), or set query.named_graph_paths to "evaluate"',
  });
}

function walksInGraph(node: Algebra): boolean {
  return node.kind === 'closure' ? node.g !== null : node.kind === 'patterns' && node.patterns.some(isStepInGraph);
}

function isStepInGraph({ p, g }: QuadPattern): boolean {
  if (g === null) return false;
  return p.kind === 'variable' ? p.name.startsWith('_:') : p.inPath === true;
}
