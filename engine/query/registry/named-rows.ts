/**
 * Rows of the registry graph that are known by a name: one quad each, `<urn:svc:KIND:NAME> svc:PREDICATE "JSON"`.
 * Storing a name again closes the quad before it, which stays as its history (decision 13). What stands there and
 * can't be read was not written by us and is passed over.
 */

import { compareCodePoints } from '../../base/text.js';
import { type Quad, type Term, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { Stage } from '../../storage/seam/engine.js';
import { decodeIds, exactly, lookInto } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot, type TimeSlice } from '../../storage/seam/scan.js';
import { idsOf } from './graph-rows.js';
import type { GraphRegistration } from './registration.js';
import { isRowName } from './row-name.js';
import { REGISTRY, SVC_NS } from './system-graphs.js';

export interface Named {
  readonly name: string;
}

export class NamedRows<Row extends Named> {
  readonly #kind: string;
  readonly predicate: Quad['predicate'];
  readonly #read: (json: unknown) => Row | null;

  /** `read` gives null for what is no row. */
  constructor(kind: string, predicate: string, read: (json: unknown) => Row | null) {
    this.#kind = kind;
    this.predicate = terms.namedNode(SVC_NS + predicate);
    this.#read = read;
  }

  /** All that a time slice shows, by name. */
  all(snapshot: StorageSnapshot, time: TimeSlice = CURRENT): Row[] {
    const p = snapshot.encode(this.predicate, true);
    if (p === null) return [];
    const found = decodeIds(snapshot, idsOf(snapshot, { p: exactly(p) }, ['o'], time).flat());
    return found.flatMap((term) => this.read(term.value) ?? []).sort((a, b) => compareCodePoints(a.name, b.name));
  }

  /** Of the rows that are current: equal lists mean equal rows. */
  ids(snapshot: StorageSnapshot): TermId[] {
    const p = snapshot.encode(this.predicate, true);
    return p === null ? [] : idsOf(snapshot, { p: exactly(p) }, ['o']).flat();
  }

  /** Null when there is none of that name. */
  one(snapshot: StorageSnapshot, name: string): Row | null {
    const [term] = isRowName(name) ? this.#objectsOf(snapshot, name) : [];
    return term === undefined ? null : this.read(term.value);
  }

  /** Stores a row in place of the one of its name. */
  store(stage: Stage, registry: GraphRegistration, row: Row): void {
    registry.writesRows();
    stage.retract(this.#quadsOf(stage, row.name));
    const quad = terms.quad(this.nodeOf(row.name), this.predicate, terms.literal(JSON.stringify(row)), REGISTRY);
    stage.assert([quad], stage.timestamp);
  }

  /** True when there was one. */
  remove(stage: Stage, registry: GraphRegistration, name: string): boolean {
    registry.writesRows();
    const before = isRowName(name) ? this.#quadsOf(stage, name) : [];
    stage.retract(before);
    return before.length > 0;
  }

  /** The subject of the row of a name. */
  nodeOf(name: string) {
    return terms.namedNode(`urn:svc:${this.#kind}:${encodeURIComponent(name)}`);
  }

  /** What the text of a row says; null for what was not written by us. */
  read(text: string): Row | null {
    try {
      return this.#read(JSON.parse(text));
    } catch {
      return null;
    }
  }

  #quadsOf(stage: Stage, name: string): Quad[] {
    const node = this.nodeOf(name);
    const objects = lookInto(stage.snapshot(), (snapshot) => this.#objectsOf(snapshot, name));
    return objects.map((object) => terms.quad(node, this.predicate, object as Quad['object'], REGISTRY));
  }

  #objectsOf(snapshot: StorageSnapshot, name: string): Term[] {
    const [s, p] = [snapshot.encode(this.nodeOf(name)), snapshot.encode(this.predicate, true)];
    if (s === null || p === null) return [];
    return decodeIds(snapshot, idsOf(snapshot, { s: exactly(s), p: exactly(p) }, ['o']).flat());
  }
}
