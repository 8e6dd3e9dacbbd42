/**
 * Communities by the local moving of Louvain, one level (Blondel, Guillaume, Lambiotte and Lefebvre, 2008), as the semantics
 * of reasoning, 10.2, has it: nodes are visited in their order, and of the neighbouring communities, in the order of their
 * labels, the first is chosen whose gain no later one exceeds by 1e-12. Each edge adds 1 to the weight of its pair, both ways;
 * loops don't count.
 *
 * A community is kept under a slot, which another one takes when it has emptied; so there are no more slots than nodes,
 * though labels only grow.
 */

import type { Pace } from '../pace.js';
import type { Adjacency, Projection } from '../projection.js';
import { type Partition, partitionOf } from './partition.js';

const PASSES_MAX = 100;
const GAIN_MIN = 1e-12;
/** Communities whose gains are as near to the best as this are compared in the order of their labels. */
const NEAR = 1e-9;
const NODES_AT_ONCE = 4096;

export interface Communities extends Partition {
  readonly modularity: number;
  readonly passes: number;
}

export async function louvain(projection: Projection, pace: Pace): Promise<Communities> {
  const { nodes, edges } = projection;
  const moving = new LocalMoving(projection);
  let passes = 0;
  while (moving.weight > 0 && passes < PASSES_MAX) {
    let moves = 0;
    for (let from = 0; from < nodes; from += NODES_AT_ONCE) {
      moves += moving.visit(from, Math.min(nodes, from + NODES_AT_ONCE));
      if (pace.spend((8 * edges * NODES_AT_ONCE) / nodes)) await pace.turn();
    }
    passes++;
    if (moves === 0) break;
  }
  const partition = partitionOf(moving.slots);
  return { ...partition, passes, modularity: modularityOf(projection, partition.groupOf, partition.sizes.length) };
}

class LocalMoving {
  /** Of each node. */
  readonly slots: Uint32Array;
  readonly #degrees: Float64Array;
  /** Of each slot, side by side: the degrees of its nodes, and the weight from the node at hand. */
  readonly #pairs: Float64Array;
  readonly #labels: Float64Array;
  /** The slots of the neighbours of the node at hand, and what it would gain there. */
  readonly #near: Uint32Array;
  readonly #gains: Float64Array;
  readonly #free: number[] = [];
  readonly #out: Adjacency;
  readonly #in: Adjacency;
  #nextLabel: number;
  /** 2m: twice the edges that are no loops. */
  readonly weight: number;

  constructor({ nodes, out, in: incoming }: Projection) {
    this.#out = out;
    this.#in = incoming;
    this.slots = new Uint32Array(nodes);
    this.#labels = new Float64Array(nodes);
    this.#near = new Uint32Array(nodes);
    this.#gains = new Float64Array(nodes);
    this.#degrees = degreesOf(nodes, out, incoming);
    this.#pairs = new Float64Array(2 * nodes);
    let weight = 0;
    for (let node = 0; node < nodes; node++) {
      this.slots[node] = node;
      this.#labels[node] = node;
      this.#pairs[2 * node] = this.#degrees[node] as number;
      weight += this.#degrees[node] as number;
    }
    this.weight = weight;
    this.#nextLabel = nodes;
  }

  /** Moves some nodes to where they gain most; returns how many moved. */
  visit(from: number, to: number): number {
    const pairs = this.#pairs;
    let moves = 0;
    for (let node = from; node < to; node++) {
      const degree = this.#degrees[node] as number;
      if (degree === 0) continue;
      const old = this.slots[node] as number;
      const rest = (pairs[2 * old] as number) - degree;
      pairs[2 * old] = rest;
      const best = this.#bestFor(node, degree);
      if (best < 0 && rest === 0) {
        pairs[2 * old] = degree;
        continue;
      }
      const slot = best < 0 ? this.#freshSlot() : best;
      pairs[2 * slot] = (pairs[2 * slot] as number) + degree;
      if (slot === old) continue;
      this.slots[node] = slot;
      if (rest === 0) this.#free.push(old);
      moves++;
    }
    return moves;
  }

