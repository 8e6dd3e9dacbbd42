/**
 * A staged transaction of the in-memory store: which quads it opens and which rows it closes, netted
 * per quad as the changes come. Nothing of the store changes before `commit`; new terms stand in an
 * overlay that is dropped with the stage.
 */

import { SvcError } from '../../base/errors.js';
import { CheckedTerms, VERBATIM_NODES } from '../../rdf/checked-terms.js';
import type { Quad, Term } from '../../rdf/terms.js';
import { idOfHalves } from '../ids/halves.js';
import { type Instant, instantToColumn, OPEN, TAG, type TermId, type TxId, tagOf } from '../ids/layout.js';
import type { ChangeCounts, CommitOptions, Committed, GraphChange, QuadColumns, Stage } from '../seam/engine.js';
import type { WriteEvents } from '../seam/event-log.js';
import type { StorageSnapshot } from '../seam/scan.js';
import type { BatchShape } from './cursor.js';
import { idsOf, keyOf, type Row, type RowIds } from './rows.js';
import { MemorySnapshot } from './snapshot.js';
import type { State } from './state.js';
import { TermOverlay, type TermTable } from './term-table.js';

/** What a transaction does to the store. */
export interface NetChange {
  readonly opened: readonly Row[];
  /** Rows of the state before -> the same rows, closed. */
  readonly closed: ReadonlyMap<Row, Row>;
  readonly terms: TermOverlay;
  readonly counts: ChangeCounts;
}

/** What the stage needs of the store. */
export interface TransactionHost {
  readonly state: State;
  readonly terms: TermTable;
  readonly shape: BatchShape;
  /** The open rows of a quad in `state`. */
  openRows(key: string): readonly Row[];
  /** Makes the change the newest state. */
  accept(change: NetChange, events: WriteEvents | undefined): void;
  /** The stage is over, one way or the other. */
  release(): void;
}

export interface TransactionTimes {
  readonly tx: TxId;
  readonly timestamp: Instant;
  readonly validFrom: Instant;
}

function compareIds(a: RowIds, b: RowIds): number {
  for (const position of ['s', 'p', 'o', 'g'] as const) {
    if (a[position] !== b[position]) return a[position] < b[position] ? -1 : 1;
  }
  return 0;
}

interface Opened {
  readonly ids: RowIds;
  readonly validFrom: Instant;
}

interface Closed {
  readonly rows: readonly Row[];
  readonly validTo: Instant;
}

export class MemoryTransaction implements Stage {
  readonly tx: TxId;
  readonly timestamp: Instant;
  readonly validFrom: Instant;
  readonly #host: TransactionHost;
  readonly #terms: TermOverlay;
  readonly #checked = new CheckedTerms(VERBATIM_NODES, 'transaction', undefined, 'invalid_request');
  /** Quads that were not open before and are now. */
  readonly #opened = new Map<string, Opened>();
  /** Quads that were open before and are not any more, with the rows that this closes. */
  readonly #closed = new Map<string, Closed>();
  #over: 'committed' | 'discarded' | null = null;

  constructor(host: TransactionHost, times: TransactionTimes) {
    this.tx = times.tx;
    this.timestamp = times.timestamp;
    this.validFrom = times.validFrom;
    this.#host = host;
    this.#terms = new TermOverlay(host.terms);
  }

