/**
 * A staged write of the in-memory store: which quads each of its transactions opens and which rows it closes, netted
 * per quad as the changes come. Nothing of the store changes before `commit`; new terms stand in an
 * overlay that is dropped with the stage. A load is a stage whose quads were opened when it began.
 */

import { SvcError } from '../../base/errors.js';
import { CheckedTerms, VERBATIM_NODES } from '../../rdf/checked-terms.js';
import type { Quad, Term } from '../../rdf/terms.js';
import { idOfHalves } from '../ids/halves.js';
import { columnToInstant, type Instant, TAG, type TermId, type TxId, tagOf } from '../ids/layout.js';
import type {
  CommitOptions,
  Committed,
  LoadOptions,
  LoadSummary,
  QuadColumns,
  SettledOptions,
  Stage,
  TransactionOptions,
} from '../seam/engine.js';
import type { WriteEvents } from '../seam/event-log.js';
import { idIn } from '../seam/rows.js';
import type { IdColumn } from '../seam/scan.js';
import { StageOfTransactions } from '../seam/stage-of-transactions.js';
import { assertMovable, assertUntouched, type GraphMove, type GraphMover } from '../stage/graph-moves.js';
import type { BatchShape } from './cursor.js';
import { compareIds, idsOf, keyOf, type RowIds } from './rows.js';
import { TermTable } from './term-table.js';
import { type Below, MemoryTransaction, type NetChange } from './transaction.js';

export interface AcceptOptions {
  readonly events: readonly (WriteEvents | undefined)[];
  /** Graphs that leave the store or come back. */
  readonly moves: readonly GraphMove[];
  /** False: the catalog of graphs is as it was. */
  readonly catalog: boolean;
}

/** What the stage needs of the store. */
export interface StageHost extends Below {
  readonly shape: BatchShape;
  /** Makes the changes the newest state, one after the other. */
  accept(changes: readonly NetChange[], terms: TermTable, options: AcceptOptions): void;
  readonly mover: GraphMover;
  /** The stage is over, one way or the other. */
  release(): void;
}

/** Documents that were read for a load. */
export interface LoadedQuads {
  readonly quads: readonly Quad[];
  readonly bytesRead: number;
  readonly sources: number;
}

export class MemoryStage extends StageOfTransactions<MemoryTransaction> implements Stage {
  readonly loaded: LoadSummary | null;
  readonly repeated: QuadColumns | null;
  readonly #host: StageHost;
  readonly #terms: TermTable;
  readonly #moves: GraphMove[] = [];
  readonly #checked = new CheckedTerms(VERBATIM_NODES, 'transaction', undefined, 'invalid_request');

  constructor(host: StageHost, options: SettledOptions & Pick<LoadOptions, 'noteRepeated'>, load?: LoadedQuads) {
    super();
    this.#host = host;
    this.#terms = new TermTable(host.terms);
    this.#begin(host, host.state.tx + 1, options);
    const { noteRepeated } = options;
    this.repeated = load === undefined || noteRepeated === undefined ? null : this.#repeatedBy(load, noteRepeated);
    this.loaded = load === undefined ? null : this.#load(load);
  }

