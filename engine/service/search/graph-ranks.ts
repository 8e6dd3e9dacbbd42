/** PageRank over ROOT that restarts at some entities, for those who rank what a search found. */

import { getOrInsert } from '../../base/maps.js';
import { type PageRankOptions, pageRank } from '../../reason/graph/algorithms/page-rank.js';
import { type NodeRanks, pushRanks, rankOf } from '../../reason/graph/algorithms/push-ranks.js';
import { buildProjection } from '../../reason/graph/build.js';
import type { GraphLimits } from '../../reason/graph/memory-bound.js';
import type { Projection } from '../../reason/graph/projection.js';
import type { Projections } from '../../reason/graph/projections.js';
import { DAMPING, ITERATIONS_MAX, TOLERANCE } from '../../reason/graph/request.js';
import type { GraphRank, GraphRanks } from '../../search/context/context.js';
import type { TermId } from '../../storage/ids/layout.js';
import { idIn, ROOT_ONLY } from '../../storage/seam/rows.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';

export interface Seed {
  readonly entity: TermId;
  /** Above 0. */
  readonly weight: number;
}

/** That a walk around seeds goes along, some 30 ms, before all nodes are ranked instead: hubs take it everywhere. */
const PUSHED_EDGES_MAX = 1 << 18;

/** The projection of ROOT at a time; that of the present is kept. */
export function rootProjection(
  snapshot: StorageSnapshot,
  projections: Projections,
  time: TimeSlice,
  limits: GraphLimits,
): Promise<Projection> {
  if (time.kind === 'current') return projections.of(snapshot, {}, limits);
  return buildProjection(snapshot, { kind: 'timed', graphs: ROOT_ONLY, time }, {}, limits);
}

/**
 * As `/project` ranks, to its tolerance: by a walk around the seeds where that gets there, and else over all nodes. Seeds that
 * have no edge are left out; without any, all entities are seeds, and their ranks are kept with the projection.
 */
export async function ranksFrom(
  projection: Projection,
  seeds: readonly Seed[],
  limits: GraphLimits,
  damping = DAMPING,
): Promise<GraphRanks> {
  const known = seeds.flatMap(({ entity, weight }) => {
    const node = projection.names.nodeOfId(entity);
    return node === null || weight <= 0 ? [] : [{ node, weight }];
  });
  if (known.length === 0) return new ProjectionRanks(projection, await ranksOfAll(projection, damping, limits));
  const walk = {
    seeds: known.map(({ node }) => node),
    weights: known.map(({ weight }) => weight),
    damping,
    tolerance: TOLERANCE,
  };
  const pushed = pushRanks(projection, { ...walk, edgesMax: PUSHED_EDGES_MAX });
  return new ProjectionRanks(projection, pushed ?? (await ranksOfNodes(projection, walk, limits)));
}

const ranksOfProjections = new WeakMap<Projection, Map<number, NodeRanks>>();

/** By damping. */
async function ranksOfAll(projection: Projection, damping: number, limits: GraphLimits): Promise<NodeRanks> {
  const kept = getOrInsert(ranksOfProjections, projection, () => new Map<number, NodeRanks>());
  const known = kept.get(damping);
  if (known !== undefined) return known;
  const all = await ranksOfNodes(projection, { seeds: [], damping, tolerance: TOLERANCE }, limits);
  kept.set(damping, all);
  return all;
}

async function ranksOfNodes(
  projection: Projection,
  walk: Omit<PageRankOptions, 'iterationsMax'>,
  limits: GraphLimits,
): Promise<NodeRanks> {
  const { ranks } = await pageRank(projection, { ...walk, iterationsMax: ITERATIONS_MAX }, limits);
  return { nodes: Uint32Array.from(ranks.keys()), ranks };
}

class ProjectionRanks implements GraphRanks {
  constructor(
    private readonly projection: Projection,
    private readonly ranks: NodeRanks,
  ) {}

  of(entity: TermId): GraphRank | null {
    const node = this.projection.names.nodeOfId(entity);
    if (node === null) return null;
    const { out, in: incoming } = this.projection;
    const degree = ({ starts }: { readonly starts: Uint32Array }): number =>
      (starts[node + 1] as number) - (starts[node] as number);
    return { rank: rankOf(this.ranks, node), edges: degree(out) + degree(incoming) };
  }

  /** Of equal ranks the first nodes, which are in the order of their IRIs. */
  best(limit: number): readonly TermId[] {
    const { nodes, ranks } = this.ranks;
    const places: number[] = [];
    const rankAt = (place: number | undefined): number => (place === undefined ? 0 : (ranks[place] as number));
    for (let at = 0; at < nodes.length; at++) {
      const rank = rankAt(at);
      if (rank === 0 || (places.length === limit && rank <= rankAt(places.at(-1)))) continue;
      let place = places.length;
      while (place > 0 && rankAt(places[place - 1]) < rank) place--;
      places.splice(place, 0, at);
      if (places.length > limit) places.pop();
    }
    const ids = this.projection.names.idsOf(places.map((place) => nodes[place] as number));
    return places.map((_, at) => idIn(ids, at));
  }
}
