/**
 * Communities of a graph by the method of Louvain, by `graphology-communities-louvain`, which reads a graph of `graphology`.
 * Chance starts from a fixed number: the same graph gives the same communities.
 */
/// <reference path="./libraries.d.ts" />
import { UndirectedGraph } from 'graphology';
import louvain from 'graphology-communities-louvain';
import type { WeightedEdges } from './layout-graph.js';

/** By turn, the number of the node's community, the largest community 0. Nodes without edges have one of their own each. */
export function communitiesOf(nodeCount: number, { pairs, weights }: WeightedEdges): Int32Array {
  const communities = new Int32Array(nodeCount);
  if (nodeCount === 0) return communities;
  const graph = new UndirectedGraph();
  for (let node = 0; node < nodeCount; node++) graph.addNode(node);
  for (let at = 0; at < weights.length; at++) {
    graph.addEdge(pairs[2 * at], pairs[2 * at + 1], { weight: weights[at] });
  }
  // Without edges there is nothing to find, and the library refuses.
  const found = weights.length === 0 ? null : louvain(graph, { getEdgeWeight: 'weight', rng: fixedChance() });
  for (let node = 0; node < nodeCount; node++) communities[node] = found?.[node] ?? node;
  return bySize(communities);
}

function bySize(communities: Int32Array): Int32Array {
  const sizes = new Map<number, number>();
  for (const one of communities) sizes.set(one, (sizes.get(one) ?? 0) + 1);
  const order = [...sizes].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const numbers = new Map(order.map(([one], at) => [one, at]));
  return communities.map((one) => numbers.get(one)!);
}

/** Mulberry32: numbers in [0, 1). */
function fixedChance(): () => number {
  let state = 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
