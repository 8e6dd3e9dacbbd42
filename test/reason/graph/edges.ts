/** Graphs of numbered nodes, as algorithms take them. */
import { startsOf } from '../../../engine/reason/graph/build.js';
import type { Adjacency } from '../../../engine/reason/graph/projection.js';

export type Edge = readonly [number, number];

export interface EdgesOfGraph {
  readonly nodes: number;
  readonly edges: number;
  readonly out: Adjacency;
  readonly in: Adjacency;
}

export function graphOf(nodes: number, edges: readonly Edge[]): EdgesOfGraph {
  const side = (from: 0 | 1, to: 0 | 1): Adjacency => {
    const sorted = [...edges].sort((a, b) => a[from] - b[from] || a[to] - b[to]);
    const starts = startsOf(
      Uint32Array.from(sorted, (edge) => edge[from]),
      nodes,
    );
    return { starts, ends: Uint32Array.from(sorted, (edge) => edge[to]) };
  };
  return { nodes, edges: edges.length, out: side(0, 1), in: side(1, 0) };
}
