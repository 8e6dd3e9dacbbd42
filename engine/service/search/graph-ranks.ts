/** PageRank over ROOT that restarts at some entities, for those who rank what a search found. */

import { getOrInsert } from '../../base/maps.js';
import { pageRank } from '../../reason/graph/algorithms/page-rank.js';
import { pushRanks } from '../../reason/graph/algorithms/push-ranks.js';
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
 * Around the seeds as far as ranks matter. Seeds that have no edge are left out; without any, all entities are seeds, and their
 * ranks are kept with the projection.
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
  const ranks = pushRanks(projection, walk);
  const nodes = [...ranks.keys()];
  const reached = { count: nodes.length, nodeAt: (at: number) => nodes[at] as number };
  return new ProjectionRanks(projection, { ...reached, rankOf: (node) => ranks.get(node) ?? 0 });
}

interface NodeRanks {
  /** Of nodes that may have a rank. */
  readonly count: number;
  nodeAt(at: number): number;
  rankOf(node: number): number;
}

const ranksOfProjections = new WeakMap<Projection, Map<number, NodeRanks>>();

/** By damping. */
async function ranksOfAll(projection: Projection, damping: number, limits: GraphLimits): Promise<NodeRanks> {
  const kept = getOrInsert(ranksOfProjections, projection, () => new Map<number, NodeRanks>());
  const known = kept.get(damping);
  if (known !== undefined) return known;
  const walk = { seeds: [], damping, iterationsMax: ITERATIONS_MAX, tolerance: TOLERANCE };
  const { ranks } = await pageRank(projection, walk, limits);
  const all = { count: ranks.length, nodeAt: (at: number) => at, rankOf: (node: number) => ranks[node] as number };
  kept.set(damping, all);
  return all;
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
    return { rank: this.ranks.rankOf(node), edges: degree(out) + degree(incoming) };
  }

  /** Of equal ranks the first nodes, which are in the order of their IRIs. */
  best(limit: number): readonly TermId[] {
    const { count, nodeAt, rankOf } = this.ranks;
    const nodes: number[] = [];
    const isBefore = (one: number, other: number): boolean => {
      const [a, b] = [rankOf(one), rankOf(other)];
      return a > b || (a === b && one < other);
    };
    for (let at = 0; at < count; at++) {
      const node = nodeAt(at);
      if (rankOf(node) === 0 || (nodes.length === limit && !isBefore(node, nodes[limit - 1] as number))) continue;
      let place = nodes.length;
      while (place > 0 && isBefore(node, nodes[place - 1] as number)) place--;
      nodes.splice(place, 0, node);
      if (nodes.length > limit) nodes.pop();
    }
    const ids = this.projection.names.idsOf(nodes);
    return Array.from(nodes, (_, at) => idIn(ids, at));
  }
}
