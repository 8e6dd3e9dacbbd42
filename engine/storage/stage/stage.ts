/**
 * A write beside a store file: one transaction, or several on top of each other.
 *
 * 1. The transaction at hand is judged against the store and the delta of the thread that writes (`write-transaction.ts`).
 * 2. `begin` applies it to that delta ahead of its commit, as an accepted one is, so that the next is judged on top of it.
 *    No view of a reader shows it: its rows carry a transaction that the file does not have yet.
 * 3. `commit` hands all of them to the engine, which makes them visible in one transaction of the file. A stage that is
 *    dropped after a `begin` has the delta made anew from the file.
 *
 * The first transaction of a load has rows that stand in runs which nothing names yet (`BulkRows`). What the stage adds to
 * them is judged against those runs, with a delta of its own.
 */

import { invariant, SvcError } from '../../base/errors.js';
import type { Quad, Term } from '../../rdf/terms.js';
import { type StagedView, UncommittedLayer } from '../delta/uncommitted-layer.js';
import type { Instant, TermId, TxId } from '../ids/layout.js';
import { changesIn, joinChanges } from '../seam/changes-by-graph.js';
import type {
  ChangeCounts,
  ChangesByGraph,
  CommitOptions,
  Committed,
  LoadSummary,
  QuadColumns,
  SettledOptions,
  Stage,
  StagedTransaction,
  TransactionOptions,
} from '../seam/engine.js';
import type { IdColumn, StorageSnapshot } from '../seam/scan.js';
import { StageOfTransactions, TimedTransaction } from '../seam/stage-of-transactions.js';
import { assertMovable, assertUntouched, closePacks, type GraphMove, type GraphMover } from './graph-moves.js';
import { applyTransaction } from './record-transaction.js';
import { type StageBase, type TransactionBegin, WriteTransaction } from './write-transaction.js';

/** Rows that came in bulk, in runs beside the store. */
export interface BulkRows {
  readonly summary: LoadSummary;
  /** What the documents repeat of noted rows; null: nothing was to be noted. */
  readonly repeated: QuadColumns | null;
  /** Rows that they add to each graph. */
  readonly perGraph: ReadonlyMap<TermId, number>;
  /** The store without them. */
  before(): StorageSnapshot;
}

export interface StageHost {
  /** Null for a write that is no load. */
  readonly bulk: BulkRows | null;
  /** What the changes of the stage are judged against; asked for with the first of them. */
  base(): StageBase;
  snapshot(staged: StagedView): StorageSnapshot;
  /** Null where graphs can't be moved. */
  readonly mover: GraphMover | null;
  /** The packs of `moves` are closed by who accepts them. */
  accept(transactions: readonly AcceptedTransaction[], options: CommitOptions, moves: readonly GraphMove[]): Committed;
  /** Called once; `applied`: changes of the stage stand in the delta, and do not count. */
  ended(applied: boolean): void;
}

/** A transaction that is to be written. */
export interface AcceptedTransaction extends StagedTransaction {
  readonly options: SettledOptions;
  /** Null: all of its rows came in bulk. */
  readonly written: WriteTransaction | null;
  /** Its changes stand in the delta. */
  readonly applied: boolean;
}

export class FileStage extends StageOfTransactions<Transaction> implements Stage {
  readonly #host: StageHost;
  /** A transaction was applied to the delta ahead of its commit. */
  #applied = false;
  readonly #moves: GraphMove[] = [];

  constructor(host: StageHost, tx: TxId, options: SettledOptions) {
    super();
    this.#host = host;
    this.#begin(tx, options);
  }

  get loaded(): LoadSummary | null {
    return this.#host.bulk?.summary ?? null;
  }

  get repeated(): QuadColumns | null {
    return this.#host.bulk?.repeated ?? null;
  }

  #begin(tx: TxId, options: SettledOptions): void {
    const begin = { tx, options, assertOpen: () => this.assertOpen() };
    this.transactions.push(new Transaction(this.#host, begin, this.transactions[0]?.tx ?? tx));
  }

  begin(options: TransactionOptions): void {
    this.assertOpen();
    this.#applied = true;
    this.current.apply();
    this.#begin(this.tx + 1, this.settled(options));
  }

  assert(quads: Iterable<Quad>, validFrom?: Instant, validTo?: Instant): number {
    return this.#writing().assert(quads, validFrom, validTo);
  }

  retract(quads: Iterable<Quad>, validTo?: Instant): number {
    return this.#writing().retract(quads, validTo);
  }

  assertIds(quads: QuadColumns, validFrom?: Instant | IdColumn): number {
    return this.#writing().assertIds(quads, validFrom);
  }

  retractIds(quads: QuadColumns, validTo?: Instant): number {
    return this.#writing().retractIds(quads, validTo);
  }

  openQuads(quads: QuadColumns): QuadColumns {
    return this.#writing().openQuads(quads);
  }

  intern(term: Term): TermId {
    return this.#writing().intern(term);
  }

  relocate(graph: string): void {
    this.#move((mover) => mover.relocate(graph));
  }

  restore(path: string): void {
    this.#move((mover) => mover.restore(path));
  }

  #move(prepare: (mover: GraphMover) => GraphMove): void {
    this.assertOpen();
    const { mover } = this.#host;
    if (mover === null) throw new SvcError('invalid_request', 'a load can not move graphs');
    const move = prepare(mover);
    try {
      assertMovable(this.#moves, move);
    } catch (error) {
      void closePacks([move]);
      throw error;
    }
    this.#moves.push(move);
  }

  #writing(): WriteTransaction {
    this.assertOpen();
    return this.current.changing();
  }

