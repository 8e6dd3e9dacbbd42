/**
 * The registered graphs in the order of their IRIs, a page at a time. The list of IRIs is made once for each
 * state of the store; rows, counts and labels are read for the page alone. ROOT and the meta graph are always there, and
 * graphs of tombstones, which are parts of overlays, never.
 */

import { type Stop, throwIfStopped } from '../base/control.js';
import { compareCodePoints } from '../base/text.js';
import { freezeOf } from '../query/registry/freeze-rows.js';
import { factsOf, findGraph, frozenGraphs, type GraphRow, registeredIds } from '../query/registry/graph-rows.js';
import { type GraphLabels, labelsOf, unexpired } from '../query/registry/label-rows.js';
import {
  isTombstones,
  MATERIALIZED_IN_TX,
  META_GRAPH_IRI,
  REGISTRY_GRAPH_IRI,
} from '../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI, terms } from '../rdf/terms.js';
import type { Instant, TermId, TxId } from '../storage/ids/layout.js';
import { decodeIds } from '../storage/seam/rows.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { archiveOf, type GraphArchive } from './archives.js';
import { KeptLabels } from './labels/kept-labels.js';
import { type Materialization, readMaterialization } from './labels/materialization.js';
import { trustCheck } from './labels/served-trust.js';
import { FROZEN_KIND, type ShownLabels, shownLabels } from './labels/shown-labels.js';

/** Always listed, in their order. */
const BUILT_IN: readonly string[] = [META_GRAPH_IRI, ROOT_GRAPH_IRI].sort(compareCodePoints);

export interface RegisteredGraph extends GraphRow {
  /** Current facts; of a frozen graph those that it was frozen with. */
  readonly facts: number;
  readonly labels: ShownLabels;
  /** Where its content comes from; null = nothing is recorded. */
  readonly materialization: Materialization | null;
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
  /** The moment at which labels may have expired. */
  readonly now: Instant;
  /** Only those of this kind, as it shows in their labels. */
  readonly kind?: string | undefined;
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
  readonly #labels = new KeptLabels();

  page(snapshot: StorageSnapshot, selection: GraphSelection): GraphPage {
    const { from, to, among, lifecycle, kind, now } = selection;
    const frozen = lifecycle === undefined && kind === undefined ? [] : frozenGraphs(snapshot).sort(compareCodePoints);
    let iris = lifecycle === undefined ? this.#irisOf(snapshot) : frozen;
    if (kind !== undefined) {
      const ofKind = this.#ofKind(snapshot, { kind, now, frozen });
      iris = iris.filter((iri) => ofKind.has(iri));
    }
    if (among !== undefined) iris = iris.filter((iri) => among.includes(iri));
    const read = graphReader(snapshot, now, selection.storePath);
    const graphs = iris.slice(from, to).flatMap((iri) => {
      throwIfStopped(selection, 'the listing');
      return read(iri) ?? [];
    });
    return { graphs, truncated: iris.length > to };
  }

  /** The IRIs of the graphs of a kind, registered or not. */
  #ofKind(
    snapshot: StorageSnapshot,
    { kind, now, frozen }: { readonly kind: string; readonly now: Instant; readonly frozen: readonly string[] },
  ): ReadonlySet<string> {
    const isOfKind = (labels: GraphLabels) => unexpired(labels, now).kind?.value === kind;
    const names = this.#namesOf(snapshot, this.#labels.graphs(snapshot, isOfKind));
    if (kind === FROZEN_KIND) return new Set([...names, ...frozen]);
    const archived = new Set(frozen);
    return new Set(names.filter((name) => !archived.has(name)));
  }

  /** Most are those of listed graphs, which are known. */
  #namesOf(snapshot: StorageSnapshot, ids: readonly TermId[]): string[] {
    const names: string[] = [];
    const others: TermId[] = [];
    for (const id of ids) {
      const name = this.#names.get(id);
      if (name == null) others.push(id);
      else names.push(name);
    }
    return [...names, ...decodeIds(snapshot, others).map(({ value }) => value)];
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
      const isListed = termType === 'NamedNode' && !isUnlisted(value);
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

/** Those that are no graphs of anybody, and those that are listed whatever is there. */
function isUnlisted(iri: string): boolean {
  return iri === REGISTRY_GRAPH_IRI || isTombstones(iri) || BUILT_IN.includes(iri);
}

/** Reads graphs of a snapshot with what is told of them; null where there is no such graph. */
export function graphReader(
  snapshot: StorageSnapshot,
  now: Instant,
  storePath = '',
): (iri: string) => RegisteredGraph | null {
  const checkTrust = trustCheck(snapshot);
  const hasRecords = snapshot.encode(MATERIALIZED_IN_TX) !== null;
  return (iri) => {
    const row = isTombstones(iri) ? null : findGraph(snapshot, iri);
    if (row === null) return null;
    const isFrozen = row.lifecycle === 'frozen';
    const freeze = freezeOf(snapshot, row);
    const id = snapshot.encode(terms.namedNode(iri));
    const labels = unexpired(labelsOf(snapshot, iri), now);
    checkTrust(iri, labels);
    const shown: RegisteredGraph = {
      ...row,
      facts: freeze?.open ?? (id === null ? 0 : factsOf(snapshot, id)),
      labels: shownLabels(labels, { now, isFrozen }),
      materialization: hasRecords ? readMaterialization(snapshot, iri) : null,
    };
    return freeze === null ? shown : { ...shown, archive: archiveOf(storePath, freeze) };
  };
}
