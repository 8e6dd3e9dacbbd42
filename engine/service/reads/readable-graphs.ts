/**
 * Which graphs of a store a principal may read, as of a snapshot: names and patterns of its rules to ids. A graph that is
 * named has one id for as long as the file is open. Graphs that patterns mean are looked for among those that ever had a
 * row: of a snapshot that is newer than the last one only what was opened since is looked at.
 *
 * An overlay shows what it lies over, and its row names it: it is read by those who may read both.
 */

import { mayRead, meansGraph, type Principal } from '../../base/principal.js';
import { freezeNodeOf } from '../../query/registry/freeze-rows.js';
import { everParentIds, frozenIds, registeredIds } from '../../query/registry/graph-rows.js';
import { registryId, tombstonesOf } from '../../query/registry/system-graphs.js';
import { type Term, terms } from '../../rdf/terms.js';
import { idOfHalves } from '../../storage/ids/halves.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { ReadableGraphs } from '../../storage/seam/narrowed-snapshot.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot } from '../../storage/seam/scan.js';

/** What the catalog says that matters here, as of one state of it. */
interface CatalogPart {
  readonly catalogTx: TxId;
  /** Overlays that lie over what may not be read. */
  readonly covered: ReadonlySet<TermId>;
  /** Nodes of the freezes of graphs that may be read. */
  readonly freezes: readonly TermId[];
}

export class GraphsOfPrincipal {
  readonly #principal: Principal;
  readonly #names: readonly string[];
  readonly #key: string;
  readonly #ids = new Map<string, TermId>();
  /** Graphs that patterns mean, with the newest transaction that was looked at. */
  #meant: { tx: TxId; readonly seen: Set<TermId>; readonly graphs: Map<TermId, string> } = {
    tx: 0,
    seen: new Set(),
    graphs: new Map(),
  };
  #catalog: CatalogPart | null = null;
  #last: { readonly tx: TxId; readonly graphs: ReadableGraphs } | null = null;

  constructor(principal: Principal) {
    this.#principal = principal;
    this.#names = principal.readable ?? [];
    this.#key = JSON.stringify([[...this.#names].sort(), principal.patterns ?? []]);
  }

  at(snapshot: StorageSnapshot): ReadableGraphs {
    const { tx, staged } = snapshot;
    if (this.#last?.tx === tx && !staged) return this.#last.graphs;
    const graphs = this.#find(snapshot);
    if (!staged) this.#last = { tx, graphs };
    return graphs;
  }

  /** Whether the name is that of an overlay over what may not be read. */
  isCovered(iri: string, snapshot: StorageSnapshot): boolean {
    const { covered } = this.#catalogAt(snapshot);
    if (covered.size === 0) return false;
    const id = this.#idOf(iri, snapshot);
    return id !== null && covered.has(id);
  }

  #find(snapshot: StorageSnapshot): ReadableGraphs {
    const { covered, freezes } = this.#catalogAt(snapshot);
    const ids = new Set<TermId>();
    const add = (iri: string, id: TermId | null): void => {
      if (id === null || covered.has(id)) return;
      ids.add(id);
      // Who may read an overlay reads what it takes away: otherwise its view would show it.
      const removals = this.#idOf(tombstonesOf(iri), snapshot);
      if (removals !== null) ids.add(removals);
    };
    for (const iri of this.#names) add(iri, this.#idOf(iri, snapshot));
    for (const [id, iri] of this.#meantAt(snapshot)) add(iri, id);
    const graphs = [...ids].sort((a, b) => (a < b ? -1 : 1));
    return { graphs, catalog: registryId(snapshot), about: freezes, key: this.#key };
  }

  #catalogAt(snapshot: StorageSnapshot): CatalogPart {
    const { catalogTx, staged } = snapshot;
    if (!staged && this.#catalog?.catalogTx === catalogTx) return this.#catalog;
    const rows = everParentIds(snapshot);
    const parents = decodeIds(
      snapshot,
      rows.map(([, parent]) => parent as TermId),
    );
    const hides = ({ value }: Term): boolean => !mayRead(this.#principal, value);
    const covered = new Set(rows.flatMap(([overlay], at) => (hides(parents[at] as Term) ? [overlay as TermId] : [])));
    const frozen = decodeIds(snapshot, frozenIds(snapshot)).map(({ value }) => value);
    const freezes = frozen
      .filter((iri) => mayRead(this.#principal, iri))
      .flatMap((iri) => freezeNodeOf(snapshot, iri) ?? []);
    const part = { catalogTx, covered, freezes };
    if (!staged) this.#catalog = part;
    return part;
  }

  #meantAt(snapshot: StorageSnapshot): Iterable<readonly [TermId, string]> {
    const { patterns = [] } = this.#principal;
    if (patterns.length === 0) return [];
    const { seen, graphs, tx } = this.#meant;
    const found: TermId[] = [];
    const note = (id: TermId): void => {
      if (seen.has(id)) return;
      if (!snapshot.staged) seen.add(id);
      found.push(id);
    };
    for (const id of registeredIds(snapshot)) note(id);
    // Of an older snapshot what is known already is enough: what is not there has no rows.
    if (snapshot.staged || snapshot.tx > tx) for (const id of graphsOpenedSince(snapshot, tx + 1)) note(id);
    const named = decodeIds(snapshot, found).flatMap((node, at): (readonly [TermId, string])[] =>
      node.termType === 'NamedNode' && patterns.some((pattern) => meansGraph(pattern, node.value))
        ? [[found[at] as TermId, node.value]]
        : [],
    );
    if (snapshot.staged) return [...graphs, ...named];
    for (const [id, iri] of named) graphs.set(id, iri);
    this.#meant.tx = Math.max(tx, snapshot.tx);
    return graphs;
  }

  #idOf(iri: string, snapshot: StorageSnapshot): TermId | null {
    let id = this.#ids.get(iri) ?? null;
    if (id !== null) return id;
    id = snapshot.encode(terms.namedNode(iri));
    // The id of a stage may yet become another's.
    if (id !== null && !snapshot.staged) this.#ids.set(iri, id);
    return id;
  }
}

/** The graphs of which rows were opened from a transaction on, open now or closed; others may be among them. */
function* graphsOpenedSince(snapshot: StorageSnapshot, since: TxId): Generator<TermId> {
  const cursor = snapshot.scan({
    graphs: { kind: 'all' },
    pattern: {},
    order: 'GSPO',
    time: { kind: 'all', openedSince: since },
    columns: ['g'],
  });
  try {
    let [low, high] = [-1, -1];
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const column = batch.columns.g as IdColumn;
      const rows = batch.selection?.length ?? batch.rows;
      for (let at = 0; at < rows; at++) {
        const row = batch.selection === null ? at : (batch.selection[at] as number);
        if (column[2 * row] === low && column[2 * row + 1] === high) continue;
        [low, high] = [column[2 * row] as number, column[2 * row + 1] as number];
        yield idOfHalves(low, high);
      }
      if (rows > 0) cursor.seek([(idOfHalves(low, high) + 1n) as TermId]);
    }
  } finally {
    cursor.close();
  }
}
