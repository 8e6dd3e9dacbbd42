/**
 * PageRank by power iteration, global or personalised (Page, Brin, Motwani and Winograd, 1999): with restart vector r,
 * next = (1 - d) r + d (mass of nodes without out-edges) r + d (sum over edges of rank / out-degree). It stops when the
 * ranks change by less than the tolerance, all together, and is normalised to sum 1.
 */

import type { Pace } from '../pace.js';
import type { Adjacency, Projection } from '../projection.js';

export interface PageRankOptions {
  /** Nodes that the walk restarts at; empty = all. Each counts once. */
  readonly seeds: readonly number[];
  /** Probability of going on, 0 to 1. */
  readonly damping: number;
  readonly iterationsMax: number;
  /** In the sum of absolute changes. */
  readonly tolerance: number;
}

export interface PageRank {
  /** Of each node; they sum to 1. */
  readonly ranks: Float64Array;
  readonly iterations: number;
}

/** What of a projection it reads: how many edges leave each node, and which come to it. */
export interface RankedGraph extends Pick<Projection, 'nodes' | 'edges' | 'in'> {
  readonly out: Pick<Adjacency, 'starts'>;
}

const NODES_AT_ONCE = 65_536;

export async function pageRank(projection: RankedGraph, options: PageRankOptions, pace: Pace): Promise<PageRank> {
  const { nodes, edges } = projection;
  const { damping, iterationsMax, tolerance } = options;
  const restart = restartVector(nodes, options.seeds);
  let ranks = Float64Array.from(restart);
  let next = new Float64Array(nodes);
  const shares = new Float64Array(nodes);
  let iterations = 0;
  while (iterations < iterationsMax && nodes > 0) {
    const dangling = share(projection.out.starts, ranks, shares);
    const restarted = 1 - damping + damping * dangling;
    let change = 0;
    for (let from = 0; from < nodes; from += NODES_AT_ONCE) {
      const range = { from, to: Math.min(nodes, from + NODES_AT_ONCE) };
      change += pull(projection.in, { shares, ranks, next, restart, restarted, damping }, range);
      if (pace.spend(edges * (NODES_AT_ONCE / nodes))) await pace.turn();
    }
    [ranks, next] = [next, ranks];
    iterations++;
    if (change < tolerance) break;
  }
  normalise(ranks);
  return { ranks, iterations };
}

function restartVector(nodes: number, seeds: readonly number[]): Float64Array {
  const distinct = new Set(seeds);
  if (distinct.size === 0) return new Float64Array(nodes).fill(1 / nodes);
  const restart = new Float64Array(nodes);
  for (const node of distinct) restart[node] = 1 / distinct.size;
  return restart;
}

/** What each node gives to each of its targets; returns the mass of those that have none. */
function share(starts: Uint32Array, ranks: Float64Array, shares: Float64Array): number {
  let dangling = 0;
  for (let node = 0; node < ranks.length; node++) {
    const degree = (starts[node + 1] as number) - (starts[node] as number);
    const rank = ranks[node] as number;
    if (degree === 0) dangling += rank;
    shares[node] = degree === 0 ? 0 : rank / degree;
  }
  return dangling;
}

interface Step {
  readonly shares: Float64Array;
  readonly ranks: Float64Array;
  readonly next: Float64Array;
  readonly restart: Float64Array;
  readonly restarted: number;
  readonly damping: number;
}

/** The next ranks of some nodes; returns by how much they changed. */
function pull(
  { starts, ends }: Adjacency,
  { shares, ranks, next, restart, restarted, damping }: Step,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let change = 0;
  let at = starts[from] as number;
  for (let node = from; node < to; node++) {
    const end = starts[node + 1] as number;
    let sum = 0;
    for (; at < end; at++) sum += shares[ends[at] as number] as number;
    const rank = restarted * (restart[node] as number) + damping * sum;
    change += Math.abs(rank - (ranks[node] as number));
    next[node] = rank;
  }
  return change;
}

function normalise(ranks: Float64Array): void {
  let sum = 0;
  for (const rank of ranks) sum += rank;
  if (sum > 0) for (let node = 0; node < ranks.length; node++) ranks[node] = (ranks[node] as number) / sum;
}
