/**
 * Rows of the registry graph with one predicate, by subject: ids when it is read, and what their texts say when somebody asks.
 * Texts that many subjects have are read once.
 */

import type { Quad } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { decodeIds, exactly } from '../../storage/seam/rows.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { idsOf } from './graph-rows.js';

/** What a transaction did to one row. */
export interface RowChange {
  readonly op: 'assert' | 'retract';
  readonly s: TermId;
  readonly p: TermId;
  readonly o: TermId;
}

/** Values that no subject has any more, beyond which they are dropped. */
const UNUSED_MAX = 1000;

export class BookPart<Value> {
  readonly #objects = new Map<TermId, TermId>();
  readonly #values = new Map<TermId, Value | null>();

  constructor(
    private readonly predicate: Quad['predicate'],
    private readonly read: (text: string) => Value | null,
  ) {}

  load(snapshot: StorageSnapshot, time: TimeSlice): this {
    const p = snapshot.encode(this.predicate, true);
    if (p === null) return this;
    for (const [s, o] of idsOf(snapshot, { p: exactly(p) }, ['s', 'o'], time)) {
      this.#objects.set(s as TermId, o as TermId);
    }
    return this;
  }

  /** Takes what later transactions did, in their order: of each the retractions first. */
  follow(snapshot: StorageSnapshot, changes: readonly RowChange[]): void {
    const predicate = snapshot.encode(this.predicate, true);
    for (const { op, s, p, o } of changes) {
      if (p !== predicate) continue;
      if (op === 'assert') this.#objects.set(s, o);
      else if (this.#objects.get(s) === o) this.#objects.delete(s);
    }
    if (this.#values.size > this.#objects.size + UNUSED_MAX) this.#values.clear();
  }

  get size(): number {
    return this.#objects.size;
  }

  has(subject: TermId): boolean {
    return this.#objects.has(subject);
  }

  /** Ascending. */
  subjects(): TermId[] {
    return ascending(this.#objects.keys());
  }

  /** Null where there is no such row, or one that can't be read. */
  get(snapshot: StorageSnapshot, subject: TermId): Value | null {
    const object = this.#objects.get(subject);
    if (object === undefined) return null;
    const known = this.#values.get(object);
    if (known !== undefined) return known;
    this.#readAll(snapshot, [object]);
    return this.#values.get(object) ?? null;
  }

  /** Subjects with rows that can be read, in no particular order. */
  *entries(snapshot: StorageSnapshot): Generator<readonly [subject: TermId, value: Value]> {
    const unread = new Set<TermId>();
    for (const object of this.#objects.values()) if (!this.#values.has(object)) unread.add(object);
    if (unread.size > 0) this.#readAll(snapshot, [...unread]);
    for (const [subject, object] of this.#objects) {
      const value = this.#values.get(object) ?? null;
      if (value !== null) yield [subject, value];
    }
  }

  #readAll(snapshot: StorageSnapshot, objects: readonly TermId[]): void {
    for (const [at, { value }] of decodeIds(snapshot, objects).entries()) {
      this.#values.set(objects[at] as TermId, this.read(value));
    }
  }
}

export function ascending(ids: Iterable<TermId>): TermId[] {
  return [...ids].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
