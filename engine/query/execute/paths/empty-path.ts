/**
 * Which terms a path relates to themselves without a step: the nodes of the graph when the path may
 * be empty, and with a term of the query at one end that term, even when the graph does not hold it.
 */

import type { EdgeSource } from './edge-source.js';
import type { ClosureSpec } from './spec.js';

/** Only for a node that meets the term, when an end of the path is one. */
export function relatesToItself(spec: ClosureSpec, node: number, source: EdgeSource): boolean {
  if (spec.emptyAnywhere && (spec.from.kind === 'term' || spec.to.kind === 'term')) return true;
  return spec.empty && source.isInGraph(node);
}
