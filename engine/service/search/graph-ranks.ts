/** PageRank over ROOT that restarts at some entities, for those who rank what a search found. */

import { pageRank } from '../../reason/graph/algorithms/page-rank.js';
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

/** Seeds that have no edge are left out; without any, all entities are seeds. */
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
  const walk = {
    seeds: known.map(({ node }) => node),
    weights: known.map(({ weight }) => weight),
    damping,
    iterationsMax: ITERATIONS_MAX,
    tolerance: TOLERANCE,
  };
  const { ranks } = await pageRank(projection, walk, limits);
  return new ProjectionRanks(projection, ranks);
}

class ProjectionRanks implements GraphRanks {
  constructor(
    private readonly projection: Projection,
    private readonly ranks: Float64Array,
  ) {}

  of(entity: TermId): GraphRank | null {
    const node = this.projection.names.nodeOfId(entity);
    if (node === null) return null;
    const { out, in: incoming } = this.projection;
    const degree = ({ starts }: { readonly starts: Uint32Array }): number =>
      (starts[node + 1] as number) - (starts[node] as number);
    return { rank: this.ranks[node] as number, edges: degree(out) + degree(incoming) };
  }

  /** Of equal ranks the first nodes, which are in the order of their IRIs. */
  best(limit: number): readonly TermId[] {
    const nodes: number[] = [];
    const rankOf = (node: number | undefined): number => (node === undefined ? 0 : (this.ranks[node] as number));
    for (let node = 0; node < this.ranks.length; node++) {
      const rank = rankOf(node);
      if (rank === 0 || (nodes.length === limit && rank <= rankOf(nodes.at(-1)))) continue;
      let place = nodes.length;
      while (place > 0 && rankOf(nodes[place - 1]) < rank) place--;
      nodes.splice(place, 0, node);
      if (nodes.length > limit) nodes.pop();
    }
    const ids = this.projection.names.idsOf(nodes);
    return Array.from(nodes, (_, at) => idIn(ids, at));
  }
}
