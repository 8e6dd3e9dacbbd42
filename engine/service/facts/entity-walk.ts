/**
 * What is reached from an entity over the facts of ROOT (semantics of reasoning, 10.5): breadth first, the neighbours of each
 * entity by the IRIs of predicate and value, so that the way to an entity does not depend on how its facts were written.
 *
 *  1. A level is the entities that the level before has reached first. Their edges are read together, by ids.
 *  2. Of several edges to one new entity that one counts whose subject was reached first, then the one of the least predicate.
 *  3. The new ones are put in the order of subject, predicate and IRI, which is the order in which they are reached.
 */

import { compareCodePoints } from '../../base/text.js';
import type { MemoryBound } from '../../reason/graph/memory-bound.js';
import type { Pace } from '../../reason/graph/pace.js';
import type { TermId } from '../../storage/ids/layout.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { outEdges } from './out-edges.js';

/** An edge, as work. */
export const EDGE_WORK = 10;
/** What is kept of an entity that was reached: its ids, its IRI, its place in a map. */
const ENTITY_BYTES = 400;

/** How an entity was reached; of the root without a way. */
export interface Reached {
  readonly id: TermId;
  readonly iri: string;
  readonly depth: number;
  readonly via: { readonly subject: Reached; readonly predicate: TermId } | null;
}

export interface Walk {
  /** In the order in which they were reached, the root first. */
  readonly reached: readonly Reached[];
  /** That were looked at: one that leads back counts as well. */
  readonly edges: number;
}

export interface WalkLimits {
  readonly hops: number;
  /** Known to the store, each once; absent = all. */
  readonly predicates: readonly TermId[] | undefined;
  readonly pace: Pace;
  readonly memory: MemoryBound;
}

export async function walkFrom(
  snapshot: StorageSnapshot,
  root: { readonly id: TermId; readonly iri: string },
  { hops, predicates, pace, memory }: WalkLimits,
): Promise<Walk> {
  const order = new PredicateOrder(snapshot);
  const reached: Reached[] = [{ ...root, depth: 0, via: null }];
  const known = new Set<TermId>([root.id]);
  let edges = 0;
  let level: readonly Reached[] = reached.slice();
  for (let depth = 1; depth <= hops && level.length > 0; depth++) {
    const found = new Map<TermId, Way>();
    for (const batch of outEdges(
      snapshot,
      level.map(({ id }) => id),
      predicates,
    )) {
      edges += batch.length;
      for (const edge of batch) {
        if (known.has(edge.to)) continue;
        const before = found.get(edge.to);
        if (before === undefined) memory.hold(ENTITY_BYTES);
        if (before === undefined || order.isBefore(edge, before)) found.set(edge.to, edge);
      }
      pace.check();
      if (pace.spend(EDGE_WORK * batch.length)) await pace.turn();
    }
    const next = inOrder(snapshot, found, order).map(
      ({ from, predicate, to, iri }): Reached => ({
        id: to,
        iri,
        depth,
        via: { subject: level[from] as Reached, predicate },
      }),
    );
    for (const one of next) {
      known.add(one.id);
      reached.push(one);
    }
    level = next;
  }
  return { reached, edges };
}

/** How an entity is reached from the level before. */
interface Way {
  readonly from: number;
  readonly predicate: TermId;
}

interface NewEntity extends Way {
  readonly to: TermId;
  readonly iri: string;
}

function inOrder(snapshot: StorageSnapshot, found: ReadonlyMap<TermId, Way>, order: PredicateOrder): NewEntity[] {
  const ids = [...found.keys()];
  const terms = decodeIds(snapshot, ids);
  const all = [...found.values()].map(({ from, predicate }, at) => {
    return { from, predicate, to: ids[at] as TermId, iri: terms[at]?.value ?? '' };
  });
  return all.sort(
    (a, b) => a.from - b.from || order.compare(a.predicate, b.predicate) || compareCodePoints(a.iri, b.iri),
  );
}

/** Predicates by their IRIs, each decoded once. */
class PredicateOrder {
  readonly #iris = new Map<TermId, string>();

  constructor(private readonly snapshot: StorageSnapshot) {}

  isBefore(one: Way, other: Way): boolean {
    return one.from < other.from || (one.from === other.from && this.compare(one.predicate, other.predicate) < 0);
  }

  compare(one: TermId, other: TermId): number {
    return one === other ? 0 : compareCodePoints(this.#iriOf(one), this.#iriOf(other));
  }

  #iriOf(predicate: TermId): string {
    let iri = this.#iris.get(predicate);
    if (iri === undefined) {
      iri = decodeIds(this.snapshot, [predicate])[0]?.value ?? '';
      this.#iris.set(predicate, iri);
    }
    return iri;
  }
}
