/**
 * Personalised PageRank around its seeds, by forward push (Andersen, Chung and Lang, "Local graph partitioning using PageRank
 * vectors", 2006), for who wants the ranks that matter and not those of all nodes. The walk is that of `page-rank.ts`; what it
 * costs follows from what is near the seeds, and not from the size of the graph.
 *
 *  1. Each node has a rank and a residual: what has come to it and not gone on. At first the seeds have all of it as residuals.
 *  2. A round takes the nodes whose residual gives more than a threshold along each of their edges, keeps `1 - damping` of it as
 *     their rank, and gives the rest to their targets, or back to the seeds where there are none. All nodes of a round are taken
 *     before any gets something, so that nodes which stand alike in the graph rank alike.
 *  3. When no node is left to take, the threshold falls by ten. It ends when the residuals together are less than the tolerance,
 *     which is where power iteration ends as well, or when the next round would make the edges more than there may be. Of what is
 *     left as a residual then, `1 - damping` is its node's as well.
 *
 * Ended by its edges, it has left out what hubs carry, whose edges are many and carry little each: its ranks are no answer then.
 */

import { getOrInsert } from '../../../base/maps.js';
import type { Adjacency, Projection } from '../projection.js';

export interface PushOptions {
  /** At least one; each counts once. */
  readonly seeds: readonly number[];
  /** How much each seed counts, above 0; of a seed that comes again the first counts. */
  readonly weights: readonly number[];
  /** Probability of going on, from 0 and below 1. */
  readonly damping: number;
  /** What the residuals may be, all together. */
  readonly tolerance: number;
  /** Edges that it goes along at most: a million cost some 100 ms. */
  readonly edgesMax: number;
}

const FIRST_THRESHOLD = 1e-3;
const THRESHOLD_STEP = 0.1;
/** Below this, what edges carry is lost in rounding. */
const LAST_THRESHOLD = 1e-12;

/** The nodes that have a rank, ascending, with their ranks, which sum to 1. */
export interface NodeRanks {
  readonly nodes: Uint32Array;
  readonly ranks: Float64Array;
}

export function rankOf({ nodes, ranks }: NodeRanks, node: number): number {
  let [low, high] = [0, nodes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((nodes[middle] as number) < node) low = middle + 1;
    else high = middle;
  }
  return nodes[low] === node ? (ranks[low] as number) : 0;
}

/** Null where the tolerance takes more edges than there may be. */
export function pushRanks(graph: Pick<Projection, 'nodes' | 'out'>, options: PushOptions): NodeRanks | null {
  const scratch = getOrInsert(scratches, graph.out, () => new Scratch(graph.nodes));
  const push = new Push(graph.out, scratch, options);
  try {
    return push.walk() ? push.ranks() : null;
  } finally {
    scratch.clear();
  }
}

/** What a walk knows of each node, kept with the graph so that a walk costs nothing for those that it does not reach. */
class Scratch {
  readonly ranks: Float64Array;
  readonly residuals: Float64Array;
  readonly isReached: Uint8Array;
  readonly reached: number[] = [];

  constructor(nodes: number) {
    this.ranks = new Float64Array(nodes);
    this.residuals = new Float64Array(nodes);
    this.isReached = new Uint8Array(nodes);
  }

  add(node: number, residual: number): void {
    if (this.isReached[node] === 0) {
      this.isReached[node] = 1;
      this.reached.push(node);
    }
    this.residuals[node] = (this.residuals[node] as number) + residual;
  }

  clear(): void {
    for (const node of this.reached) {
      this.ranks[node] = 0;
      this.residuals[node] = 0;
      this.isReached[node] = 0;
    }
    this.reached.length = 0;
  }
}

/** No walk waits for anything, so that one at a time is under way. */
const scratches = new WeakMap<Adjacency, Scratch>();

class Push {
  readonly #restart = new Map<number, number>();
  #edges = 0;
  #threshold = 0;

  constructor(
    private readonly out: Adjacency,
    private readonly scratch: Scratch,
    private readonly options: PushOptions,
  ) {
    const { seeds, weights } = options;
    for (const [at, node] of seeds.entries()) {
      if (!this.#restart.has(node)) this.#restart.set(node, weights[at] as number);
    }
    let sum = 0;
    for (const weight of this.#restart.values()) sum += weight;
    for (const [node, weight] of this.#restart) {
      this.#restart.set(node, weight / sum);
      scratch.add(node, weight / sum);
    }
  }

  /** False where it did not get to the tolerance. */
  walk(): boolean {
    const { damping, tolerance, edgesMax } = this.options;
    let left = 1;
    for (this.#threshold = FIRST_THRESHOLD; this.#threshold > LAST_THRESHOLD; this.#threshold *= THRESHOLD_STEP) {
      let nodes = this.scratch.reached.filter((node) => this.#isDue(node));
      while (nodes.length > 0) {
        for (const node of nodes) this.#edges += Math.max(1, this.#degree(node));
        if (this.#edges > edgesMax) return false;
        const { taken, due } = this.#round(nodes);
        left -= (1 - damping) * taken;
        if (left < tolerance) return true;
        nodes = due;
      }
    }
    return false;
  }

  ranks(): NodeRanks {
    const { ranks, residuals, reached } = this.scratch;
    const kept = 1 - this.options.damping;
    const nodes = Uint32Array.from(reached).sort();
    const own = new Float64Array(nodes.length);
    let sum = 0;
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at] as number;
      own[at] = (ranks[node] as number) + kept * (residuals[node] as number);
      sum += own[at] as number;
    }
    for (let at = 0; at < own.length; at++) own[at] = (own[at] as number) / sum;
    return { nodes, ranks: own };
  }

  /** Its residual gives more than the threshold along each of its edges. */
  #isDue(node: number): boolean {
    const residual = this.scratch.residuals[node] as number;
    return residual > this.#threshold && residual > this.#threshold * this.#degree(node);
  }

  /** `taken`: the residuals of the nodes; `due`: the nodes of the next round. */
  #round(nodes: readonly number[]): { readonly taken: number; readonly due: number[] } {
    const { damping } = this.options;
    const { ranks, residuals } = this.scratch;
    const given = nodes.map((node) => damping * (residuals[node] as number));
    let [taken, dangling] = [0, 0];
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at] as number;
      const residual = residuals[node] as number;
      taken += residual;
      residuals[node] = 0;
      ranks[node] = (ranks[node] as number) + (1 - damping) * residual;
    }
    const due: number[] = [];
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at] as number;
      const degree = this.#degree(node);
      if (degree === 0) dangling += given[at] as number;
      else this.#give(node, (given[at] as number) / degree, due);
    }
    if (dangling > 0) for (const [node, part] of this.#restart) this.#add(node, dangling * part, due);
    return { taken, due };
  }

  #give(node: number, share: number, due: number[]): void {
    const { starts, ends } = this.out;
    const end = starts[node + 1] as number;
    for (let edge = starts[node] as number; edge < end; edge++) this.#add(ends[edge] as number, share, due);
  }

  /** A node is due from what lifts it over the threshold, so that it comes into a list once. */
  #add(node: number, residual: number, due: number[]): void {
    const wasDue = this.#isDue(node);
    this.scratch.add(node, residual);
    if (!wasDue && this.#isDue(node)) due.push(node);
  }

  #degree(node: number): number {
    return (this.out.starts[node + 1] as number) - (this.out.starts[node] as number);
  }
}
