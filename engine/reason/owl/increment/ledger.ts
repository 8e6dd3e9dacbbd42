/**
 * What one increment works with: nodes in numbers of its own, the ids of properties and classes, which transactions have
 * written derived facts, and how much may be read before a full run is cheaper.
 */

import { terms } from '../../../rdf/terms.js';
import { TAG, type TermId } from '../../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../../storage/seam/scan.js';
import { IdTable } from '../id-table.js';
import type { Ontology } from '../ontology.js';

/** So much is done whatever a full run would cost. */
const WORK_ALWAYS = 20_000;

/** An increment that has cost too much: a full run takes its place. */
export class TooMuchWork extends Error {}

export class Ledger {
  readonly nodes = new IdTable();
  readonly ontology: Ontology;
  readonly isDerived: (tx: number) => boolean;
  readonly #workMax: () => number;
  #spent = 0;
  #limit = WORK_ALWAYS;

  constructor(ontology: Ontology, isDerived: (tx: number) => boolean, workMax: () => number) {
    this.ontology = ontology;
    this.isDerived = isDerived;
    this.#workMax = workMax;
  }

  /** Counts what is read and compared. */
  spend(work: number): void {
    this.#spent += work;
    if (this.#spent <= this.#limit) return;
    this.#limit = Math.max(this.#limit, this.#workMax());
    if (this.#spent > this.#limit) throw new TooMuchWork('a full run costs less');
  }

  isIri(node: number): boolean {
    return this.nodes.high(node) >>> 24 === TAG.iri;
  }

  /** An IRI or a blank node, which may be a subject. */
  isResource(node: number): boolean {
    const tag = this.nodes.high(node) >>> 24;
    return tag === TAG.iri || tag === TAG.blank;
  }

  /** Ids of nodes as a column. */
  column(nodes: readonly number[]): Uint32Array<ArrayBuffer> {
    const column = new Uint32Array(2 * nodes.length);
    for (let at = 0; at < nodes.length; at++) {
      column[2 * at] = this.nodes.low(nodes[at] as number);
      column[2 * at + 1] = this.nodes.high(nodes[at] as number);
    }
    return column;
  }
}

/** Ids that a snapshot has for the IRIs of an ontology; null for one that it does not know. */
export class KnownIris {
  readonly #snapshot: StorageSnapshot;
  readonly #iris: readonly string[];
  readonly #ids = new Map<number, TermId | null>();

  constructor(snapshot: StorageSnapshot, iris: readonly string[]) {
    this.#snapshot = snapshot;
    this.#iris = iris;
  }

  id(at: number): TermId | null {
    const known = this.#ids.get(at);
    if (known !== undefined) return known;
    const id = this.#snapshot.encode(terms.namedNode(this.#iris[at] as string));
    this.#ids.set(at, id);
    return id;
  }
}
