/** Neighbours of the nodes that are shown, as one array and where each node's begin (compressed sparse rows). */
import type { GraphModel } from './graph-model.js';
import type { Visible } from './visible.js';

export interface Neighbours {
  /** By turn of a node; its edges are `[start[turn], start[turn + 1])`. A loop stands once. */
  readonly start: Uint32Array;
  /** Places of edges. */
  readonly edges: Uint32Array;
}

export function neighboursOf(model: GraphModel, { nodes, edges, turnOf }: Visible): Neighbours {
  const start = new Uint32Array(nodes.length + 1);
  const ends = (edge: number): [number, number] => [turnOf[model.source[edge]!]!, turnOf[model.target[edge]!]!];
  for (const edge of edges) {
    const [from, to] = ends(edge);
    start[from + 1]!++;
    if (to !== from) start[to + 1]!++;
  }
  for (let turn = 0; turn < nodes.length; turn++) start[turn + 1]! += start[turn]!;
  const filled = start.slice();
  const list = new Uint32Array(start[nodes.length]!);
  for (const edge of edges) {
    const [from, to] = ends(edge);
    list[filled[from]!++] = edge;
    if (to !== from) list[filled[to]!++] = edge;
  }
  return { start, edges: list };
}

/** Places of the edges of a shortest way between two shown nodes, whichever way the edges go; null when there is none. */
export function shortestPath(model: GraphModel, visible: Visible, from: number, to: number): number[] | null {
  const first = visible.turnOf[from] ?? -1;
  const last = visible.turnOf[to] ?? -1;
  if (first < 0 || last < 0) return null;
  if (first === last) return [];
  const { start, edges } = neighboursOf(model, visible);
  const cameBy = new Int32Array(visible.nodes.length).fill(-1);
  const queue = new Uint32Array(visible.nodes.length);
  queue[0] = first;
  let length = 1;
  const other = (edge: number, turn: number): number => {
    const source = visible.turnOf[model.source[edge]!]!;
    return source === turn ? visible.turnOf[model.target[edge]!]! : source;
  };
  for (let at = 0; at < length && cameBy[last] === -1; at++) {
    const turn = queue[at]!;
    for (let next = start[turn]!; next < start[turn + 1]!; next++) {
      const reached = other(edges[next]!, turn);
      if (reached === first || cameBy[reached] !== -1) continue;
      cameBy[reached] = edges[next]!;
      queue[length++] = reached;
    }
  }
  if (cameBy[last] === -1) return null;
  const path: number[] = [];
  for (let turn = last; turn !== first; turn = other(cameBy[turn]!, turn)) path.push(cameBy[turn]!);
  return path.reverse();
}
