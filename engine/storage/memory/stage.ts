/**
 * A staged write of the in-memory store: which quads each of its transactions opens and which rows it closes, netted
 * per quad as the changes come. Nothing of the store changes before `commit`; new terms stand in an
 * overlay that is dropped with the stage. A load is a stage whose quads were opened when it began.
 */

import { SvcError } from '../../base/errors.js';
import { CheckedTerms, VERBATIM_NODES } from '../../rdf/checked-terms.js';
import type { Quad, Term } from '../../rdf/terms.js';
import { idOfHalves } from '../ids/halves.js';
import { type Instant, TAG, type TermId, type TxId, tagOf } from '../ids/layout.js';
import type {
  ChangeCounts,
  ChangesByGraph,
  CommitOptions,
  Committed,
  LoadSummary,
  QuadColumns,
  Stage,
  StagedTransaction,
  TransactionOptions,
} from '../seam/engine.js';
import type { WriteEvents } from '../seam/event-log.js';
import type { StorageSnapshot } from '../seam/scan.js';
import type { BatchShape } from './cursor.js';
import { idsOf, keyOf, type Row, type RowIds } from './rows.js';
import type { State } from './state.js';
import { TermOverlay, type TermTable } from './term-table.js';
import { type Below, MemoryTransaction, type NetChange, type SettledOptions } from './transaction.js';

/** What the stage needs of the store. */
export interface StageHost {
  readonly state: State;
  readonly terms: TermTable;
  readonly shape: BatchShape;
  /** The open rows of a quad in `state`. */
  openRows(key: string): readonly Row[];
  /** Makes the changes the newest state, one after the other. */
  accept(changes: readonly NetChange[], terms: TermOverlay, events: readonly (WriteEvents | undefined)[]): void;
  /** The stage is over, one way or the other. */
  release(): void;
}

/** Documents that were read for a load. */
export interface LoadedQuads {
  readonly quads: readonly Quad[];
  readonly bytesRead: number;
  readonly sources: number;
}

function compareIds(a: RowIds, b: RowIds): number {
  for (const position of ['s', 'p', 'o', 'g'] as const) {
    if (a[position] !== b[position]) return a[position] < b[position] ? -1 : 1;
  }
  return 0;
}

export class MemoryStage implements Stage {
  readonly loaded: LoadSummary | null;
  readonly #host: StageHost;
  readonly #terms: TermOverlay;
  readonly #checked = new CheckedTerms(VERBATIM_NODES, 'transaction', undefined, 'invalid_request');
  readonly #transactions: MemoryTransaction[];
  #over: 'committed' | 'discarded' | null = null;

  constructor(host: StageHost, options: SettledOptions, load?: LoadedQuads) {
    this.#host = host;
    this.#terms = new TermOverlay(host.terms);
    const { state, terms } = host;
    const below = { state, terms, openRows: (key: string) => host.openRows(key) };
    this.#transactions = [this.#begun(below, state.tx + 1, options)];
    this.loaded = load === undefined ? null : this.#load(load);
  }

  #load({ quads, bytesRead, sources }: LoadedQuads): LoadSummary {
    let quadsAdded = 0;
    for (const quad of quads) if (this.#current.open(idsOf(quad, this.#terms), undefined)) quadsAdded++;
    return { quadsRead: quads.length, quadsAdded, bytesRead, termsAdded: this.#terms.size, sources };
  }

  #begun(below: Below, tx: TxId, options: SettledOptions): MemoryTransaction {
    const view = { below, terms: this.#terms, shape: this.#host.shape, assertUsable: () => this.#assertUsable() };
    return new MemoryTransaction(view, tx, options);
  }

  get #current(): MemoryTransaction {
    return this.#transactions[this.#transactions.length - 1] as MemoryTransaction;
  }

  get transactions(): readonly StagedTransaction[] {
    return this.#transactions;
  }

  get tx(): TxId {
    return this.#current.tx;
  }

  get timestamp(): Instant {
    return this.#current.timestamp;
  }

  get validFrom(): Instant {
    return this.#current.validFrom;
  }

  get options(): TransactionOptions {
    return this.#current.options;
  }

  get counts(): ChangeCounts {
    return this.#current.counts;
  }

  changes(): ChangesByGraph {
    return this.#current.changes();
  }

  before(): StorageSnapshot {
    return this.#current.before();
  }

  snapshot(): StorageSnapshot {
    return this.#current.snapshot();
  }

  begin(options: TransactionOptions): void {
    this.#assertUsable();
    const { tx, timestamp } = this.#current;
    const settled = { ...options, timestamp: options.timestamp ?? timestamp };
    this.#transactions.push(this.#begun(this.#current.above(), tx + 1, settled));
  }

  assert(quads: Iterable<Quad>, validFrom?: Instant): number {
    this.#assertUsable();
    let opened = 0;
    for (const quad of quads) {
      if (this.#current.open(idsOf(this.#checked.quad(quad), this.#terms), validFrom)) opened++;
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
    for (let row = 0; row < quads.rows; row++) if (this.#current.open(this.#idsAt(quads, row), validFrom)) opened++;
    return opened;
  }

  retractIds(quads: QuadColumns): number {
    this.#assertUsable();
    let closed = 0;
    for (let row = 0; row < quads.rows; row++) if (this.#close(this.#idsAt(quads, row))) closed++;
    return closed;
  }

  #close(ids: RowIds, validTo?: Instant): boolean {
    if (this.loaded !== null && this.#transactions.length === 1 && this.#current.opens(ids)) {
      throw new SvcError('invalid_request', 'a load can not retract in its own transaction what it has loaded', {
        hint: 'begin another transaction of the same stage',
      });
    }
    return this.#current.close(ids, validTo);
  }

  openQuads(quads: QuadColumns): QuadColumns {
    this.#assertUsable();
    const found = new Map<string, RowIds>();
    for (let row = 0; row < quads.rows; row++) {
      const ids = this.#idsAt(quads, row);
      const key = keyOf(ids);
      if (this.#current.wasOpen(key)) found.set(key, ids);
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

  commit({ recordEmpty = false, events = [] }: CommitOptions = {}): Committed {
    this.#assertUsable();
    this.#over = 'committed';
    const { asserted, retracted } = this.#current.counts;
    const isLoad = this.loaded !== null && this.#transactions.length === 1;
    const isWritten = asserted + retracted > 0 || recordEmpty || isLoad;
    const written = isWritten ? this.#transactions : this.#transactions.slice(0, -1);
    const tx = written[0]?.tx ?? 0;
    if (written.length > 0) {
      const terms = written.length === 1 && !isLoad ? this.#neededTerms() : this.#terms;
      const changes = written.map((one) => one.net((ids) => this.#movedTo(terms, ids)));
      this.#host.accept(changes, terms, events);
    }
    this.#host.release();
    return { tx, durable: Promise.resolve(), exclusive: false };
  }

  discard(): void {
    if (this.#over !== null) return;
    this.#over = 'discarded';
    this.#host.release();
  }

  /** Terms of quads that came and went again leave no trace: the terms of what stays, by themselves. */
  #neededTerms(): TermOverlay {
    const needed = new TermOverlay(this.#host.terms);
    for (const ids of this.#current.openedIds()) this.#movedTo(needed, ids);
    return needed.size === this.#terms.size ? this.#terms : needed;
  }

  #movedTo(terms: TermOverlay, ids: RowIds): RowIds {
    if (terms === this.#terms) return ids;
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
