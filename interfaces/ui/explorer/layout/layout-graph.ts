/** A graph as the layout sees it: no names, only turns of nodes. It crosses to the worker as it is. */

export interface LayoutGraph {
  readonly nodeCount: number;
  /** x and y of each node; NaN where it has no place yet. */
  readonly positions: Float32Array;
  /** Source and target of each edge. */
  readonly edges: Uint32Array;
}

export interface WeightedEdges {
  readonly pairs: Uint32Array;
  /** How many edges stand between the two, whichever way they go. */
  readonly weights: Float32Array;
}

/** Edges between the same two nodes as one, loops left out: they pull nothing. */
export function joined({ nodeCount, edges }: LayoutGraph): WeightedEdges {
  const places = new Map<number, number>();
  const pairs: number[] = [];
  const weights: number[] = [];
  for (let at = 0; at < edges.length; at += 2) {
    const low = Math.min(edges[at]!, edges[at + 1]!);
    const high = Math.max(edges[at]!, edges[at + 1]!);
    if (low === high) continue;
    const key = low * nodeCount + high;
    const known = places.get(key);
    if (known === undefined) {
      places.set(key, weights.length);
      pairs.push(low, high);
      weights.push(1);
    } else {
      weights[known]!++;
    }
  }
  return { pairs: Uint32Array.from(pairs), weights: Float32Array.from(weights) };
}
