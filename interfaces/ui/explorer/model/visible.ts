/**
 * What of a model is shown: nodes that are neither hidden nor of a type that is off, and edges between them whose
 * predicate is on. With `focus`, only nodes within `depth` edges of it, whichever way the edges go.
 */
import { GONE, type GraphModel } from './graph-model.js';

export interface Filters {
  /** IRIs of types whose nodes are left out; '' stands for nodes without a type. */
  readonly typesOff: ReadonlySet<string>;
  readonly predicatesOff: ReadonlySet<string>;
}

export interface Visible {
  /** Places of nodes, ascending. */
  readonly nodes: Uint32Array;
  /** Places of edges, ascending. */
  readonly edges: Uint32Array;
  /** By place of a node: its turn in `nodes`, or -1. */
  readonly turnOf: Int32Array;
}

export const NO_FILTERS: Filters = { typesOff: new Set(), predicatesOff: new Set() };

export function visibleOf(model: GraphModel, { typesOff, predicatesOff }: Filters): Visible {
  const typeIsOff = model.types.map((iri) => typesOff.has(iri));
  const untypedIsOff = typesOff.has('');
  const predicateIsOff = model.predicates.map((iri) => predicatesOff.has(iri));
  const turnOf = new Int32Array(model.nodeCount).fill(-1);
  const nodes = new Uint32Array(model.nodeCount);
  let nodeCount = 0;
  for (let place = 0; place < model.nodeCount; place++) {
    const type = model.typeOf[place]!;
    if (model.hidden[place] === 1 || (type < 0 ? untypedIsOff : typeIsOff[type])) continue;
    turnOf[place] = nodeCount;
    nodes[nodeCount++] = place;
  }
  const edges = new Uint32Array(model.edgeCount);
  let edgeCount = 0;
  for (let place = 0; place < model.edgeCount; place++) {
    if (model.edgeChange[place] === GONE || predicateIsOff[model.predicateOf[place]!]) continue;
    if (turnOf[model.source[place]!]! < 0 || turnOf[model.target[place]!]! < 0) continue;
    edges[edgeCount++] = place;
  }
  return { nodes: nodes.subarray(0, nodeCount), edges: edges.subarray(0, edgeCount), turnOf };
}

export interface Counted {
  readonly iri: string;
  readonly count: number;
}

/** Types of the nodes of a model with how many have each, the most first; '' for those without. */
export function typeCounts(model: GraphModel): Counted[] {
  const counts = new Uint32Array(model.types.length + 1);
  for (let place = 0; place < model.nodeCount; place++) counts[model.typeOf[place]! + 1]!++;
  return ordered(['', ...model.types], counts);
}

export function predicateCounts(model: GraphModel): Counted[] {
  const counts = new Uint32Array(model.predicates.length);
  for (let place = 0; place < model.edgeCount; place++) {
    if (model.edgeChange[place] !== GONE) counts[model.predicateOf[place]!]!++;
  }
  return ordered(model.predicates, counts);
}

function ordered(iris: readonly string[], counts: Uint32Array): Counted[] {
  return iris
    .map((iri, at) => ({ iri, count: counts[at]! }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.iri < b.iri ? -1 : 1));
}
