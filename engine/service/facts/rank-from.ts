/**
 * PageRank that restarts at one entity, over the projection of ROOT (semantics of reasoning, 10.2): nodes are the IRIs of its
 * facts between entities, each such fact is an edge, and what persisted runs have left is none. Of a walk that always begins
 * at one entity only what can be reached from there has a rank, so the rest of the graph is not looked at.
 *
 * next = (1 - d) r + d (mass of nodes without out-edges) r + d (sum over edges of rank / out-degree).
 */

import { breathe } from '../../base/control.js';
import { SVC_NS } from '../../query/registry/system-graphs.js';
import { terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { WalkLimits } from './entity-walk.js';
import { outEdges } from './out-edges.js';

const DAMPING = 0.85;
const ITERATIONS_MAX = 100;
/** In the sum of absolute changes. */
const TOLERANCE = 1e-6;
/** Ids of ends in a map, and what a node has of arrays. */
const NODE_BYTES = 120;
const EDGE_BYTES = 8;
/** Edges between two turns of the event loop. */
const EDGES_PER_TURN = 1 << 20;

/** Predicates of persisted results, which are no edges of later runs. */
const PERSISTED = [`${SVC_NS}memberOfCommunity`, `${SVC_NS}pageRank`].map((iri) => terms.namedNode(iri));

/** The rank of each entity that can be reached, the root among them; they sum to 1. */
export async function rankFrom(
  snapshot: StorageSnapshot,
  root: TermId,
  limits: Omit<WalkLimits, 'hops'>,
): Promise<ReadonlyMap<TermId, number>> {
  const { nodes, sources, targets, degrees } = await reachable(snapshot, root, limits);
  let ranks = new Float64Array(nodes.length);
  ranks[0] = 1;
  for (let iteration = 0, sinceTurn = 0; iteration < ITERATIONS_MAX; iteration++) {
    const next = new Float64Array(nodes.length);
    let dangling = 0;
    for (let node = 0; node < nodes.length; node++) if (degrees[node] === 0) dangling += ranks[node] as number;
    next[0] = 1 - DAMPING + DAMPING * dangling;
    for (let edge = 0; edge < sources.length; edge++) {
      const from = sources[edge] as number;
      const to = targets[edge] as number;
      next[to] = (next[to] as number) + (DAMPING * (ranks[from] as number)) / (degrees[from] as number);
    }
    let change = 0;
    for (let node = 0; node < nodes.length; node++)
      change += Math.abs((next[node] as number) - (ranks[node] as number));
    ranks = next;
    limits.interrupt.check();
    sinceTurn += sources.length;
    if (sinceTurn > EDGES_PER_TURN) {
      await breathe();
      sinceTurn = 0;
    }
    if (change < TOLERANCE) break;
  }
  const sum = ranks.reduce((total, rank) => total + rank, 0);
  return new Map(nodes.map((id, node) => [id, (ranks[node] as number) / sum]));
}

interface Reachable {
  /** The root first. */
  readonly nodes: readonly TermId[];
  /** Of each edge its ends, as places of nodes. */
  readonly sources: readonly number[];
  readonly targets: readonly number[];
  readonly degrees: Uint32Array;
}

async function reachable(
  snapshot: StorageSnapshot,
  root: TermId,
  { predicates, interrupt, memory }: Omit<WalkLimits, 'hops'>,
): Promise<Reachable> {
  const persisted = new Set(PERSISTED.map((term) => snapshot.encode(term)));
  const nodes: TermId[] = [root];
  const places = new Map<TermId, number>([[root, 0]]);
  const [sources, targets]: [number[], number[]] = [[], []];
  for (let first = 0, sinceTurn = 0; first < nodes.length; ) {
    const level = nodes.slice(first);
    for (const batch of outEdges(snapshot, level, predicates)) {
      memory.take(EDGE_BYTES * 2 * batch.length);
      for (const { from, predicate, to } of batch) {
        if (persisted.has(predicate)) continue;
        let place = places.get(to);
        if (place === undefined) {
          memory.take(NODE_BYTES);
          place = nodes.push(to) - 1;
          places.set(to, place);
        }
        sources.push(first + from);
        targets.push(place);
      }
      interrupt.check();
      sinceTurn += batch.length;
      if (sinceTurn < EDGES_PER_TURN) continue;
      await breathe();
      sinceTurn = 0;
    }
    first += level.length;
  }
  const degrees = new Uint32Array(nodes.length);
  for (const from of sources) degrees[from] = (degrees[from] as number) + 1;
  return { nodes, sources, targets, degrees };
}
