/** Weakly connected components, by union-find with path halving; the least node of a component is its root. */

import type { Pace } from '../pace.js';
import type { Adjacency, Projection } from '../projection.js';
import { type Partition, partitionOf } from './partition.js';

const NODES_AT_ONCE = 16_384;

export async function components({ nodes, edges, out }: Projection, pace: Pace): Promise<Partition> {
  const parents = new Uint32Array(nodes);
  for (let node = 0; node < nodes; node++) parents[node] = node;
  for (let from = 0; from < nodes; from += NODES_AT_ONCE) {
    join(parents, out, from, Math.min(nodes, from + NODES_AT_ONCE));
    if (pace.spend(edges * (NODES_AT_ONCE / nodes))) await pace.turn();
  }
  // A root is the least of its tree, so it has been settled before those under it.
  for (let node = 0; node < nodes; node++) parents[node] = parents[parents[node] as number] as number;
  return partitionOf(parents);
}

function join(parents: Uint32Array, { starts, ends }: Adjacency, from: number, to: number): void {
  for (let node = from; node < to; node++) {
    let root = rootOf(parents, node);
    const end = starts[node + 1] as number;
    for (let at = starts[node] as number; at < end; at++) {
      const other = rootOf(parents, ends[at] as number);
      if (other < root) {
        parents[root] = other;
        root = other;
      } else if (root < other) parents[other] = root;
    }
  }
}

function rootOf(parents: Uint32Array, node: number): number {
  let at = node;
  for (;;) {
    const above = parents[at] as number;
    if (above === at) return at;
    const next = parents[above] as number;
    parents[at] = next;
    at = next;
  }
}
