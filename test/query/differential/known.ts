/** Differences of the other engine that are its own, each with the reason; everything else is a disagreement. */

import type { DataLine } from './data.js';
import type { Outcome } from './engines.js';

export interface Difference {
  readonly text: string;
  readonly data: readonly DataLine[];
  /** Of the other engine. */
  readonly actual: Outcome;
  /** The answers are the same, but for how often each solution comes. */
  readonly sameSet: boolean;
}

interface KnownDifference {
  readonly reason: string;
  readonly applies: (difference: Difference) => boolean;
}

/** What depends on how many rows there are. */
const COUNTED = /COUNT|SUM|AVG|GROUP_CONCAT|LIMIT/;

const KNOWN: readonly KnownDifference[] = [
  {
    reason: 'its EXISTS sees variables that a subquery before it does not select',
    applies: ({ text }) => /\{ SELECT .*EXISTS/.test(text),
  },
  {
    reason: 'it refuses the text',
    applies: ({ actual }) => actual.kind === 'refused',
  },
  {
    reason: 'it takes a term as <= and >= itself, whatever its type',
    applies: ({ text }) => /<=|>=/.test(text),
  },
  {
    reason: 'alternatives and negated sets of predicates match a pair of nodes once',
    applies: ({ text, sameSet }) => /[|!]/.test(text) && (sameSet || COUNTED.test(text)),
  },
  {
    reason: 'a path of no length does not reach a node that the pattern names and the graph does not hold',
    applies: ({ text, data }) =>
      /\)[?*]/.test(text) && [...text.matchAll(/:[a-e]\b/g)].some(([node]) => isMissing(node, text, data)),
  },
  {
    reason: 'REDUCED drops repeated rows, as it may',
    applies: ({ text, sameSet }) => /REDUCED/.test(text) && (sameSet || COUNTED.test(text)),
  },
  {
    reason: 'a graph without quads counts as one that exists',
    applies: ({ text, data }) =>
      [...text.matchAll(/(?:GRAPH|FROM NAMED) (:\w+)/g)].some(([, name]) => !data.some(({ graph }) => graph === name)),
  },
  {
    reason: 'a group of VALUES inside GRAPH ?g is not asked for each graph',
    applies: ({ text }) => /GRAPH \?\w+ \{[^}]*VALUES/.test(text),
  },
  {
    reason: 'a graph that FROM names twice is read twice',
    applies: ({ text }) => /FROM (:\w+) .*FROM \1 /.test(text),
  },
  {
    reason: 'it sorts otherwise where the standard leaves the order open: literals of different types, languages',
    applies: ({ text }) => /MIN\(|MAX\(|LIMIT/.test(text),
  },
  {
    reason: 'SUBSTR takes neither fractions nor positions before the first character',
    applies: ({ text }) => /SUBSTR\(.*, (0, 2|1\.5, 2\.6)\)/.test(text),
  },
  {
    reason: 'MINUS inside GRAPH ?g or EXISTS shares ?g, or the row, with its left side',
    applies: ({ text }) => /(GRAPH \?|EXISTS).*MINUS/.test(text),
  },
  {
    reason: 'BIND inside EXISTS overwrites the variable of the row',
    applies: ({ text }) => /EXISTS \{.*BIND\(/s.test(text),
  },
  {
    reason: 'IN and NOT IN of an error and an empty list are errors',
    applies: ({ text }) => /IN \(\)/.test(text),
  },
  {
    reason: 'an aggregate over a pattern that it knows to be empty has no row',
    applies: ({ text }) => /(COUNT|SUM|AVG|MIN|MAX|GROUP_CONCAT)\(/.test(text) && !/GROUP BY/.test(text),
  },
  {
    reason: 'GROUP_CONCAT takes strings only, IRIs are errors',
    applies: ({ text }) => /GROUP_CONCAT/.test(text),
  },
  {
    reason: 'DELETE and INSERT are made solution by solution, so that one deletes what another has inserted',
    applies: ({ text }) => /DELETE \{[^}]*\}.* INSERT/s.test(text),
  },
  {
    reason: 'COPY and MOVE of a graph that does not exist empty the other one',
    applies: ({ text }) => /COPY|MOVE/.test(text),
  },
  {
    reason: 'COUNT of an expression that has errors only is an error',
    applies: ({ text }) => /COUNT\((DISTINCT )?[^*?]/.test(text),
  },
];

/** A graph that the text may read does not hold the node. */
function isMissing(node: string, text: string, data: readonly DataLine[]): boolean {
  const isDefaultOnly = !/GRAPH|FROM/.test(text);
  const named = [...text.matchAll(/(?:GRAPH|FROM|NAMED) (:\w+)/g)].map(([, graph]) => graph as string);
  const graphs = isDefaultOnly ? [null] : [null, ...named, ...data.map(({ graph }) => graph)];
  const holds = (graph: string | null) =>
    data.some((line) => line.graph === graph && ` ${line.triple} `.includes(` ${node} `));
  return graphs.some((graph) => !holds(graph));
}

/** Why the other engine may answer differently here; null = it may not. */
export function explained(difference: Difference): string | null {
  return KNOWN.find(({ applies }) => applies(difference))?.reason ?? null;
}
