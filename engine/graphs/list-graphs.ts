/**
 * The registered graphs in the order of their IRIs, a page at a time. The list of IRIs is made once for each
 * state of the store; rows and counts are read for the page alone. ROOT and the meta graph are always there.
 */

import { compareCodePoints } from '../base/text.js';
import {
  decodeIds,
  factsOf,
  findGraph,
  frozenGraphs,
  type GraphRow,
  registeredIds,
} from '../query/registry/graph-rows.js';
import { META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI, terms } from '../rdf/terms.js';
import type { TxId } from '../storage/ids/layout.js';
import type { StorageSnapshot } from '../storage/scan.js';

export interface RegisteredGraph extends GraphRow {
  /** Current facts. */
  readonly facts: number;
}

export interface GraphPage {
  readonly graphs: readonly RegisteredGraph[];
  readonly truncated: boolean;
}

/** The entries `[from, to)` of those that are selected. */
export interface GraphSelection {
  readonly from: number;
  readonly to: number;
  readonly lifecycle?: 'frozen' | undefined;
  /** Only these. */
  readonly among?: readonly string[] | undefined;
}

export class GraphList {
  #tx: TxId | null = null;
  #iris: readonly string[] = [];

  page(snapshot: StorageSnapshot, { from, to, among, lifecycle }: GraphSelection): GraphPage {
    const listed = lifecycle === undefined ? this.#irisOf(snapshot) : frozenGraphs(snapshot).sort(compareCodePoints);
    const iris = among === undefined ? listed : listed.filter((iri) => among.includes(iri));
    const graphs = iris.slice(from, to).flatMap((iri) => readGraph(snapshot, iri) ?? []);
    return { graphs, truncated: iris.length > to };
  }

  #irisOf(snapshot: StorageSnapshot): readonly string[] {
    if (this.#tx === snapshot.tx) return this.#iris;
    const ids = [...new Set([...snapshot.graphs(), ...registeredIds(snapshot)])];
    const named = decodeIds(snapshot, ids).filter(({ termType }) => termType === 'NamedNode');
    const iris = new Set([ROOT_GRAPH_IRI, META_GRAPH_IRI, ...named.map(({ value }) => value)]);
    iris.delete(REGISTRY_GRAPH_IRI);
    this.#iris = [...iris].sort(compareCodePoints);
    this.#tx = snapshot.tx;
    return this.#iris;
  }
}

/** One graph with its count; null when there is no such graph. */
export function readGraph(snapshot: StorageSnapshot, iri: string): RegisteredGraph | null {
  const row = findGraph(snapshot, iri);
  if (row === null) return null;
  const id = snapshot.encode(terms.namedNode(iri));
  return { ...row, facts: id === null ? 0 : factsOf(snapshot, id) };
}
