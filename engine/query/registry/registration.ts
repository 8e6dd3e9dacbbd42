/**
 * What one write does to the registry, on the stage of the write itself, so that a row and the facts that
 * made it are one transaction, and a write that is dropped leaves neither.
 *
 * 1. Operations on whole graphs register and unregister by name.
 * 2. When the change is staged, `settle` registers every graph whose facts it changed and that has no row:
 *    new ones, and those that were known by their facts alone and may have lost them. Graphs that the change
 *    has dropped stay dropped unless they hold facts again.
 * 3. A change that touches the registry graph by itself, or the facts of an overlay, is refused.
 */

import { SvcError } from '../../base/errors.js';
import { terms } from '../../rdf/terms.js';
import type { StagedTransaction } from '../../storage/engine.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/scan.js';
import { classOf, decodeIds, type GraphRow, hasFacts, hasRow, plainRow, quadsOfRow, readRow } from './graph-rows.js';
import { META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from './system-graphs.js';

export class GraphRegistration {
  readonly #stage: StagedTransaction;
  readonly #dropped = new Set<string>();
  /** Whether the graphs that were named had rows before the change. */
  readonly #before = new Map<string, boolean>();
  #writesRows = false;

  constructor(stage: StagedTransaction) {
    this.#stage = stage;
  }

  /** Gives a graph a row, unless it has one. The snapshot shows the stage as it is. */
  register(snapshot: StorageSnapshot, iri: string, about: Partial<GraphRow> = {}): boolean {
    this.#note(snapshot, iri);
    this.#dropped.delete(iri);
    if (rowIsThere(snapshot, iri)) return false;
    this.#stage.assert(this.#quadsOf(iri, about), this.#stage.timestamp);
    return true;
  }

  /** Takes the rows of graphs away; what they hold is the caller's to retract. */
  unregister(snapshot: StorageSnapshot, iris: Iterable<string>): void {
    for (const iri of iris) {
      this.#note(snapshot, iri);
      this.#dropped.add(iri);
      const row = readRow(snapshot, iri);
      if (row !== null) this.#stage.retract(quadsOfRow(row));
    }
  }

  /** Other rows of the registry, such as stored queries, are about to be written. */
  writesRows(): void {
    this.#writesRows = true;
  }

  /** Of the graphs that were named, those that have a row now and had none, or the other way. */
  changed(snapshot: StorageSnapshot): string[] {
    return [...this.#before].filter(([iri, had]) => had !== rowIsThere(snapshot, iri)).map(([iri]) => iri);
  }

  /** To be called once, when the change is complete. */
  settle(): void {
    const touched = this.#stage.changes().flatMap(({ graph }) => (graph === ROOT_ID ? [] : [graph]));
    if (touched.length + this.#dropped.size === 0) return;
    const snapshot = this.#stage.snapshot();
    let missing: string[];
    try {
      missing = this.#missing(snapshot, touched);
    } finally {
      snapshot.close();
    }
    for (const iri of missing) this.#stage.assert(this.#quadsOf(iri, {}), this.#stage.timestamp);
  }

  #missing(snapshot: StorageSnapshot, touched: readonly TermId[]): string[] {
    const missing = new Set<string>();
    for (const [at, term] of decodeIds(snapshot, touched).entries()) {
      if (term.termType !== 'NamedNode' || term.value === META_GRAPH_IRI) continue;
      const iri = term.value;
      if (iri === REGISTRY_GRAPH_IRI) {
        if (!this.#writesRows) throw notWritable(iri, 'holds the registry of graphs');
        continue;
      }
      const graphClass = classOf(snapshot, touched[at] as TermId);
      if (graphClass === 'overlay') throw notWritable(iri, 'is an overlay, which only overlay operations write');
      if (graphClass === null && !this.#dropped.has(iri)) missing.add(iri);
    }
    for (const iri of this.#dropped) {
      if (hasFacts(snapshot, iri) && !rowIsThere(snapshot, iri)) missing.add(iri);
    }
    return [...missing];
  }

  #note(snapshot: StorageSnapshot, iri: string): void {
    this.#writesRows = true;
    if (!this.#before.has(iri)) this.#before.set(iri, rowIsThere(snapshot, iri));
  }

  #quadsOf(iri: string, about: Partial<GraphRow>) {
    return quadsOfRow({ ...plainRow(iri), createdAt: this.#stage.timestamp, ...about });
  }
}

function rowIsThere(snapshot: StorageSnapshot, iri: string): boolean {
  const graph = snapshot.encode(terms.namedNode(iri));
  return graph !== null && hasRow(snapshot, graph);
}

function notWritable(iri: string, why: string): SvcError {
  return new SvcError('invalid_request', `the graph <${iri}> can not be written: it ${why}`);
}
