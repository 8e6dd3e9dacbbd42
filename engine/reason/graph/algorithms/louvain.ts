/**
 * Communities by the local moving of Louvain, one level (Blondel, Guillaume, Lambiotte and Lefebvre, 2008), as the semantics
 * of reasoning, 10.2, has it: nodes are visited in their order, and of the neighbouring communities, in the order of their
 * labels, the first is chosen whose gain no later one exceeds by 1e-12. Each edge adds 1 to the weight of its pair, both ways;
 * loops don't count.
 *
 * A community is kept under a slot, which another one takes when it has emptied; so there are no more slots than nodes,
 * though labels only grow.
 */

import { type KernelArray, KernelArrays } from '../kernel-arrays.js';
import type { GraphLimits } from '../memory-bound.js';
import type { Adjacency, Projection } from '../projection.js';
import { type Partition, partitionOf } from './partition.js';

const PASSES_MAX = 100;
const NODES_AT_ONCE = 4096;
/** Where the state of a moving has them: a place among its words, and an offset in bytes. */
const FREE_COUNT = 8;
const NEXT_LABEL = 40;
/** Communities are moved together when they need no more than this share of the slots that they are spread over. */
const CLOSE_UP_BELOW = 0.75;

export interface Communities extends Partition {
  readonly modularity: number;
  readonly passes: number;
}

/** Throws `query_complexity` when what it works on is more than the limits leave. */
export async function louvain(projection: Projection, { pace, memory }: GraphLimits): Promise<Communities> {
  const { nodes, edges } = projection;
  const arrays = new KernelArrays(memory);
  try {
    const moving = new LocalMoving(projection, arrays);
    let passes = 0;
    while (moving.weight > 0 && passes < PASSES_MAX) {
      let moves = 0;
      for (let from = 0; from < nodes; from += NODES_AT_ONCE) {
        moves += moving.visit(from, Math.min(nodes, from + NODES_AT_ONCE));
        if (pace.spend((8 * edges * NODES_AT_ONCE) / nodes)) await pace.turn();
      }
      passes++;
      if (moves === 0) break;
      moving.closeUp();
    }
    const partition = moving.partition();
    return { ...partition, passes, modularity: modularityOf(projection, partition.groupOf, partition.sizes.length) };
  } finally {
    arrays.release();
  }
}

/** The state of a moving as the kernel has it: see `kernels/as/move-nodes.ts`. */
class LocalMoving {
  /** Twice the edges that are no loops. */
  readonly weight: number;
  readonly #arrays: KernelArrays;
  readonly #moving: KernelArray<Uint32Array>;
  readonly #slots: Uint32Array;
  readonly #pairs: Uint32Array;
  readonly #labels: Float64Array;
  readonly #free: Uint32Array;
  /** Communities stand in slots below this. */
  #spread: number;

  constructor(projection: Projection, arrays: KernelArrays) {
    const { nodes } = projection;
    const starts = arrays.words(nodes + 1);
    const ends = arrays.words(2 * projection.edges);
    this.weight = bothWays(projection, starts.values, ends.values);
    const slots = arrays.words(nodes);
    const pairs = arrays.words(2 * nodes);
    const labels = arrays.doubles(nodes);
    const free = arrays.words(nodes);
    for (let node = 0; node < nodes; node++) {
      slots.values[node] = node;
      labels.values[node] = node;
      pairs.values[2 * node] = (starts.values[node + 1] as number) - (starts.values[node] as number);
      pairs.values[2 * node + 1] = 0;
    }
    const [near, gains] = [arrays.words(nodes + 1), arrays.doubles(nodes + 1)];
    this.#moving = arrays.words(14);
    this.#moving.values.set([starts, ends, slots, pairs, labels, near, gains, free].map(({ at }) => at));
    this.#moving.values[FREE_COUNT] = 0;
    new Float64Array(this.#moving.values.buffer, this.#moving.at + NEXT_LABEL, 2).set([nodes, this.weight]);
    this.#arrays = arrays;
    [this.#slots, this.#pairs, this.#labels, this.#free] = [slots.values, pairs.values, labels.values, free.values];
    this.#spread = nodes;
  }

  /** Moves some nodes to where they gain most; returns how many moved. */
  visit(from: number, to: number): number {
    return this.#arrays.kernels.moveNodes(this.#moving.at, from, to);
  }

  partition(): Partition {
    return partitionOf(this.#slots);
  }

  /** Puts the communities that are left into the first slots: what stands close together stays in the caches. */
  closeUp(): void {
    const slots = this.#slots;
    const nodes = slots.length;
    const communities = nodes - (this.#moving.values[FREE_COUNT] as number);
    if (communities > CLOSE_UP_BELOW * this.#spread) return;
    const { groupOf } = this.partition();
    const [pairs, labels] = [this.#pairs.slice(), this.#labels.slice()];
    for (let node = 0; node < nodes; node++) {
      const [slot, group] = [slots[node] as number, groupOf[node] as number];
      this.#pairs[2 * group] = pairs[2 * slot] as number;
      this.#labels[group] = labels[slot] as number;
      slots[node] = group;
    }
    this.#pairs.fill(0, 2 * communities);
    for (let at = 0; at < nodes - communities; at++) this.#free[at] = nodes - 1 - at;
    this.#spread = communities;
  }
}

/** The neighbours of each node whichever way the edges go, without loops; returns how many there are. */
function bothWays({ nodes, out, in: incoming }: Projection, starts: Uint32Array, ends: Uint32Array): number {
  let count = 0;
  for (let node = 0; node < nodes; node++) {
    starts[node] = count;
    count = appendNeighbours(incoming, node, ends, appendNeighbours(out, node, ends, count));
  }
  starts[nodes] = count;
  return count;
}

function appendNeighbours({ starts, ends }: Adjacency, node: number, all: Uint32Array, from: number): number {
  let count = from;
  const end = starts[node + 1] as number;
  for (let at = starts[node] as number; at < end; at++) {
    const other = ends[at] as number;
    if (other !== node) all[count++] = other;
  }
  return count;
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