  #repeatedBy({ quads }: LoadedQuads, isNoted: (tx: TxId) => boolean): QuadColumns {
    const found = new Map<string, RowIds>();
    for (const quad of quads) {
      const ids = this.#knownIds(quad);
      const rows = ids === null ? [] : this.#host.openRows(keyOf(ids));
      if (ids !== null && rows.some(({ txFrom }) => isNoted(Number(txFrom)))) found.set(keyOf(ids), ids);
    }
    return columnsOf([...found.values()]);
  }

  #load({ quads, bytesRead, sources }: LoadedQuads): LoadSummary {
    const ids = quads.map((quad) => idsOf(quad, this.#terms));
    const quadsAdded = this.#count(ids, (one) => this.current.open(one, undefined));
    return { quadsRead: quads.length, quadsAdded, bytesRead, termsAdded: this.#terms.size, sources };
  }

  #begin(below: Below, tx: TxId, options: SettledOptions): void {
    const view = { below, terms: this.#terms, shape: this.#host.shape, assertOpen: () => this.assertOpen() };
    this.transactions.push(new MemoryTransaction(view, tx, options));
  }

  begin(options: TransactionOptions): void {
    this.assertOpen();
    this.#begin(this.current.above(), this.tx + 1, this.settled(options));
  }

  assert(quads: Iterable<Quad>, validFrom?: Instant, validTo?: Instant): number {
    return this.#count(quads, (quad) =>
      this.current.open(idsOf(this.#checked.quad(quad), this.#terms), validFrom, validTo),
    );
  }

  retract(quads: Iterable<Quad>, validTo?: Instant): number {
    return this.#count(quads, (quad) => {
      const ids = this.#knownIds(this.#checked.quad(quad));
      return ids !== null && this.#close(ids, validTo);
    });
  }

  assertIds(quads: QuadColumns, validFrom?: Instant | IdColumn): number {
    if (typeof validFrom !== 'object')
      return this.#count(this.#idsIn(quads), (ids) => this.current.open(ids, validFrom));
    let row = 0;
    return this.#count(this.#idsIn(quads), (ids) => this.current.open(ids, columnToInstant(idIn(validFrom, row++))));
  }

  retractIds(quads: QuadColumns, validTo?: Instant): number {
    return this.#count(this.#idsIn(quads), (ids) => this.#close(ids, validTo));
  }

  /** How many a change changes. */
  #count<Changed>(all: Iterable<Changed>, change: (one: Changed) => boolean): number {
    this.assertOpen();
    let changed = 0;
    for (const one of all) if (change(one)) changed++;
    return changed;
  }

  #close(ids: RowIds, validTo?: Instant): boolean {
    if (this.loaded !== null && this.transactions.length === 1 && this.current.opens(ids)) {
      throw new SvcError('invalid_request', 'a load can not retract in its own transaction what it has loaded', {
        hint: 'begin another transaction of the same stage',
      });
    }
    return this.current.close(ids, validTo);
  }

  openQuads(quads: QuadColumns): QuadColumns {
    this.assertOpen();
    const found = new Map<string, RowIds>();
    for (const ids of this.#idsIn(quads)) if (this.current.wasOpen(keyOf(ids))) found.set(keyOf(ids), ids);
    return columnsOf([...found.values()].sort((a, b) => compareIds(a, b, 'SPOG')));
  }

  intern(term: Term): TermId {
    this.assertOpen();
    return this.#terms.intern(this.#checked.termAt('object', term));
  }

  relocate(graph: string): void {
    this.#move((mover) => mover.relocate(graph));
  }

  restore(path: string): void {
    this.#move((mover) => mover.restore(path));
  }

  #move(prepare: (mover: GraphMover) => GraphMove): void {
    this.assertOpen();
    if (this.loaded !== null) throw new SvcError('invalid_request', 'a load can not move graphs');
    const move = prepare(this.#host.mover);
    assertMovable(this.#moves, move);
    this.#moves.push(move);
  }

  commit({ recordEmpty = false, events = [], catalog = true }: CommitOptions = {}): Committed {
    this.assertOpen();
    const moves = this.#moves;
    if (moves.length > 0) {
      const changed = this.transactions.flatMap((one) => one.changes().graphs.map(({ graph }) => graph));
      assertUntouched(moves, changed);
    }
    this.state = 'committed';
    const { asserted, retracted } = this.current.counts;
    const isLoad = this.loaded !== null && this.transactions.length === 1;
    const isWritten = asserted + retracted > 0 || recordEmpty || isLoad || moves.length > 0;
    const written = isWritten ? this.transactions : this.transactions.slice(0, -1);
    const tx = written[0]?.tx ?? 0;
    if (written.length > 0) {
      const terms = written.length === 1 && !isLoad ? this.#neededTerms() : this.#terms;
      const changes = written.map((one) => one.net((ids) => this.#movedTo(terms, ids)));
      this.#host.accept(changes, terms, { events, catalog, moves });
    }
    this.#host.release();
    return { tx, durable: Promise.resolve(), exclusive: false };
  }

  discard(): void {
    if (this.state !== 'open') return;
    this.state = 'discarded';
    this.#host.release();
  }

  /** Terms of quads that came and went again leave no trace: the terms of what stays, by themselves. */
  #neededTerms(): TermTable {
    const needed = new TermTable(this.#host.terms);
    for (const ids of this.current.openedIds) this.#movedTo(needed, ids);
    return needed.size === this.#terms.size ? this.#terms : needed;
  }

  #movedTo(terms: TermTable, ids: RowIds): RowIds {
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

  *#idsIn(quads: QuadColumns): Generator<RowIds> {
    for (let row = 0; row < quads.rows; row++) {
      const id = (column: Uint32Array): TermId => idOfHalves(column[2 * row] as number, column[2 * row + 1] as number);
      const ids = { s: id(quads.s), p: id(quads.p), o: id(quads.o), g: id(quads.g) };
      const known = [ids.s, ids.p, ids.o, ids.g].every((one) => this.#terms.has(one));
      if (!known || !isNode(ids.s) || tagOf(ids.p) !== TAG.iri || !isNode(ids.g) || ids.o === 0n) {
        throw new SvcError('invalid_request', `row ${row}: these ids make no quad of this store`);
      }
      yield ids;
    }
  }
}

function columnsOf(rows: readonly RowIds[]): QuadColumns {
  const column = (position: keyof RowIds): Uint32Array<ArrayBuffer> =>
    new Uint32Array(BigUint64Array.from(rows, (ids) => ids[position]).buffer);
  return { rows: rows.length, s: column('s'), p: column('p'), o: column('o'), g: column('g') };
}

function isNode(id: TermId): boolean {
  return tagOf(id) === TAG.iri || tagOf(id) === TAG.blank;
}
