/**
 * The registered graphs in the order of their IRIs, a page at a time. The list of IRIs is made once for each
 * state of the store; rows and counts are read for the page alone. ROOT and the meta graph are always there.
 */

import { type Stop, throwIfStopped } from '../base/control.js';
import { compareCodePoints } from '../base/text.js';
import { freezeOf } from '../query/registry/freeze-rows.js';
import { factsOf, findGraph, frozenGraphs, type GraphRow, registeredIds } from '../query/registry/graph-rows.js';
import { META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI, terms } from '../rdf/terms.js';
import type { TermId, TxId } from '../storage/ids/layout.js';
import { decodeIds } from '../storage/seam/rows.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { archiveOf, type GraphArchive } from './archives.js';

/** Always listed, in their order. */
const BUILT_IN: readonly string[] = [META_GRAPH_IRI, ROOT_GRAPH_IRI].sort(compareCodePoints);

export interface RegisteredGraph extends GraphRow {
  /** Current facts; of a frozen graph those that it had. */
  readonly facts: number;
  /** The archive of a frozen graph. */
  readonly archive?: GraphArchive | undefined;
}

export interface GraphPage {
  readonly graphs: readonly RegisteredGraph[];
  readonly truncated: boolean;
}

/** The entries `[from, to)` of those that are selected. */
export interface GraphSelection extends Stop {
  readonly from: number;
  readonly to: number;
  readonly lifecycle?: 'frozen' | undefined;
  /** Beside which the files of frozen graphs lie. */
  readonly storePath?: string | undefined;
  /** Only these. */
  readonly among?: readonly string[] | undefined;
}

/**
 * The order is kept from one state of the store to the next: ids of graphs are compared, and only the IRIs of those that
 * came are read. An id never names another graph.
 */
export class GraphList {
  #tx: TxId | null = null;
  /** What each listed id names; null for a blank node, or what is not shown. */
  #names = new Map<TermId, string | null>();
  #iris: readonly string[] = [...BUILT_IN];

  page(snapshot: StorageSnapshot, selection: GraphSelection): GraphPage {
    const { from, to, among, lifecycle } = selection;
    const listed = lifecycle === undefined ? this.#irisOf(snapshot) : frozenGraphs(snapshot).sort(compareCodePoints);
    const iris = among === undefined ? listed : listed.filter((iri) => among.includes(iri));
    const graphs = iris.slice(from, to).flatMap((iri) => {
      throwIfStopped(selection, 'the listing');
      return readGraph(snapshot, iri, selection.storePath) ?? [];
    });
    return { graphs, truncated: iris.length > to };
  }

  #irisOf(snapshot: StorageSnapshot): readonly string[] {
    if (this.#tx === snapshot.tx) return this.#iris;
    const ids = new Set([...snapshot.graphs(), ...registeredIds(snapshot)]);
    const gone = new Set<string>();
    for (const [id, name] of this.#names) {
      if (ids.has(id)) continue;
      this.#names.delete(id);
      if (name !== null) gone.add(name);
    }
    const came = this.#read(
      snapshot,
      [...ids].filter((id) => !this.#names.has(id)),
    );
    if (gone.size > 0 || came.length > 0) {
      const kept = gone.size === 0 ? this.#iris : this.#iris.filter((iri) => !gone.has(iri));
      this.#iris = merged(kept, came.sort(compareCodePoints));
    }
    this.#tx = snapshot.tx;
    return this.#iris;
  }

  /** Notes what new ids name; gives the names that are to be listed. */
  #read(snapshot: StorageSnapshot, ids: readonly TermId[]): string[] {
    const came: string[] = [];
    if (ids.length === 0) return came;
    for (const [at, { termType, value }] of decodeIds(snapshot, ids).entries()) {
      const isListed = termType === 'NamedNode' && value !== REGISTRY_GRAPH_IRI && !BUILT_IN.includes(value);
      this.#names.set(ids[at] as TermId, isListed ? value : null);
      if (isListed) came.push(value);
    }
    return came;
  }
}

/** Two lists in order as one; what they hold is distinct. */
function merged(some: readonly string[], others: readonly string[]): readonly string[] {
  if (others.length === 0) return some;
  const all: string[] = [];
  let at = 0;
  for (const iri of some) {
    while (at < others.length && compareCodePoints(others[at] as string, iri) < 0) all.push(others[at++] as string);
    all.push(iri);
  }
  all.push(...others.slice(at));
  return all;
}

/** One graph with its count; null when there is no such graph. */
export function readGraph(snapshot: StorageSnapshot, iri: string, storePath = ''): RegisteredGraph | null {
  const row = findGraph(snapshot, iri);
  if (row === null) return null;
  const freeze = freezeOf(snapshot, row);
  if (freeze !== null) return { ...row, facts: freeze.open, archive: archiveOf(storePath, freeze) };
  const id = snapshot.encode(terms.namedNode(iri));
  return { ...row, facts: id === null ? 0 : factsOf(snapshot, id) };
}
