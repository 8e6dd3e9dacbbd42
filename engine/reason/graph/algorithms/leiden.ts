/**
 * Communities by Leiden (Traag, Waltman and van Eck, 2019), for modularity, without chance, so that the same graph gives the
 * same communities:
 *
 * 1. Nodes move to the community where they gain most, those whose neighbours moved again, until none does.
 * 2. Each community is refined: its nodes begin alone and join what they are well connected to within it.
 * 3. What was refined becomes a node of a smaller graph, where the communities go on; until each is one node.
 *
 * Each edge adds 1 to the weight of its pair, both ways; loops don't count. Every community is connected.
 */

import type { Pace } from '../pace.js';
import type { Projection } from '../projection.js';
import { type Communities, modularityOf } from './louvain.js';
import { partitionOf } from './partition.js';

const GAIN_MIN = 1e-12;

/** Each edge stands at both of its ends, perhaps in several entries. */
interface WeightedGraph {
  readonly nodes: number;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly weights: Float64Array;
  /** Of each node the weight of its edges; of a node that stands for several, what is inside counts twice. */
  readonly degrees: Float64Array;
}

export async function leiden(projection: Projection, pace: Pace): Promise<Communities> {
  const whole = undirected(projection);
  const total = whole.degrees.reduce((all, degree) => all + degree, 0);
  let graph = whole;
  /** Of each node of the projection the node that stands for it. */
  const standIns = Uint32Array.from({ length: whole.nodes }, (_, node) => node);
  let labels = standIns.slice();
  let passes = 0;
  while (total > 0) {
    passes++;
    await moveNodes(graph, labels, total, pace);
    if (countOf(labels) === graph.nodes) break;
    const refined = partitionOf(await refine(graph, labels, total, pace)).groupOf;
    const smaller = await aggregate(graph, refined, pace);
    if (smaller.nodes === graph.nodes) break;
    const nextLabels = new Uint32Array(smaller.nodes);
    const least = new Map<number, number>();
    for (let node = 0; node < graph.nodes; node++) {
      const [label, group] = [labels[node] as number, refined[node] as number];
      if (!least.has(label)) least.set(label, group);
      nextLabels[group] = least.get(label) as number;
    }
    for (let node = 0; node < whole.nodes; node++) standIns[node] = refined[standIns[node] as number] as number;
    [graph, labels] = [smaller, nextLabels];
  }
  const groups = standIns.map((node) => labels[node] as number);
  const partition = partitionOf(connectedParts(whole, groups));
  return { ...partition, passes, modularity: modularityOf(projection, partition.groupOf, partition.sizes.length) };
}

function undirected({ nodes, edges, out, in: incoming }: Projection): WeightedGraph {
  const starts = new Uint32Array(nodes + 1);
  const ends = new Uint32Array(2 * edges);
  let count = 0;
  for (let node = 0; node < nodes; node++) {
    for (const { starts: from, ends: others } of [out, incoming]) {
      const end = from[node + 1] as number;
      for (let at = from[node] as number; at < end; at++) if (others[at] !== node) ends[count++] = others[at] as number;
    }
    starts[node + 1] = count;
  }
  const degrees = Float64Array.from(
    { length: nodes },
    (_, node) => (starts[node + 1] as number) - (starts[node] as number),
  );
  return { nodes, starts, ends: ends.subarray(0, count), weights: new Float64Array(count).fill(1), degrees };
}

function countOf(labels: Uint32Array): number {
  return new Set(labels).size;
}

/** Moves nodes until none gains by it; labels are numbers below that of the nodes. */
async function moveNodes(graph: WeightedGraph, labels: Uint32Array, total: number, pace: Pace): Promise<void> {
  const { nodes, starts, ends, degrees } = graph;
  const sums = sumsOf(degrees, labels);
  const sizes = new Uint32Array(nodes);
  for (const label of labels) sizes[label] = (sizes[label] as number) + 1;
  const free: number[] = [];
  for (let label = 0; label < nodes; label++) if (sizes[label] === 0) free.push(label);
  const near = new Nearby(nodes);
  const queue = Uint32Array.from({ length: nodes }, (_, node) => node);
  const isQueued = new Uint8Array(nodes).fill(1);
  // A ring: a node is in it once.
  for (let first = 0, waiting = nodes; waiting > 0; waiting--) {
    const node = queue[first] as number;
    first = (first + 1) % nodes;
    isQueued[node] = 0;
    const [degree, old] = [degrees[node] as number, labels[node] as number];
    near.weigh(graph, node, labels, null);
    sums[old] = (sums[old] as number) - degree;
    const gainOf = (label: number): number => near.weightTo(label) - (degree * (sums[label] as number)) / total;
    // To stay is worth what it is worth; to be alone nothing.
    let [best, most] = [old, gainOf(old)];
    for (const label of near.labels()) {
      const gain = gainOf(label);
      if (gain > most + GAIN_MIN) [best, most] = [label, gain];
    }
    if (most < -GAIN_MIN && (sizes[old] as number) > 1) best = free.pop() as number;
    near.clear();
    sums[best] = (sums[best] as number) + degree;
    const end = starts[node + 1] as number;
    if (pace.spend(2 * (end - (starts[node] as number)))) await pace.turn();
    if (best === old) continue;
    labels[node] = best;
    sizes[best] = (sizes[best] as number) + 1;
    sizes[old] = (sizes[old] as number) - 1;
    if (sizes[old] === 0) free.push(old);
    for (let at = starts[node] as number; at < end; at++) {
      const other = ends[at] as number;
      if (isQueued[other] === 1 || labels[other] === best) continue;
      isQueued[other] = 1;
      queue[(first + waiting - 1) % nodes] = other;
      waiting++;
    }
  }
}

