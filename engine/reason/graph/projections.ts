/**
 * Projections of the graphs of one store, kept as long as nothing is written, those that were used last, within a bound of
 * memory. What a stage shows is never kept: its ids may become others'.
 */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { GraphScope } from '../../query/plan/context/graph-scope.js';
import { GraphBooks } from '../../query/registry/graph-book.js';
import { graphExists } from '../../query/registry/graph-rows.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';
import { ROOT_GRAPH_IRI, terms } from '../../rdf/terms.js';
import type { Instant } from '../../storage/ids/layout.js';
import { ROOT_ONLY } from '../../storage/seam/rows.js';
import type { GraphSet, StorageSnapshot } from '../../storage/seam/scan.js';
import { buildProjection, type EdgeFilters } from './build.js';
import type { GraphLimits } from './memory-bound.js';
import type { Projection } from './projection.js';

/** Of all projections that a view of a store keeps: about fifteen million edges. */
const KEPT_BYTES_MAX = 256 * 2 ** 20;

/** What is projected. */
export interface ProjectionOf extends EdgeFilters {
  /** IRI; absent = ROOT. */
  readonly graph?: string | undefined;
}

/** What a question about a graph may cost. */
export interface GraphWork extends Control {
  /** query.memory_budget_mb in bytes. */
  readonly memoryBytes?: number | undefined;
}

export class Projections {
  readonly #books: GraphBooks;
  /** The one that was used last is the last. */
  readonly #kept = new Map<string, Projection>();
  #tx = -1;

  constructor(
    clock?: () => Instant,
    private readonly keptBytesMax = KEPT_BYTES_MAX,
  ) {
    this.#books = new GraphBooks(clock);
  }

  /** Of memory that is kept. */
  get bytes(): number {
    let bytes = 0;
    for (const projection of this.#kept.values()) bytes += projection.bytes;
    return bytes;
  }

  /** One that is kept counts towards the memory of the question as one that is made for it. */
  async of(snapshot: StorageSnapshot, what: ProjectionOf, limits: GraphLimits): Promise<Projection> {
    const graphs = this.graphOf(snapshot, what.graph);
    checkFilters(what);
    if (snapshot.staged || snapshot.tx < this.#tx) return buildProjection(snapshot, graphs, what, limits);
    if (snapshot.tx > this.#tx) this.#kept.clear();
    this.#tx = snapshot.tx;
    const { graph = ROOT_GRAPH_IRI, type = null, predicate = null } = what;
    const key = JSON.stringify([graph, type, predicate]);
    const known = this.#kept.get(key);
    if (known !== undefined) limits.memory.hold(known.bytes);
    const projection = known ?? (await buildProjection(snapshot, graphs, what, limits));
    // Another may have come meanwhile of a later state.
    if (this.#tx === snapshot.tx) this.#keep(key, projection);
    return projection;
  }

  /** The rows of a graph by its IRI, wherever they lie. */
  graphOf(snapshot: StorageSnapshot, iri: string | undefined): GraphSet {
    if (iri === undefined || iri === ROOT_GRAPH_IRI) return ROOT_ONLY;
    checkIri('graph', iri);
    const id = graphExists(snapshot, iri) ? snapshot.encode(terms.namedNode(iri)) : null;
    if (id === null) {
      throw new SvcError('not_found_in_store', `unknown graph: ${iri}`, { hint: 'list the graphs to see their IRIs' });
    }
    return new GraphScope(snapshot, { kind: 'current' }, this.#books).one(id);
  }

  #keep(key: string, projection: Projection): void {
    this.#kept.delete(key);
    if (projection.bytes > this.keptBytesMax) return;
    this.#kept.set(key, projection);
    for (const oldest of this.#kept.keys()) {
      if (this.bytes <= this.keptBytesMax) break;
      this.#kept.delete(oldest);
    }
  }
}

export function checkFilters({ type, predicate }: EdgeFilters): void {
  for (const [field, iri] of Object.entries({ type, predicate })) if (iri !== undefined) checkIri(field, iri);
}

export function checkIri(field: string, iri: string): void {
  const fault = iriFault(iri);
  if (fault !== null) throw new SvcError('invalid_request', `'${field}': <${iri}> ${fault}`);
}
