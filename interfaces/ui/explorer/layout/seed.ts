/**
 * First places of nodes. In a new graph each community is a disc and the discs stand in a spiral, the largest in the
 * middle, so that the layout has to settle details only. A node that joins a graph stands beside a neighbour that has a place.
 */
import type { WeightedEdges } from './layout-graph.js';

/** Turned by it again and again, points never come to lie in rows (Vogel 1979). */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** Units of the world between neighbours of a disc. */
const SPACING = 12;

/** Gives every node of `positions` (x, y a node) that has none a place, in place. */
export function seed(positions: Float32Array, { pairs }: WeightedEdges, communities: Int32Array): void {
  const isPlaced = (node: number): boolean => Number.isFinite(positions[2 * node]!);
  const nodeCount = communities.length;
  let placed = 0;
  for (let node = 0; node < nodeCount; node++) if (isPlaced(node)) placed++;
  if (placed === nodeCount) return;
  if (placed > 0) besideNeighbours(positions, pairs, isPlaced);
  discs(positions, communities, isPlaced, placed > 0);
}

/** Edges are walked until no node is placed any more, so that a chain of new nodes follows its end that was here. */
function besideNeighbours(positions: Float32Array, pairs: Uint32Array, isPlaced: (node: number) => boolean): void {
  const joinedTo = new Map<number, number>();
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (let at = 0; at < pairs.length; at += 2) {
      const [one, two] = [pairs[at]!, pairs[at + 1]!];
      if (isPlaced(one) === isPlaced(two)) continue;
      const [from, to] = isPlaced(one) ? [one, two] : [two, one];
      const turn = (joinedTo.get(from) ?? 0) + 1;
      joinedTo.set(from, turn);
      putAround(positions, to, positions[2 * from]!, positions[2 * from + 1]!, turn);
      isMoving = true;
    }
  }
}

function discs(
  positions: Float32Array,
  communities: Int32Array,
  isPlaced: (node: number) => boolean,
  isOutside: boolean,
): void {
  const members = new Map<number, number[]>();
  for (let node = 0; node < communities.length; node++) {
    if (isPlaced(node)) continue;
    const list = members.get(communities[node]!) ?? [];
    list.push(node);
    members.set(communities[node]!, list);
  }
  // The area that discs before have taken gives the distance of the next.
  let area = isOutside ? extentOf(positions) ** 2 * 2 : 0;
  const order = [...members.values()].sort((a, b) => b.length - a.length || a[0]! - b[0]!);
  for (const [turn, list] of order.entries()) {
    const radius = SPACING * Math.sqrt(list.length);
    const away = turn === 0 && !isOutside ? 0 : Math.sqrt(area) + radius;
    const angle = turn * GOLDEN_ANGLE;
    for (const [at, node] of list.entries()) {
      putAround(positions, node, away * Math.cos(angle), away * Math.sin(angle), at);
    }
    area += (1.4 * radius) ** 2;
  }
}

function putAround(positions: Float32Array, node: number, x: number, y: number, turn: number): void {
  const away = SPACING * Math.sqrt(turn + 0.5);
  positions[2 * node] = x + away * Math.cos(turn * GOLDEN_ANGLE);
  positions[2 * node + 1] = y + away * Math.sin(turn * GOLDEN_ANGLE);
}

function extentOf(positions: Float32Array): number {
  let extent = 0;
  for (const one of positions) if (Number.isFinite(one)) extent = Math.max(extent, Math.abs(one));
  return extent;
}
