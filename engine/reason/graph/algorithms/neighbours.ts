/** Neighbours whichever way the edges go, each once, without the node itself: what cores and triangles are of. */

import type { Pace } from '../pace.js';
import type { Adjacency, Projection } from '../projection.js';

const NODES_AT_ONCE = 16_384;

export async function simpleNeighbours(
  { nodes, edges, out, in: incoming }: Projection,
  pace: Pace,
): Promise<Adjacency> {
  const starts = new Uint32Array(nodes + 1);
  const ends = new Uint32Array(2 * edges);
  let count = 0;
  for (let from = 0; from < nodes; from += NODES_AT_ONCE) {
    count = merge(out, incoming, { starts, ends }, { from, to: Math.min(nodes, from + NODES_AT_ONCE), count });
    if (pace.spend((2 * edges * NODES_AT_ONCE) / nodes)) await pace.turn();
  }
  return { starts, ends: ends.slice(0, count) };
}

interface Part {
  readonly from: number;
  readonly to: number;
  /** Ends that are there already. */
  readonly count: number;
}

function merge(a: Adjacency, b: Adjacency, into: Adjacency, part: Part): number {
  let count = part.count;
  for (let node = part.from; node < part.to; node++) {
    let [i, j] = [a.starts[node] as number, b.starts[node] as number];
    const [endA, endB] = [a.starts[node + 1] as number, b.starts[node + 1] as number];
    let last = -1;
    while (i < endA || j < endB) {
      const takesA = j === endB || (i < endA && (a.ends[i] as number) <= (b.ends[j] as number));
      const other = (takesA ? a.ends[i++] : b.ends[j++]) as number;
      if (other === last || other === node) continue;
      last = other;
      into.ends[count++] = other;
    }
    into.starts[node + 1] = count;
  }
  return count;
}
