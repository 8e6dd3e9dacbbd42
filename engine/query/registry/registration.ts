/**
 * What one write does to the registry, on the stage of the write itself, so that a row and the facts that
 * made it are one transaction, and a write that is dropped leaves neither.
 *
 * 1. Operations on whole graphs register and unregister by name.
 * 2. When the change is staged, `settle` gives a row to every graph that has lost its last fact and was known
 *    by its facts alone, so that it stays registered. Graphs that the change has dropped stay dropped.
 * 3. A change that touches the registry graph or the meta graph by itself, the facts of an overlay that it did not announce, or
 *    a fork that has ended, is refused; so is one whose facts would make a graph under a name that the service gives, or
 *    under that of a dataset. What declares something of graphs writes rows of the registry and facts of the meta graph
 *    together.
 */

import { SvcError } from '../../base/errors.js';
import { type Term, terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import type { ChangeCounts, GraphChange, Stage } from '../../storage/seam/engine.js';
import { decodeIds, lookInto } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { checkNoDataset } from './dataset-rows.js';
import { checkForkOpen, checkNewName } from './fork-rows.js';
import { refuseFrozen } from './frozen.js';
import { classOf, factsOf, type GraphRow, hasRow, plainRow, quadsOfRow, readRow } from './graph-rows.js';
import {
  HIDDEN,
  HIDDEN_TOMBSTONES,
  isKeptTriples,
  isTombstones,
  META_GRAPH_IRI,
  newGraphFault,
  REGISTRY,
  REGISTRY_GRAPH_IRI,
  registryId,
  tombstonesOf,
} from './system-graphs.js';

const ROWS_AT_ONCE = 1024;

/** Graphs that only operations of the service write. */
const KEPT = {
  [META_GRAPH_IRI]: 'is the meta graph, which only graph, label and dataset operations write',
  [REGISTRY_GRAPH_IRI]: 'holds the registry of graphs',
};

export class GraphRegistration {
  readonly #stage: Stage;
  readonly #dropped = new Set<string>();
  /** Whether the graphs that were named had rows before the change. */
  readonly #before = new Map<string, boolean>();
  #writesRows = false;
  /** `settle` has added rows. */
  #addedRows = false;
  #overlay: string | null = null;
  readonly #kept = new Set<string>();
  #check: (iri: string) => void = () => undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** IRIs of graphs that the change fills with copies of what was judged when it was written. */
  readonly copies = new Set<string>();

  /** `check` throws for a graph that whoever writes may not make, drop or describe. */
  allow(check: (iri: string) => void): void {
    this.#check = check;
  }

  /** Gives a graph a row, unless it has one. The snapshot shows the stage as it is. */
  register(snapshot: StorageSnapshot, iri: string, about: Partial<GraphRow> = {}): boolean {
    this.#check(iri);
    if (about.parent) this.#check(about.parent);
    this.#note(snapshot, iri);
    this.#dropped.delete(iri);
    if (rowIsThere(snapshot, iri)) return false;
    const { timestamp } = this.#stage;
    this.#stage.assert(quadsOfRow({ ...plainRow(iri), createdAt: timestamp, ...about }), timestamp);
    return true;
  }

  /** The same for a graph that somebody who writes has named: not under names that the service gives. */
  create(snapshot: StorageSnapshot, iri: string, about: Partial<GraphRow> = {}): boolean {
    this.#check(iri);
    checkNewName(snapshot, iri);
    checkNoDataset(snapshot, iri);
    return this.register(snapshot, iri, about);
  }

  /** Gives rows to graphs that are known by their facts alone, as `register` does one by one; those of the list that have none. */
  registerKnown(iris: readonly string[]): void {
    this.#writesRows = true;
    const { timestamp } = this.#stage;
    for (let from = 0; from < iris.length; from += ROWS_AT_ONCE) {
      const quads = iris.slice(from, from + ROWS_AT_ONCE).flatMap((iri) => quadsOfRow(plainRow(iri)));
      this.#stage.assert(quads, timestamp);
    }
  }

  /** Takes the rows of graphs away; what they hold is the caller's to retract. */
  unregister(snapshot: StorageSnapshot, iris: Iterable<string>): void {
    for (const iri of iris) {
      this.#check(iri);
      checkForkOpen(snapshot, iri);
      this.#note(snapshot, iri);
      this.#dropped.add(iri);
      const row = readRow(snapshot, iri);
      refuseFrozen(row);
      if (row !== null) this.#stage.retract(quadsOfRow(row));
    }
  }

  /** Changes what the row of a graph says; one without a row gets one. Its class stays. */
  revise(snapshot: StorageSnapshot, iri: string, about: Pick<GraphRow, 'lifecycle' | 'source'>): void {
    this.#check(iri);
    this.#writesRows = true;
    const before = readRow(snapshot, iri);
    if (before !== null) this.#stage.retract(quadsOfRow(before));
    this.#stage.assert(quadsOfRow({ ...(before ?? plainRow(iri)), ...about }), this.#stage.timestamp);
  }

  /** Other rows of the registry, such as stored queries, are about to be written. */
  writesRows(): void {
    this.#writesRows = true;
  }

  /** The facts of an overlay, or its tombstones, are about to be written, which only operations on overlays do. */
  writesOverlay(iri: string): void {
    this.#overlay = iri;
  }

  /** Triples that the service keeps for its own use are about to be written into a graph of `keptTriplesGraph`. */
  keepsTriples(iri: string): void {
    this.#writesRows = true;
    this.#kept.add(iri);
    this.#stage.assert([terms.quad(terms.namedNode(iri), HIDDEN, HIDDEN_TOMBSTONES, REGISTRY)], this.#stage.timestamp);
  }

  /** Ids of the graphs of overlays, and of triples that are kept, which neither gates nor events look at. */
  overlaid(): readonly TermId[] {
    if (this.#overlay === null && this.#kept.size === 0) return [];
    const iris = [...this.#kept];
    if (this.#overlay !== null) iris.push(this.#overlay, tombstonesOf(this.#overlay));
    return lookInto(this.#stage.snapshot(), (snapshot) =>
      iris.map((iri) => snapshot.encode(terms.namedNode(iri))).filter((id): id is TermId => id !== null),
    );
  }

  /** True when the change may have written rows of the registry. */
  get wroteRows(): boolean {
    return this.#writesRows || this.#addedRows;
  }

  /** The graphs that were named, and whether they had rows before the change. */
  get named(): ReadonlyMap<string, boolean> {
    return this.#before;
  }

  /** Of the graphs that were named, those that have a row now and had none, or the other way. */
  changed(snapshot: StorageSnapshot): string[] {
    return [...this.#before].filter(([iri, had]) => had !== rowIsThere(snapshot, iri)).map(([iri]) => iri);
  }

  /** What the change has opened and closed without the rows of the registry, which are no statements of the caller. */
  counts(): ChangeCounts {
    const { asserted, retracted } = this.#stage.counts;
    if (!this.#writesRows) return { asserted, retracted };
    const snapshot = this.#stage.snapshot();
    const registry = registryId(snapshot);
    snapshot.close();
    const rows = this.#stage.changes().graphs.find(({ graph }) => graph === registry);
    return { asserted: asserted - (rows?.asserted ?? 0), retracted: retracted - (rows?.retracted ?? 0) };
  }

  /** To be called once, when the change is complete. Graphs of a load were looked at as its documents were read. */
  settle(): void {
    if (this.#stage.loaded !== null) return;
    const touched = this.#stage.changes().graphs.filter(({ graph }) => graph !== ROOT_ID);
    if (touched.length === 0) return;
    const snapshot = this.#stage.snapshot();
    let emptied: string[];
    try {
      emptied = this.#emptied(snapshot, touched);
    } finally {
      snapshot.close();
    }
    this.#addedRows = emptied.length > 0;
    const { timestamp } = this.#stage;
    for (const iri of emptied) this.#stage.assert(quadsOfRow(plainRow(iri)), timestamp);
  }

  #emptied(snapshot: StorageSnapshot, touched: readonly GraphChange[]): string[] {
    const emptied: string[] = [];
    const names = decodeIds(
      snapshot,
      touched.map(({ graph }) => graph),
    );
    for (const [at, { graph, asserted, retracted }] of touched.entries()) {
      const { termType, value: iri } = names[at] as Term;
      if (termType !== 'NamedNode') continue;
      if (iri === REGISTRY_GRAPH_IRI || iri === META_GRAPH_IRI) {
        if (!this.#writesRows) throw notWritable(iri, KEPT[iri]);
        continue;
      }
      const graphClass = classOf(snapshot, graph);
      if (graphClass === 'overlay' || isTombstones(iri)) {
        this.#checkOverlay(iri);
        continue;
      }
      checkForkOpen(snapshot, iri);
      if (graphClass === null) checkNoDataset(snapshot, iri);
      if (graphClass === null && newGraphFault(iri) !== null) {
        if (factsOf(snapshot, graph) + retracted === asserted) checkNewName(snapshot, iri);
      }
      const lost = retracted > 0 && graphClass === null && !this.#dropped.has(iri);
      if (lost && factsOf(snapshot, graph) === 0) emptied.push(iri);
    }
    return emptied;
  }

  #checkOverlay(iri: string): void {
    const overlay = this.#overlay;
    if (this.#kept.has(iri)) return;
    if (isKeptTriples(iri)) throw notWritable(iri, 'holds what the service keeps of shares');
    if (overlay !== null && (iri === overlay || iri === tombstonesOf(overlay))) return;
    const what = isTombstones(iri) ? 'holds what an overlay takes away' : 'is an overlay';
    throw notWritable(iri, `${what}, which only overlay operations write`);
  }

  #note(snapshot: StorageSnapshot, iri: string): void {
    this.#writesRows = true;
    if (!this.#before.has(iri)) this.#before.set(iri, rowIsThere(snapshot, iri));
  }
}

function rowIsThere(snapshot: StorageSnapshot, iri: string): boolean {
  const graph = snapshot.encode(terms.namedNode(iri));
  return graph !== null && hasRow(snapshot, graph);
}

function notWritable(iri: string, why: string): SvcError {
  return new SvcError('invalid_request', `the graph <${iri}> can not be written: it ${why}`);
}
