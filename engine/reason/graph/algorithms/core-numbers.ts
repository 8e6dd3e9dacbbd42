/**
 * Core numbers: the greatest k for which a node is in a part of the graph where each node has k neighbours (Batagelj and
 * Zaversnik, 2003). Nodes are taken away by degree, least first; buckets keep them in that order.
 */

import type { Pace } from '../pace.js';
import type { Projection } from '../projection.js';
import { simpleNeighbours } from './neighbours.js';

const NODES_AT_ONCE = 16_384;

export async function coreNumbers(projection: Projection, pace: Pace): Promise<Uint32Array> {
  const { nodes } = projection;
  const { starts, ends } = await simpleNeighbours(projection, pace);
  const degrees = new Uint32Array(nodes);
  let degreeMax = 0;
  for (let node = 0; node < nodes; node++) {
    degrees[node] = (starts[node + 1] as number) - (starts[node] as number);
    degreeMax = Math.max(degreeMax, degrees[node] as number);
  }
  const { order, places, buckets } = byDegree(degrees, degreeMax);
  for (let at = 0; at < nodes; at++) {
    const node = order[at] as number;
    const degree = degrees[node] as number;
    const end = starts[node + 1] as number;
    for (let edge = starts[node] as number; edge < end; edge++) {
      const other = ends[edge] as number;
      const otherDegree = degrees[other] as number;
      if (otherDegree <= degree) continue;
      // It changes places with the first of its bucket, which then begins behind it.
      const [place, first] = [places[other] as number, buckets[otherDegree] as number];
      const head = order[first] as number;
      [order[place], order[first]] = [head, other];
      [places[head], places[other]] = [place, first];
      buckets[otherDegree] = first + 1;
      degrees[other] = otherDegree - 1;
    }
    if (at % NODES_AT_ONCE === 0 && pace.spend((ends.length * NODES_AT_ONCE) / nodes)) await pace.turn();
  }
  return degrees;
}

function byDegree(degrees: Uint32Array, degreeMax: number) {
  const buckets = new Uint32Array(degreeMax + 2);
  for (const degree of degrees) buckets[degree + 1] = (buckets[degree + 1] as number) + 1;
  for (let degree = 0; degree <= degreeMax; degree++) {
    buckets[degree + 1] = (buckets[degree + 1] as number) + (buckets[degree] as number);
  }
  const next = buckets.slice();
  const order = new Uint32Array(degrees.length);
  const places = new Uint32Array(degrees.length);
  for (let node = 0; node < degrees.length; node++) {
    const degree = degrees[node] as number;
    const place = next[degree] as number;
    next[degree] = place + 1;
    order[place] = node;
    places[node] = place;
  }
  return { order, places, buckets };
}