  /** The slot of the community to join; -1 = none. */
  #bestFor(node: number, degree: number): number {
    const [near, gains, pairs, whole] = [this.#near, this.#gains, this.#pairs, this.weight];
    const count = weigh(this.#in, node, this, pairs, near, weigh(this.#out, node, this, pairs, near, 0));
    let [most, best] = [GAIN_MIN, -1];
    for (let at = 0; at < count; at++) {
      const slot = near[at] as number;
      const gain = (pairs[2 * slot + 1] as number) - (degree * (pairs[2 * slot] as number)) / whole;
      pairs[2 * slot + 1] = 0;
      gains[at] = gain;
      if (gain > most) [most, best] = [gain, slot];
    }
    if (best < 0) return best;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const gain = gains[at] as number;
      if (gain < most - NEAR || gain <= GAIN_MIN) continue;
      gains[kept] = gain;
      near[kept++] = near[at] as number;
    }
    return kept === 1 ? best : this.#firstOf(kept);
  }

  /** Of several that are near the best the one that the order of labels chooses. */
  #firstOf(kept: number): number {
    const [labels, near, gains] = [this.#labels, this.#near, this.#gains];
    const places = Array.from({ length: kept }, (_, place) => place);
    places.sort((a, b) => (labels[near[a] as number] as number) - (labels[near[b] as number] as number));
    let [best, most] = [-1, GAIN_MIN];
    for (const place of places) {
      const gain = gains[place] as number;
      if (best >= 0 ? gain > most + GAIN_MIN : gain > GAIN_MIN) [best, most] = [near[place] as number, gain];
    }
    return best;
  }

  /** For a node that is left alone: a label above all others. A node that was not alone leaves a slot free. */
  #freshSlot(): number {
    const slot = this.#free.pop() as number;
    this.#labels[slot] = this.#nextLabel++;
    return slot;
  }
}

/** Adds the weights from a node to the communities of its neighbours; returns how many communities are listed. */
function weigh(
  { starts, ends }: Adjacency,
  node: number,
  { slots }: { readonly slots: Uint32Array },
  pairs: Float64Array,
  near: Uint32Array,
  listed: number,
): number {
  let count = listed;
  const end = starts[node + 1] as number;
  for (let at = starts[node] as number; at < end; at++) {
    const other = ends[at] as number;
    if (other === node) continue;
    const slot = slots[other] as number;
    const weight = pairs[2 * slot + 1] as number;
    if (weight === 0) near[count++] = slot;
    pairs[2 * slot + 1] = weight + 1;
  }
  return count;
}

function degreesOf(nodes: number, out: Adjacency, incoming: Adjacency): Float64Array {
  const degrees = new Float64Array(nodes);
  for (const { starts, ends } of [out, incoming]) {
    for (let node = 0; node < nodes; node++) {
      const end = starts[node + 1] as number;
      let degree = degrees[node] as number;
      for (let at = starts[node] as number; at < end; at++) if (ends[at] !== node) degree++;
      degrees[node] = degree;
    }
  }
  return degrees;
}

/** Sum over communities of in_c / m - (S_c / 2m)^2; 0 without edges. */
export function modularityOf({ nodes, out: { starts, ends } }: Projection, groupOf: Uint32Array, groups: number) {
  const inside = new Float64Array(groups);
  const sums = new Float64Array(groups);
  let edges = 0;
  for (let node = 0; node < nodes; node++) {
    const group = groupOf[node] as number;
    const end = starts[node + 1] as number;
    for (let at = starts[node] as number; at < end; at++) {
      const target = ends[at] as number;
      if (target === node) continue;
      const other = groupOf[target] as number;
      edges++;
      sums[group] = (sums[group] as number) + 1;
      sums[other] = (sums[other] as number) + 1;
      if (other === group) inside[group] = (inside[group] as number) + 1;
    }
  }
  let modularity = 0;
  for (let group = 0; edges > 0 && group < groups; group++) {
    modularity += (inside[group] as number) / edges - ((sums[group] as number) / (2 * edges)) ** 2;
  }
  return modularity;
}
