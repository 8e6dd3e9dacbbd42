/**
 * A shortest directed path by breadth-first search. Neighbours are visited in their order, so nodes of one distance are
 * reached in the order of their least paths: the path that is found is the least of the shortest, node by node.
 */

import type { Pace } from '../pace.js';
import type { Projection } from '../projection.js';

const UNREACHED = 0xffffffff;

/** The nodes of the path, both ends included; null = there is none. */
export async function shortestPath(
  { nodes, out: { starts, ends } }: Projection,
  from: number,
  to: number,
  pace: Pace,
): Promise<number[] | null> {
  const parents = new Uint32Array(nodes).fill(UNREACHED);
  const queue = new Uint32Array(nodes);
  queue[0] = from;
  parents[from] = from;
  let last = 1;
  for (let first = 0; first < last && parents[to] === UNREACHED; ) {
    const end = Math.min(last, first + 4096);
    let seen = 0;
    for (; first < end; first++) {
      const node = queue[first] as number;
      const stop = starts[node + 1] as number;
      seen += stop - (starts[node] as number);
      for (let at = starts[node] as number; at < stop; at++) {
        const target = ends[at] as number;
        if (parents[target] !== UNREACHED) continue;
        parents[target] = node;
        queue[last++] = target;
      }
    }
    if (pace.spend(seen)) await pace.turn();
  }
  if (parents[to] === UNREACHED) return null;
  const path = [to];
  for (let node = to; node !== from; ) {
    node = parents[node] as number;
    path.push(node);
  }
  return path.reverse();
}
