/**
 * Rows of the registry graph with one predicate, by subject: ids when they are read, and what their texts say when somebody asks.
 * A small part is read with the first question; of a large one single subjects are looked up, until somebody asks for all of it.
 * Texts that many subjects have are read once, and are the same object for all of them.
 */

import type { Quad } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { decodeIds, exactly, readRows } from '../../storage/seam/rows.js';
import type { ScanPattern, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { idsOf } from './graph-rows.js';
import { registryId } from './system-graphs.js';

/** What a transaction did to one row. */
export interface RowChange {
  readonly op: 'assert' | 'retract';
  readonly s: TermId;
  readonly p: TermId;
  readonly o: TermId;
}

/** Values that no subject has any more, beyond which they are dropped. */
const UNUSED_MAX = 1000;
/** A part of so few rows is read as a whole with the first question. */
const SMALL_ROWS_MAX = 1000;
/** After so many questions about single subjects a part is read as a whole. */
const SINGLE_LOOKUPS_MAX = 1000;

export class BookPart<Value> {
  /** By subject; null = it is known to have no row. */
  readonly #objects = new Map<TermId, TermId | null>();
  readonly #values = new Map<TermId, Value | null>();
  /** Subjects that are not known have no row. */
  #isWhole = false;
  /** Whether it has too many rows to be read for one question; asked once. */
  #isLarge: boolean | null = null;

  constructor(
    private readonly predicate: Quad['predicate'],
    private readonly read: (text: string) => Value | null,
    private readonly time: TimeSlice,
  ) {}

  /** Takes what later transactions did, in their order. */
  follow(snapshot: StorageSnapshot, changes: readonly RowChange[]): void {
    const predicate = snapshot.encode(this.predicate, true);
    for (const { op, s, p, o } of changes) {
      if (p !== predicate) continue;
      if (op === 'assert') this.#objects.set(s, o);
      else if (this.#objects.get(s) === o) this.#objects.set(s, null);
    }
    if (this.#values.size > this.#objects.size + UNUSED_MAX) this.#values.clear();
  }

  /** To be called before many subjects are asked about: reads the rows, and not their texts. */
  load(snapshot: StorageSnapshot): void {
    this.#load(snapshot);
  }

  /** True when no subject has a row. */
  isEmpty(snapshot: StorageSnapshot): boolean {
    if (!this.#isWhole) return this.#rowsAtMost(snapshot) === 0;
    for (const object of this.#objects.values()) if (object !== null) return false;
    return true;
  }

  has(snapshot: StorageSnapshot, subject: TermId): boolean {
    return this.#objectOf(snapshot, subject) !== null;
  }

  #objectOf(snapshot: StorageSnapshot, subject: TermId): TermId | null {
    const known = this.#objects.get(subject);
    if (known !== undefined || this.#isWhole) return known ?? null;
    this.#isLarge ??= this.#rowsAtMost(snapshot) > SMALL_ROWS_MAX;
    if (this.#objects.size >= SINGLE_LOOKUPS_MAX || !this.#isLarge) {
      this.#load(snapshot);
      return this.#objects.get(subject) ?? null;
    }
    const [row] = this.#rows(snapshot, { s: exactly(subject) });
    const object = row?.[1] ?? null;
    this.#objects.set(subject, object);
    return object;
  }

  #load(snapshot: StorageSnapshot): void {
    if (this.#isWhole) return;
    const [graph, p] = [registryId(snapshot), snapshot.encode(this.predicate, true)];
    if (graph !== null && p !== null) {
      const request = { graphs: { kind: 'one', graph }, pattern: { p: exactly(p) }, time: this.time } as const;
      for (const batch of readRows(snapshot, { ...request, columns: ['s', 'o'] })) {
        for (let row = 0; row < batch.rows; row++) this.#objects.set(batch.id('s', row), batch.id('o', row));
      }
    }
    this.#isWhole = true;
  }

  #rows(snapshot: StorageSnapshot, of: ScanPattern): TermId[][] {
    const p = snapshot.encode(this.predicate, true);
    return p === null ? [] : idsOf(snapshot, { ...of, p: exactly(p) }, ['s', 'o'], this.time);
  }

  #rowsAtMost(snapshot: StorageSnapshot): number {
    const [graph, p] = [registryId(snapshot), snapshot.encode(this.predicate, true)];
    if (graph === null || p === null) return 0;
    const { time } = this;
    return snapshot.estimate({ graphs: { kind: 'one', graph }, pattern: { p: exactly(p) }, time }).rows;
  }

  /** Ascending. */
  subjects(snapshot: StorageSnapshot): TermId[] {
    this.#load(snapshot);
    return ascending([...this.#objects].flatMap(([subject, object]) => (object === null ? [] : subject)));
  }

  /** Null where there is no such row, or one that can't be read. */
  get(snapshot: StorageSnapshot, subject: TermId): Value | null {
    const object = this.#objectOf(snapshot, subject);
    if (object === null) return null;
    const known = this.#values.get(object);
    if (known !== undefined) return known;
    this.#readAll(snapshot, [object]);
    return this.#values.get(object) ?? null;
  }

  /** Subjects with rows that can be read, in no particular order. */
  *entries(snapshot: StorageSnapshot): Generator<readonly [subject: TermId, value: Value]> {
    this.prepare(snapshot);
    for (const [subject, object] of this.#objects) {
      const value = object === null ? null : (this.#values.get(object) ?? null);
      if (value !== null) yield [subject, value];
    }
  }

  /** Reads all rows and their texts, for many questions that are about to come. */
  prepare(snapshot: StorageSnapshot): void {
    this.#load(snapshot);
    const unread = new Set<TermId>();
    for (const object of this.#objects.values()) if (object !== null && !this.#values.has(object)) unread.add(object);
    if (unread.size > 0) this.#readAll(snapshot, [...unread]);
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
