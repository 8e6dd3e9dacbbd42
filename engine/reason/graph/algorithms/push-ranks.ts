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
 *     which is where power iteration ends as well, or when the next round would make the edges more than `EDGES_MAX`. Of what is
 *     left as a residual then, `1 - damping` is its node's as well.
 *
 * So of a hub, whose edges carry little each, they are left out rather than walked one by one.
 */

import type { Projection } from '../projection.js';

export interface PushOptions {
  /** At least one; each counts once. */
  readonly seeds: readonly number[];
  /** How much each seed counts, above 0; of a seed that comes again the first counts. */
  readonly weights: readonly number[];
  /** Probability of going on, from 0 and below 1. */
  readonly damping: number;
  /** What the residuals may be, all together. */
  readonly tolerance: number;
}

/** Edges of one question: some milliseconds. */
const EDGES_MAX = 1 << 17;
const FIRST_THRESHOLD = 1e-3;
const THRESHOLD_STEP = 0.1;
/** Below this, nodes are too many for `EDGES_MAX` or the tolerance is reached. */
const LAST_THRESHOLD = 1e-12;

/** The nodes that were reached, with their ranks, which sum to 1. */
export function pushRanks(graph: Pick<Projection, 'out'>, options: PushOptions): ReadonlyMap<number, number> {
  return new Push(graph.out, options).ranks();
}

class Push {
  /** Of what was reached the nodes, and where each stands among them. */
  readonly #nodes: number[] = [];
  readonly #places = new Map<number, number>();
  readonly #ranks: number[] = [];
  readonly #residuals: number[] = [];
  /** Of the first places, which are those of the seeds. */
  readonly #restart: readonly number[];
  #edges = 0;

  constructor(
    private readonly out: Projection['out'],
    private readonly options: PushOptions,
  ) {
    const { seeds, weights } = options;
    const own: number[] = [];
    for (const [at, node] of seeds.entries()) if (this.#placeOf(node) === own.length) own.push(weights[at] as number);
    const sum = own.reduce((total, weight) => total + weight, 0);
    this.#restart = own.map((weight) => weight / sum);
    for (const [place, part] of this.#restart.entries()) this.#residuals[place] = part;
  }

  ranks(): ReadonlyMap<number, number> {
    this.#walk();
    const { damping } = this.options;
    const ranks = this.#ranks.map((rank, place) => rank + (1 - damping) * (this.#residuals[place] as number));
    const sum = ranks.reduce((total, rank) => total + rank, 0);
    return new Map(this.#nodes.map((node, place) => [node, (ranks[place] as number) / sum]));
  }

  #walk(): void {
    for (let threshold = FIRST_THRESHOLD; threshold > LAST_THRESHOLD; threshold *= THRESHOLD_STEP) {
      for (;;) {
        const { places, edges, left } = this.#taken(threshold);
        if (left < this.options.tolerance) return;
        if (places.length === 0) break;
        this.#edges += edges;
        if (this.#edges > EDGES_MAX) return;
        this.#round(places);
      }
    }
  }

  /** Whose residual gives more than a threshold along each edge; `left`: what all residuals are together. */
  #taken(threshold: number) {
    const places: number[] = [];
    let [edges, left] = [0, 0];
    for (let place = 0; place < this.#residuals.length; place++) {
      const residual = this.#residuals[place] as number;
      left += residual;
      const degree = Math.max(1, this.#degree(this.#nodes[place] as number));
      if (residual <= threshold * degree) continue;
      places.push(place);
      edges += degree;
    }
    return { places, edges, left };
  }

  #round(places: readonly number[]): void {
    const { damping } = this.options;
    const residuals = this.#residuals;
    const taken = places.map((place) => residuals[place] as number);
    let dangling = 0;
    for (const [at, place] of places.entries()) {
      residuals[place] = 0;
      this.#ranks[place] = (this.#ranks[place] as number) + (1 - damping) * (taken[at] as number);
    }
    for (const [at, place] of places.entries()) {
      const node = this.#nodes[place] as number;
      const degree = this.#degree(node);
      const given = damping * (taken[at] as number);
      if (degree === 0) dangling += given;
      else this.#give(node, given / degree);
    }
    if (dangling === 0) return;
    for (const [place, part] of this.#restart.entries()) {
      residuals[place] = (residuals[place] as number) + dangling * part;
    }
  }

  #give(node: number, share: number): void {
    const { starts, ends } = this.out;
    const end = starts[node + 1] as number;
    for (let edge = starts[node] as number; edge < end; edge++) {
      const place = this.#placeOf(ends[edge] as number);
      this.#residuals[place] = (this.#residuals[place] as number) + share;
    }
  }

  #degree(node: number): number {
    return (this.out.starts[node + 1] as number) - (this.out.starts[node] as number);
  }

  #placeOf(node: number): number {
    const known = this.#places.get(node);
    if (known !== undefined) return known;
    const place = this.#nodes.push(node) - 1;
    this.#places.set(node, place);
    this.#ranks.push(0);
    this.#residuals.push(0);
    return place;
  }
}
