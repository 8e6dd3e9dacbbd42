/**
 * PageRank by power iteration, global or personalised (Page, Brin, Motwani and Winograd, 1999): with restart vector r,
 * next = (1 - d) r + d (mass of nodes without out-edges) r + d (sum over edges of rank / out-degree). It stops when the
 * ranks change by less than the tolerance, all together, and is normalised to sum 1.
 */

import { KernelArrays } from '../kernel-arrays.js';
import type { GraphLimits } from '../memory-bound.js';
import type { Adjacency, Projection } from '../projection.js';

export interface PageRankOptions {
  /** Nodes that the walk restarts at; empty = all. Each counts once. */
  readonly seeds: readonly number[];
  /** How much each seed counts, above 0; absent = all the same. Of a seed that comes again the first counts. */
  readonly weights?: readonly number[] | undefined;
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

/** Throws `query_complexity` when what it works on is more than the limits leave. */
export async function pageRank(graph: RankedGraph, options: PageRankOptions, limits: GraphLimits): Promise<PageRank> {
  const arrays = new KernelArrays(limits.memory);
  try {
    return await iterate(arrays, graph, options, limits);
  } finally {
    arrays.release();
  }
}

async function iterate(
  arrays: KernelArrays,
  graph: RankedGraph,
  { seeds, weights, damping, iterationsMax, tolerance }: PageRankOptions,
  { pace }: GraphLimits,
): Promise<PageRank> {
  const { nodes, edges } = graph;
  const [leaving, starts, ends] = [graph.out.starts, graph.in.starts, graph.in.ends].map(
    (all) => arrays.copyOf(all).at,
  ) as [number, number, number];
  const restart = arrays.doubles(nodes);
  fillRestart(restart.values, seeds, weights);
  let ranks = arrays.doubles(nodes);
  ranks.values.set(restart.values);
  let next = arrays.doubles(nodes);
  const shares = arrays.doubles(nodes).at;
  const { shareRanks, pullRanks } = arrays.kernels;
  let iterations = 0;
  while (iterations < iterationsMax && nodes > 0) {
    const restarted = 1 - damping + damping * shareRanks(leaving, ranks.at, nodes, shares);
    let change = 0;
    for (let from = 0; from < nodes; from += NODES_AT_ONCE) {
      const to = Math.min(nodes, from + NODES_AT_ONCE);
      change += pullRanks(starts, ends, shares, restart.at, restarted, damping, from, to, ranks.at, next.at);
      if (pace.spend(edges * (NODES_AT_ONCE / nodes))) await pace.turn();
    }
    [ranks, next] = [next, ranks];
    iterations++;
    if (change < tolerance) break;
  }
  return { ranks: normalised(ranks.values), iterations };
}

function fillRestart(restart: Float64Array, seeds: readonly number[], weights?: readonly number[]): void {
  const byNode = new Map<number, number>();
  for (const [at, node] of seeds.entries()) if (!byNode.has(node)) byNode.set(node, weights?.[at] ?? 1);
  restart.fill(byNode.size === 0 ? 1 / restart.length : 0);
  let sum = 0;
  for (const weight of byNode.values()) sum += weight;
  for (const [node, weight] of byNode) restart[node] = weight / sum;
}

function normalised(ranks: Float64Array): Float64Array {
  let sum = 0;
  for (const rank of ranks) sum += rank;
  return sum > 0 ? Float64Array.from(ranks, (rank) => rank / sum) : Float64Array.from(ranks);
}
