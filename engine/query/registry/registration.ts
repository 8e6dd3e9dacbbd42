/**
 * What one write does to the registry, on the stage of the write itself, so that a row and the facts that
 * made it are one transaction, and a write that is dropped leaves neither.
 *
 * 1. Operations on whole graphs register and unregister by name.
 * 2. When the change is staged, `settle` gives a row to every graph that has lost its last fact and was known
 *    by its facts alone, so that it stays registered. Graphs that the change has dropped stay dropped.
 * 3. A change that touches the registry graph by itself, or the facts of an overlay, is refused; so is one whose facts would
 *    make a graph under a name that the service gives.
 */

import { SvcError } from '../../base/errors.js';
import { type Term, terms } from '../../rdf/terms.js';
import { ROOT_ID } from '../../storage/ids/layout.js';
import type { ChangeCounts, GraphChange, Stage } from '../../storage/seam/engine.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { refuseFrozen } from './frozen.js';
import { classOf, factsOf, type GraphRow, hasRow, plainRow, quadsOfRow, readRow } from './graph-rows.js';
import { checkNewGraph, META_GRAPH_IRI, newGraphFault, REGISTRY_GRAPH_IRI, registryId } from './system-graphs.js';

export class GraphRegistration {
  readonly #stage: Stage;
  readonly #dropped = new Set<string>();
  /** Whether the graphs that were named had rows before the change. */
  readonly #before = new Map<string, boolean>();
  #writesRows = false;
  /** `settle` has added rows. */
  #addedRows = false;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Gives a graph a row, unless it has one. The snapshot shows the stage as it is. */
  register(snapshot: StorageSnapshot, iri: string, about: Partial<GraphRow> = {}): boolean {
    this.#note(snapshot, iri);
    this.#dropped.delete(iri);
    if (rowIsThere(snapshot, iri)) return false;
    const { timestamp } = this.#stage;
    this.#stage.assert(quadsOfRow({ ...plainRow(iri), createdAt: timestamp, ...about }), timestamp);
    return true;
  }

  /** The same for a graph that somebody who writes has named: not under names that the service gives. */
  create(snapshot: StorageSnapshot, iri: string, about: Partial<GraphRow> = {}): boolean {
    checkNewGraph(iri);
    return this.register(snapshot, iri, about);
  }

  /** Takes the rows of graphs away; what they hold is the caller's to retract. */
  unregister(snapshot: StorageSnapshot, iris: Iterable<string>): void {
    for (const iri of iris) {
      this.#note(snapshot, iri);
      this.#dropped.add(iri);
      const row = readRow(snapshot, iri);
      refuseFrozen(row);
      if (row !== null) this.#stage.retract(quadsOfRow(row));
    }
  }

  /** Changes what the row of a graph says; one without a row gets one. Its class stays. */
  revise(snapshot: StorageSnapshot, iri: string, about: Pick<GraphRow, 'lifecycle' | 'source'>): void {
    this.#writesRows = true;
    const before = readRow(snapshot, iri);
    if (before !== null) this.#stage.retract(quadsOfRow(before));
    this.#stage.assert(quadsOfRow({ ...(before ?? plainRow(iri)), ...about }), this.#stage.timestamp);
  }

  /** Other rows of the registry, such as stored queries, are about to be written. */
  writesRows(): void {
    this.#writesRows = true;
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
      if (termType !== 'NamedNode' || iri === META_GRAPH_IRI) continue;
      if (iri === REGISTRY_GRAPH_IRI) {
        if (!this.#writesRows) throw notWritable(iri, 'holds the registry of graphs');
        continue;
      }
      const graphClass = classOf(snapshot, graph);
      if (graphClass === 'overlay') throw notWritable(iri, 'is an overlay, which only overlay operations write');
      if (graphClass === null && newGraphFault(iri) !== null) {
        if (factsOf(snapshot, graph) + retracted === asserted) checkNewGraph(iri);
      }
      const lost = retracted > 0 && graphClass === null && !this.#dropped.has(iri);
      if (lost && factsOf(snapshot, graph) === 0) emptied.push(iri);
    }
    return emptied;
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