  commit(options: CommitOptions = {}): Committed {
    this.assertOpen();
    const last = this.current;
    invariant(last.written?.layer.shared !== true, 'snapshots of a stage are closed before it is committed');
    const moves = this.#moves;
    if (moves.length > 0) {
      const changed = this.transactions.flatMap((one) => one.changedGraphs());
      assertUntouched(moves, changed);
    }
    const isWritten =
      last.bulk !== null || last.written?.isEmpty === false || options.recordEmpty === true || moves.length > 0;
    const written = isWritten ? this.transactions : this.transactions.slice(0, -1);
    let accepted = written.length === 0;
    try {
      const nothing: Committed = { tx: 0, durable: Promise.resolve(), exclusive: false };
      const committed = accepted ? nothing : this.#host.accept(written, options, moves);
      accepted = true;
      return committed;
    } finally {
      this.#end('committed', accepted);
    }
  }

  discard(): void {
    if (this.state === 'open') this.#end('discarded', false);
  }

  #end(state: 'committed' | 'discarded', accepted: boolean): void {
    this.state = state;
    for (const transaction of this.transactions) transaction.written?.release();
    if (!accepted) void closePacks(this.#moves);
    this.#host.ended(this.#applied && !accepted);
  }
}

class Transaction extends TimedTransaction implements AcceptedTransaction {
  readonly bulk: BulkRows | null;
  readonly #host: StageHost;
  readonly #assertOpen: () => void;
  /** The first transaction of the stage. */
  readonly #first: TxId;
  #written: WriteTransaction | null = null;
  #bulkChanges: ChangesByGraph | null = null;
  #applied = false;

  constructor(host: StageHost, { tx, options, assertOpen }: TransactionBegin, first: TxId) {
    super(tx, options);
    this.#host = host;
    this.#first = first;
    this.bulk = tx === first ? host.bulk : null;
    this.#assertOpen = assertOpen;
    // Most loads have no other rows.
    if (this.bulk === null) this.changing();
  }

  get counts(): ChangeCounts {
    const { asserted, retracted } = this.#written?.counts ?? { asserted: 0, retracted: 0 };
    return { asserted: asserted + (this.bulk?.summary.quadsAdded ?? 0), retracted };
  }

  get written(): WriteTransaction | null {
    return this.#written;
  }

  get applied(): boolean {
    return this.#applied;
  }

  /** To be changed. */
  changing(): WriteTransaction {
    const { tx, options } = this;
    this.#written ??= new WriteTransaction(this.#host.base(), { tx, options, assertOpen: this.#assertOpen });
    return this.#written;
  }

  /** Puts its changes into the delta, ahead of its commit: the next transaction is judged on top of them. */
  apply(): void {
    this.#applied = true;
    if (this.#written === null) return;
    invariant(!this.#written.layer.shared, 'snapshots of a transaction are closed before the next begins');
    this.#written.freeze();
    applyTransaction(this.#host.base().delta, this.#written);
  }

  changes(): ChangesByGraph {
    this.#assertOpen();
    const written = this.#written === null ? [] : [this.#written.changes()];
    const { bulk } = this;
    if (bulk === null) return joinChanges(written);
    const open = () => this.#host.snapshot({ overlay: null, tx: this.tx });
    this.#bulkChanges ??= changesIn(open, this.tx, bulk.summary.quadsAdded, () =>
      [...bulk.perGraph].map(([graph, asserted]) => ({ graph, asserted, retracted: 0 })),
    );
    return joinChanges([this.#bulkChanges, ...written]);
  }

  changedGraphs(): TermId[] {
    return this.changes().graphs.map(({ graph }) => graph);
  }

  before(): StorageSnapshot {
    this.#assertOpen();
    return this.bulk?.before() ?? this.#accepted(this.tx - 1);
  }

  snapshot(): StorageSnapshot {
    this.#assertOpen();
    if (this.#applied) return this.#accepted(this.tx);
    const written = this.#written;
    if (written === null) return this.#host.snapshot({ overlay: null, tx: this.tx });
    const { transaction } = this.#host.base().view;
    return this.#host.snapshot({
      overlay: written.layer,
      tx: this.tx,
      transaction,
      stagedFrom: this.#first,
      inRuns: this.bulk !== null,
    });
  }

  /** The store with what was accepted or applied up to a transaction, whether it is on the disk or not. */
  #accepted(tx: TxId): StorageSnapshot {
    const { delta } = this.#host.base();
    const nothing = UncommittedLayer.empty(delta.memory, delta.terms.next);
    try {
      return this.#host.snapshot({ overlay: nothing, tx, stagedFrom: this.#first });
    } finally {
      nothing.unpin();
    }
  }
}
