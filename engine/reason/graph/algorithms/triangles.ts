/**
 * Triangles that each node is in, whichever way the edges go. Each edge is looked at from its end of less degree, so that
 * hubs are passed over cheaply; each triangle is found once (Chiba and Nishizeki, 1985).
 */

import type { Pace } from '../pace.js';
import type { Projection } from '../projection.js';
import { simpleNeighbours } from './neighbours.js';

export async function triangleCounts(projection: Projection, pace: Pace): Promise<Float64Array> {
  const { nodes } = projection;
  const { starts, ends } = await simpleNeighbours(projection, pace);
  const degreeOf = (node: number): number => (starts[node + 1] as number) - (starts[node] as number);
  /** By degree, then by number: each edge is kept where it leaves the lesser end. */
  const isBelow = (a: number, b: number): boolean => {
    const [degreeA, degreeB] = [degreeOf(a), degreeOf(b)];
    return degreeA === degreeB ? a < b : degreeA < degreeB;
  };
  const upStarts = new Uint32Array(nodes + 1);
  const ups = new Uint32Array(ends.length / 2);
  let count = 0;
  for (let node = 0; node < nodes; node++) {
    for (let at = starts[node] as number; at < (starts[node + 1] as number); at++) {
      if (isBelow(node, ends[at] as number)) ups[count++] = ends[at] as number;
    }
    upStarts[node + 1] = count;
  }
  const counts = new Float64Array(nodes);
  const marks = new Uint32Array(nodes);
  for (let node = 0; node < nodes; node++) {
    const [from, to] = [upStarts[node] as number, upStarts[node + 1] as number];
    let work = to - from;
    for (let at = from; at < to; at++) marks[ups[at] as number] = node + 1;
    for (let at = from; at < to; at++) {
      const second = ups[at] as number;
      const end = upStarts[second + 1] as number;
      work += end - (upStarts[second] as number);
      for (let edge = upStarts[second] as number; edge < end; edge++) {
        const third = ups[edge] as number;
        if (marks[third] !== node + 1) continue;
        counts[node] = (counts[node] as number) + 1;
        counts[second] = (counts[second] as number) + 1;
        counts[third] = (counts[third] as number) + 1;
      }
    }
    if (pace.spend(work)) await pace.turn();
  }
  return counts;
}
