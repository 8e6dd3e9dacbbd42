/** The classes and properties of an ontology by the ids that they have in a snapshot. */

import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { grown, IdTable } from './id-table.js';
import type { Ontology } from './ontology.js';

const VALUES_AT_FIRST = 64;

/** Numbers of IRIs by their ids, each asked for once. */
class Resolved {
  readonly #ids = new IdTable();
  /** One more than the number; 0 = none. */
  #values = new Uint32Array(VALUES_AT_FIRST);
  readonly #find: (iri: string) => number;

  constructor(find: (iri: string) => number) {
    this.#find = find;
  }

  of(snapshot: StorageSnapshot, low: number, high: number): number {
    const at = this.#ids.number(low, high);
    if (at === this.#ids.count - 1 && !this.#isAsked(at)) this.#ask(snapshot, at);
    return (this.#values[at] as number) - 1;
  }

  #asked = 0;

  #isAsked(at: number): boolean {
    return at < this.#asked;
  }

  #ask(snapshot: StorageSnapshot, at: number): void {
    this.#asked = at + 1;
    if (at >= this.#values.length) this.#values = grown(this.#values, 2 * this.#values.length);
    const [term] = snapshot.decode(Uint32Array.of(this.#ids.low(at), this.#ids.high(at)), 1);
    this.#values[at] = term?.termType === 'NamedNode' ? this.#find(term.value) + 1 : 0;
  }
}

export class TermIndexes {
  readonly #snapshot: StorageSnapshot;
  readonly #properties: Resolved;
  readonly #classes: Resolved;

  constructor(ontology: Ontology, snapshot: StorageSnapshot) {
    this.#snapshot = snapshot;
    this.#properties = new Resolved((iri) => ontology.propertyOf(iri));
    this.#classes = new Resolved((iri) => ontology.classOf(iri));
  }

  /** -1 for an id that is no property of an axiom. */
  property(low: number, high: number): number {
    return this.#properties.of(this.#snapshot, low, high);
  }

  /** -1 for an id that is no class of an axiom. */
  class(low: number, high: number): number {
    return this.#classes.of(this.#snapshot, low, high);
  }
}