/** Parts of communities: each node joins the part of its community where it gains most, if both are well connected. */
async function refine(graph: WeightedGraph, labels: Uint32Array, total: number, pace: Pace): Promise<Uint32Array> {
  const { nodes, starts, ends, weights, degrees } = graph;
  const parts = Uint32Array.from({ length: nodes }, (_, node) => node);
  const whole = sumsOf(degrees, labels);
  const sums = degrees.slice();
  const isAlone = new Uint8Array(nodes).fill(1);
  /** Of each part the weight to the rest of its community. */
  const outward = new Float64Array(nodes);
  for (let node = 0; node < nodes; node++) {
    const end = starts[node + 1] as number;
    for (let at = starts[node] as number; at < end; at++) {
      if (labels[ends[at] as number] === labels[node])
        outward[node] = (outward[node] as number) + (weights[at] as number);
    }
  }
  const isWellConnected = (part: number, label: number): boolean => {
    const sum = sums[part] as number;
    return (outward[part] as number) >= (sum * ((whole[label] as number) - sum)) / total - GAIN_MIN;
  };
  const near = new Nearby(nodes);
  for (let node = 0; node < nodes; node++) {
    const label = labels[node] as number;
    if (pace.spend(2 * ((starts[node + 1] as number) - (starts[node] as number)))) await pace.turn();
    if (isAlone[node] === 0 || !isWellConnected(node, label)) continue;
    near.weigh(graph, node, parts, labels);
    const degree = degrees[node] as number;
    let [best, most, toward] = [node, GAIN_MIN, 0];
    for (const part of near.labels()) {
      if (part === node || !isWellConnected(part, label)) continue;
      const gain = near.weightTo(part) - (degree * (sums[part] as number)) / total;
      if (gain > most) [best, most, toward] = [part, gain, near.weightTo(part)];
    }
    near.clear();
    if (best === node) continue;
    parts[node] = best;
    isAlone[best] = 0;
    isAlone[node] = 0;
    sums[best] = (sums[best] as number) + degree;
    outward[best] = (outward[best] as number) + (outward[node] as number) - 2 * toward;
  }
  return parts;
}

/** The groups as nodes; what is inside of one counts for its degree alone. */
async function aggregate(graph: WeightedGraph, groupOf: Uint32Array, pace: Pace): Promise<WeightedGraph> {
  const nodes = groupOf.reduce((most, group) => Math.max(most, group), -1) + 1;
  const degrees = new Float64Array(nodes);
  const members: number[][] = Array.from({ length: nodes }, () => []);
  for (let node = 0; node < graph.nodes; node++) {
    const group = groupOf[node] as number;
    degrees[group] = (degrees[group] as number) + (graph.degrees[node] as number);
    members[group]?.push(node);
  }
  const starts = new Uint32Array(nodes + 1);
  const ends = new Uint32Array(graph.ends.length);
  const weights = new Float64Array(graph.ends.length);
  const near = new Nearby(nodes);
  let count = 0;
  for (let group = 0; group < nodes; group++) {
    for (const node of members[group] as number[]) {
      near.weigh(graph, node, groupOf, null);
      if (pace.spend(2 * ((graph.starts[node + 1] as number) - (graph.starts[node] as number)))) await pace.turn();
    }
    for (const other of near.labels()) {
      if (other === group) continue;
      ends[count] = other;
      weights[count++] = near.weightTo(other);
    }
    near.clear();
    starts[group + 1] = count;
  }
  return { nodes, starts, ends: ends.slice(0, count), weights: weights.slice(0, count), degrees };
}

/** The weights from a node, or from several, to labels of neighbours. */
class Nearby {
  readonly #weights: Float64Array;
  readonly #labels: number[] = [];

  constructor(labels: number) {
    this.#weights = new Float64Array(labels);
  }

  /** `within`: only neighbours that have the same label there. */
  weigh({ starts, ends, weights }: WeightedGraph, node: number, labels: Uint32Array, within: Uint32Array | null): void {
    const end = starts[node + 1] as number;
    for (let at = starts[node] as number; at < end; at++) {
      const other = ends[at] as number;
      if (within !== null && within[other] !== within[node]) continue;
      const label = labels[other] as number;
      const weight = this.#weights[label] as number;
      if (weight === 0) this.#labels.push(label);
      this.#weights[label] = weight + (weights[at] as number);
    }
  }

  weightTo(label: number): number {
    return this.#weights[label] as number;
  }

  labels(): readonly number[] {
    return this.#labels;
  }

  clear(): void {
    for (const label of this.#labels) this.#weights[label] = 0;
    this.#labels.length = 0;
  }
}

function sumsOf(values: Float64Array, labels: Uint32Array): Float64Array {
  const sums = new Float64Array(labels.length);
  for (let at = 0; at < labels.length; at++) {
    const label = labels[at] as number;
    sums[label] = (sums[label] as number) + (values[at] as number);
  }
  return sums;
}

/** Groups as their connected parts, under the least node of each. */
function connectedParts({ nodes, starts, ends }: WeightedGraph, groups: Uint32Array): Uint32Array {
  const parts = new Uint32Array(nodes);
  const isSeen = new Uint8Array(nodes);
  for (let first = 0; first < nodes; first++) {
    if (isSeen[first] === 1) continue;
    isSeen[first] = 1;
    const stack = [first];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      parts[node] = first;
      const end = starts[node + 1] as number;
      for (let at = starts[node] as number; at < end; at++) {
        const other = ends[at] as number;
        if (isSeen[other] === 1 || groups[other] !== groups[first]) continue;
        isSeen[other] = 1;
        stack.push(other);
      }
    }
  }
  return parts;
}