  get counts(): ChangeCounts {
    return { asserted: this.#opened.size, retracted: this.#closed.size };
  }

  assert(quads: Iterable<Quad>, validFrom?: Instant): number {
    this.#assertUsable();
    let opened = 0;
    for (const quad of quads) {
      if (this.#open(idsOf(this.#checked.quad(quad), this.#terms), validFrom)) opened++;
    }
    return opened;
  }

  retract(quads: Iterable<Quad>, validTo?: Instant): number {
    this.#assertUsable();
    let closed = 0;
    for (const quad of quads) {
      const ids = this.#knownIds(this.#checked.quad(quad));
      if (ids !== null && this.#close(ids, validTo)) closed++;
    }
    return closed;
  }

  assertIds(quads: QuadColumns, validFrom?: Instant): number {
    this.#assertUsable();
    let opened = 0;
    for (let row = 0; row < quads.rows; row++) if (this.#open(this.#idsAt(quads, row), validFrom)) opened++;
    return opened;
  }

  retractIds(quads: QuadColumns): number {
    this.#assertUsable();
    let closed = 0;
    for (let row = 0; row < quads.rows; row++) if (this.#close(this.#idsAt(quads, row))) closed++;
    return closed;
  }

  openQuads(quads: QuadColumns): QuadColumns {
    this.#assertUsable();
    const found = new Map<string, RowIds>();
    for (let row = 0; row < quads.rows; row++) {
      const ids = this.#idsAt(quads, row);
      const key = keyOf(ids);
      if (this.#host.openRows(key).length > 0) found.set(key, ids);
    }
    const rows = [...found.values()].sort((a, b) => compareIds(a, b));
    const column = (position: keyof RowIds): Uint32Array<ArrayBuffer> =>
      new Uint32Array(BigUint64Array.from(rows, (ids) => ids[position]).buffer);
    return { rows: rows.length, s: column('s'), p: column('p'), o: column('o'), g: column('g') };
  }

  intern(term: Term): TermId {
    this.#assertUsable();
    return this.#terms.intern(this.#checked.termAt('object', term));
  }

  changes(): readonly GraphChange[] {
    this.#assertUsable();
    const counts = new Map<TermId, { asserted: number; retracted: number }>();
    const of = (graph: TermId) => {
      const known = counts.get(graph) ?? { asserted: 0, retracted: 0 };
      counts.set(graph, known);
      return known;
    };
    for (const { ids } of this.#opened.values()) of(ids.g).asserted++;
    for (const { rows } of this.#closed.values()) for (const { g } of rows.slice(0, 1)) of(g).retracted++;
    return [...counts].map(([graph, count]) => ({ graph, ...count }));
  }

  before(): StorageSnapshot {
    this.#assertUsable();
    const { state, terms, shape } = this.#host;
    return new MemorySnapshot(state, terms, shape);
  }

  snapshot(): StorageSnapshot {
    this.#assertUsable();
    const { state, terms, shape } = this.#host;
    const { opened, closed } = this.#net(this.#terms);
    const staged = state.after(opened, closed, this.tx, terms.size + this.#terms.size);
    return new MemorySnapshot(staged, this.#terms, shape, true);
  }

  commit(options: CommitOptions = {}): Committed {
    this.#assertUsable();
    this.#over = 'committed';
    const nothing = this.#opened.size === 0 && this.#closed.size === 0;
    if (!nothing || options.recordEmpty) this.#host.accept(this.#net(this.#neededTerms()), options.events);
    this.#host.release();
    return { tx: nothing && !options.recordEmpty ? 0 : this.tx, durable: Promise.resolve(), exclusive: false };
  }

  discard(): void {
    if (this.#over !== null) return;
    this.#over = 'discarded';
    this.#host.release();
  }

  #open(ids: RowIds, validFrom: Instant | undefined): boolean {
    const key = keyOf(ids);
    // Open before and open after is no change, whatever came between.
    if (this.#closed.delete(key)) return true;
    if (this.#opened.has(key) || this.#host.openRows(key).length > 0) return false;
    this.#opened.set(key, { ids, validFrom: validFrom ?? this.validFrom });
    return true;
  }

  #close(ids: RowIds, validTo: Instant = this.timestamp): boolean {
    const key = keyOf(ids);
    if (this.#opened.delete(key)) return true;
    if (this.#closed.has(key)) return false;
    const rows = this.#host.openRows(key);
    if (rows.length === 0) return false;
    this.#closed.set(key, { rows, validTo });
    return true;
  }

  #net(terms: TermOverlay): NetChange {
    const tx = BigInt(this.tx);
    const opened: Row[] = [];
    for (const { ids, validFrom } of this.#opened.values()) {
      const moved = terms === this.#terms ? ids : this.#movedTo(terms, ids);
      opened.push({ ...moved, txFrom: tx, txTo: OPEN, validFrom: instantToColumn(validFrom), validTo: OPEN });
    }
    const closed = new Map<Row, Row>();
    for (const { rows, validTo } of this.#closed.values()) {
      for (const row of rows) closed.set(row, { ...row, txTo: tx, validTo: instantToColumn(validTo) });
    }
    return { opened, closed, terms, counts: this.counts };
  }

  /** Terms of quads that came and went again leave no trace: the terms of what stays, by themselves. */
  #neededTerms(): TermOverlay {
    const needed = new TermOverlay(this.#host.terms);
    for (const { ids } of this.#opened.values()) this.#movedTo(needed, ids);
    return needed.size === this.#terms.size ? this.#terms : needed;
  }

  #movedTo(terms: TermOverlay, ids: RowIds): RowIds {
    const move = (id: TermId): TermId => terms.intern(this.#terms.decode(id));
    return { s: move(ids.s), p: move(ids.p), o: move(ids.o), g: move(ids.g) };
  }

  /** The ids of a quad; null when one of its terms is unknown, so that the quad can't be open. */
  #knownIds(quad: Quad): RowIds | null {
    const [s, p, o, g] = [quad.subject, quad.predicate, quad.object, quad.graph].map((term) =>
      this.#terms.lookup(term),
    ) as [TermId | null, TermId | null, TermId | null, TermId | null];
    return s === null || p === null || o === null || g === null ? null : { s, p, o, g };
  }

  #idsAt(quads: QuadColumns, row: number): RowIds {
    const id = (column: Uint32Array): TermId => idOfHalves(column[2 * row] as number, column[2 * row + 1] as number);
    const ids = { s: id(quads.s), p: id(quads.p), o: id(quads.o), g: id(quads.g) };
    const known = [ids.s, ids.p, ids.o, ids.g].every((one) => this.#terms.has(one));
    if (!known || !isNode(ids.s) || tagOf(ids.p) !== TAG.iri || !isNode(ids.g) || ids.o === 0n) {
      throw new SvcError('invalid_request', `row ${row}: these ids make no quad of this store`);
    }
    return ids;
  }

  #assertUsable(): void {
    if (this.#over === null) return;
    throw new SvcError('invalid_request', `the transaction is ${this.#over} already`);
  }
}

function isNode(id: TermId): boolean {
  return tagOf(id) === TAG.iri || tagOf(id) === TAG.blank;
}
