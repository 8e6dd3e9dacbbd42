/**
 * Betweenness: how many shortest directed paths between other nodes a node is on, each counted by its share of the paths of
 * its pair (Brandes, 2001). Parallel edges are one; loops don't count. From a sample of the sources, chosen by a seed, the
 * sums are scaled to all of them (Brandes and Pich, 2007).
 */

import type { Pace } from '../pace.js';
import type { Adjacency, Projection } from '../projection.js';

const UNREACHED = 0xffffffff;

export interface BetweennessOptions {
  /** Sources that are sampled; absent, or as many as there are nodes: all, which is exact. */
  readonly samples?: number | undefined;
  /** The same seed chooses the same sources. */
  readonly randomSeed: number;
}

export async function betweenness(
  projection: Projection,
  { samples, randomSeed }: BetweennessOptions,
  pace: Pace,
): Promise<Float64Array> {
  const { nodes } = projection;
  const sums = new Float64Array(nodes);
  const sources = samples === undefined || samples >= nodes ? null : sampled(nodes, samples, randomSeed);
  const search = new Search(nodes, projection.out);
  const count = sources?.length ?? nodes;
  for (let at = 0; at < count; at++) {
    const seen = search.add(sources === null ? at : (sources[at] as number), sums);
    if (pace.spend(seen)) await pace.turn();
  }
  if (sources !== null) for (let node = 0; node < nodes; node++) sums[node] = ((sums[node] as number) * nodes) / count;
  return sums;
}

/** One breadth-first search and its way back; what it holds is used again for the next source. */
class Search {
  readonly #distances: Uint32Array;
  readonly #queue: Uint32Array;
  readonly #paths: Float64Array;
  readonly #shares: Float64Array;

  constructor(
    nodes: number,
    private readonly out: Adjacency,
  ) {
    this.#distances = new Uint32Array(nodes).fill(UNREACHED);
    this.#queue = new Uint32Array(nodes);
    this.#paths = new Float64Array(nodes);
    this.#shares = new Float64Array(nodes);
  }

  /** Adds what the paths from a source give to each node; returns how many edges were looked at. */
  add(source: number, sums: Float64Array): number {
    const reached = this.#forth(source);
    const seen = this.#back(source, reached, sums);
    for (let at = 0; at < reached; at++) this.#distances[this.#queue[at] as number] = UNREACHED;
    return seen + reached;
  }

  #forth(source: number): number {
    const { starts, ends } = this.out;
    const [distances, queue, paths, shares] = [this.#distances, this.#queue, this.#paths, this.#shares];
    queue[0] = source;
    distances[source] = 0;
    paths[source] = 1;
    shares[source] = 0;
    let reached = 1;
    for (let first = 0; first < reached; first++) {
      const node = queue[first] as number;
      const distance = (distances[node] as number) + 1;
      const end = starts[node + 1] as number;
      let last = -1;
      for (let at = starts[node] as number; at < end; at++) {
        const target = ends[at] as number;
        if (target === last) continue;
        last = target;
        if (distances[target] === UNREACHED) {
          distances[target] = distance;
          queue[reached++] = target;
          paths[target] = paths[node] as number;
          shares[target] = 0;
        } else if (distances[target] === distance) {
          paths[target] = (paths[target] as number) + (paths[node] as number);
        }
      }
    }
    return reached;
  }

  #back(source: number, reached: number, sums: Float64Array): number {
    const { starts, ends } = this.out;
    const [distances, queue, paths, shares] = [this.#distances, this.#queue, this.#paths, this.#shares];
    let seen = 0;
    for (let place = reached - 1; place >= 0; place--) {
      const node = queue[place] as number;
      const distance = (distances[node] as number) + 1;
      const [from, end] = [starts[node] as number, starts[node + 1] as number];
      let [share, last] = [0, -1];
      for (let at = from; at < end; at++) {
        const target = ends[at] as number;
        if (target === last) continue;
        last = target;
        if (distances[target] !== distance) continue;
        share += ((paths[node] as number) / (paths[target] as number)) * (1 + (shares[target] as number));
      }
      shares[node] = share;
      if (node !== source) sums[node] = (sums[node] as number) + share;
      seen += end - from;
    }
    return seen;
  }
}

/** Distinct nodes, by a shuffle that stops when it has them. */
function sampled(nodes: number, samples: number, seed: number): Uint32Array {
  const next = randomNumbers(seed);
  const all = new Uint32Array(nodes);
  for (let node = 0; node < nodes; node++) all[node] = node;
  for (let at = 0; at < samples; at++) {
    const other = at + next(nodes - at);
    [all[at], all[other]] = [all[other] as number, all[at] as number];
  }
  return all.slice(0, samples).sort();
}

/** Mulberry32: numbers below a bound, the same for the same seed. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
