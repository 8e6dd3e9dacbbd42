/**
 * PageRank that restarts at one entity, over the facts of ROOT (semantics of reasoning, 10.2). Only what can be reached from
 * there has a rank, so the rest of the graph is not looked at: its part of the projection is gathered by walking.
 */

import { terms } from '../../rdf/terms.js';
import { pageRank, type RankedGraph } from '../../reason/graph/algorithms/page-rank.js';
import { COMMUNITY_PREDICATE, RANK_PREDICATE, startsOf } from '../../reason/graph/build.js';
import { DAMPING, ITERATIONS_MAX, TOLERANCE } from '../../reason/graph/request.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { EDGE_WORK, type WalkLimits } from './entity-walk.js';
import { outEdges } from './out-edges.js';

/** Ids of ends in a map, and what a node has of arrays. */
const NODE_BYTES = 120;
/** Its ends as they are found, and as they are sorted. */
const EDGE_BYTES = 24;

type RankLimits = Omit<WalkLimits, 'hops'>;

/** The rank of each entity that can be reached, the root among them; they sum to 1. */
export async function rankFrom(
  snapshot: StorageSnapshot,
  root: TermId,
  limits: RankLimits,
): Promise<ReadonlyMap<TermId, number>> {
  const { ids, graph } = await reachable(snapshot, root, limits);
  const walk = { seeds: [0], damping: DAMPING, iterationsMax: ITERATIONS_MAX, tolerance: TOLERANCE };
  const { ranks } = await pageRank(graph, walk, limits);
  return new Map(ids.map((id, node) => [id, ranks[node] as number]));
}

interface Reachable {
  /** Of the nodes, the root first. */
  readonly ids: readonly TermId[];
  readonly graph: RankedGraph;
}

async function reachable(
  snapshot: StorageSnapshot,
  root: TermId,
  { predicates, pace, memory }: RankLimits,
): Promise<Reachable> {
  const persisted = new Set([COMMUNITY_PREDICATE, RANK_PREDICATE].map((iri) => snapshot.encode(terms.namedNode(iri))));
  const ids: TermId[] = [root];
  const places = new Map<TermId, number>([[root, 0]]);
  const [sources, targets]: [number[], number[]] = [[], []];
  for (let first = 0; first < ids.length; ) {
    const level = ids.slice(first);
    for (const batch of outEdges(snapshot, level, predicates)) {
      memory.hold(EDGE_BYTES * batch.length);
      for (const { from, predicate, to } of batch) {
        if (persisted.has(predicate)) continue;
        let place = places.get(to);
        if (place === undefined) {
          memory.hold(NODE_BYTES);
          place = ids.push(to) - 1;
          places.set(to, place);
        }
        sources.push(first + from);
        targets.push(place);
      }
      pace.check();
      if (pace.spend(EDGE_WORK * batch.length)) await pace.turn();
    }
    first += level.length;
  }
  return { ids, graph: rankedGraph(ids.length, Uint32Array.from(sources), Uint32Array.from(targets)) };
}

function rankedGraph(nodes: number, sources: Uint32Array, targets: Uint32Array): RankedGraph {
  const edges = sources.length;
  const starts = startsOf(targets, nodes);
  const next = starts.slice(0, nodes);
  const ends = new Uint32Array(edges);
  for (let edge = 0; edge < edges; edge++) {
    const to = targets[edge] as number;
    const at = next[to] as number;
    ends[at] = sources[edge] as number;
    next[to] = at + 1;
  }
  return { nodes, edges, out: { starts: startsOf(sources, nodes) }, in: { starts, ends } };
}
