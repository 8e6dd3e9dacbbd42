/** The one place that refuses by name what SPARQL has and this engine does not evaluate yet. */

import { SvcError } from '../../base/errors.js';

export function unsupported(what: string): SvcError {
  return new SvcError('unsupported', `${what} is not supported yet`, {
    hint: 'SELECT and ASK over basic graph patterns with GRAPH, FILTER, BIND, VALUES, COUNT, ORDER BY and LIMIT are',
  });
}

/** Nodes of the parser's algebra that are refused, and what a user calls them. */
export const UNSUPPORTED_NODES: Readonly<Record<string, string>> = {
  construct: 'CONSTRUCT',
  describe: 'DESCRIBE',
  leftjoin: 'OPTIONAL',
  union: 'UNION',
  minus: 'MINUS',
  service: 'SERVICE',
  path: 'a property path',
  project: 'a subquery',
  slice: 'a subquery',
  distinct: 'a subquery',
  reduced: 'a subquery',
  orderby: 'a subquery',
  group: 'a subquery',
  ask: 'a subquery',
};
