/**
 * The storage engine over a store file. One write at a time; any number of snapshots.
 *
 * Length: each operation of the seam stands here with its guards, since they share what is being written and what is open.
 */

import { type Control, throwIfAborted } from '../../base/control.js';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { moveIn, storeMemory } from '../../kernels/thread-memory.js';
import type { Delta } from '../delta/delta.js';
import type { StagedView, UncommittedLayer } from '../delta/uncommitted-layer.js';
import type { TxId } from '../ids/layout.js';
import { EVENTS } from '../indexes/events.js';
import { fileView } from '../indexes/file-view.js';
import { INDEXES } from '../indexes/index-list.js';
import { withLastEvent } from '../indexes/last-event.js';
import {
  askIndex,
  changesOf,
  type FileIndex,
  type FileView,
  type IndexChange,
  type SecondaryIndex,
} from '../indexes/secondary-index.js';
import { SOURCES } from '../indexes/sources.js';
import { TEXT } from '../indexes/text/text-index.js';
import { changeWanted, sameKinds, TEXT_KINDS, type TextKind } from '../indexes/text/text-store.js';
import { TIMES } from '../indexes/times.js';
import { baseNamespaceOr } from '../lmdb/base-namespace.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { Head } from '../log/head.js';
import { transactionsIn, transactionsWith } from '../log/transactions.js';
import { StorePacks } from '../packs/packs-of-store.js';
import { FileSink } from '../runs/file-sink.js';
import { FORMAT_TRIPLE_TERMS, FORMAT_VERSION, type Manifest } from '../runs/manifest.js';
import type {
  BackupReport,
  CommitOptions,
  Committed,
  LoadOptions,
  LoadSource,
  MaintenanceReport,
  Stage,
  StorageEngine,
  StorageStats,
  TransactionOptions,
  TransactionRange,
  TransactionRecord,
  VerifyReport,
} from '../seam/engine.js';
import type { GraphPacks } from '../seam/pack.js';
import type { StorageSnapshot } from '../seam/scan.js';
import type { TimesPart, TransactionTime } from '../seam/transaction-times.js';
import { attachStore, detachStore } from '../snapshot/attach.js';
import { SnapshotContext } from '../snapshot/context.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import { closePacks, type GraphMove } from '../stage/graph-moves.js';
import { applyTransaction } from '../stage/record-transaction.js';
import { type AcceptedTransaction, FileStage } from '../stage/stage.js';
import { KnownTerms } from '../stage/term-encoder.js';
import { collectStats } from '../stats/collect.js';
import { commitRecords } from './commit-records.js';
import { Committer } from './committer.js';
import { FilePacks } from './file-packs.js';
import { LmdbEvents } from './lmdb-events.js';
import { LmdbReplication, type ReplicationHost } from './lmdb-replication.js';
import { Maintenance, type MaintenanceBounds } from './maintenance.js';
import { isLarge, layerOf, publishRows, publishStage, type RowsToPublish } from './publish-stage.js';
import { supposedStage } from './supposed-stage.js';

type BackupOptions = Parameters<StorageEngine['backup']>[1];

/** What a writer holds as long as it has the file open. */
export interface Held {
  release(): void;
}

export interface EngineOptions {
  /** Internal; tests make them small. */
  readonly bounds?: MaintenanceBounds | undefined;
  /** The secondary indexes; absent = those of every store. */
  readonly indexes?: readonly FileIndex[] | undefined;
  /** What it is called; absent = by the path of its file. */
  readonly name?: string | undefined;
}

export class LmdbEngine implements StorageEngine {
  readonly path: string;
  readonly readOnly: boolean;
  readonly events: LmdbEvents;
  readonly packs: GraphPacks;
  readonly replication: LmdbReplication;
  readonly #filePacks: FilePacks;
  readonly #file: LmdbFile;
  readonly #seed: readonly [bigint, bigint];
  readonly #held: Held | null;
  /** Another one when the memory of the thread was given up. */
  #context: SnapshotContext;
  /** Ends that the engine is told of it. */
  readonly #moveOut: () => void;
  readonly #committer: Committer;
  readonly #maintenance: Maintenance;
  readonly #known = new KnownTerms();
  #baseNamespace: string | null = null;
  readonly #open = new Set<LmdbSnapshot>();
  /** True while a write is staged, or the runs are cared for at a caller's wish. */
  #writing = false;
  #stage: FileStage | null = null;
  /** Stages that are never written. */
  readonly #supposed = new Set<Stage>();
  /** True while a transaction too large for the delta is written. */
  #writingLarge = false;
  /** Copies of the file that are being made; closing waits for them. */
  readonly #backups = new Set<Promise<unknown>>();
  #closed = false;

  constructor(file: LmdbFile, seed: readonly [bigint, bigint], held: Held | null, options: EngineOptions = {}) {
    const { bounds = {}, indexes = INDEXES, name = file.path } = options;
    this.path = name;
    this.readOnly = file.readOnly;
    this.#file = file;
    this.#seed = seed;
    this.#held = held;
    this.#context = new SnapshotContext(file, seed, bounds.sliceReads, storeMemory());
    this.#context.viewOf = fileView;
    this.#context.askIndex = (context, state, asked, time) => askIndex(indexes, fileView(context, state), asked, time);
    try {
      this.#committer = new Committer(file, this.#storedHead(), indexes, () => this.#undo());
    } catch (error) {
      this.#context.memory.release();
      throw error;
    }
    this.events = new LmdbEvents({
      file,
      committer: this.#committer,
      read: (read) => this.readIndex(EVENTS, read),
      assertOpen: () => this.#assertOpen(),
      refusal: () => this.replication.refusal,
    });
    const context = () => this.#context;
    this.#filePacks = new FilePacks({
      get context() {
        return context();
      },
      seed,
      snapshot: () => this.snapshot(),
      assertOpen: () => this.#assertOpen(),
    });
    this.packs = new StorePacks(this.#filePacks);
    this.replication = new LmdbReplication({
      get context() {
        return context();
      },
      ...{ file, seed, committer: this.#committer },
      snapshot: () => this.snapshot(),
      assertOpen: () => this.#assertOpen(),
      read: (read) => this.#read(read),
      applying: (work) => this.#applying(work),
      publishing: (rows) => this.#publishing(rows),
    });
    this.#maintenance = new Maintenance(
      {
        get context() {
          return context();
        },
        committer: this.#committer,
        seed,
        isWriting: () => this.#writing,
        isClosed: () => this.#closed,
      },
      bounds,
    );
    this.#moveOut = moveIn({
      isBusy: () => this.#isBusy(),
      move: () => {
        this.#context = this.#context.movedTo(storeMemory());
      },
    });
  }

  /**
   * What is written is judged against the delta of one context. A snapshot that reads attached stores needs them in the
   * memory of its own context.
   */
  #isBusy(): boolean {
    const { attachments, archives } = this.#context;
    const readsOthers = archives?.isRead === true || (attachments.length > 0 && this.#open.size > 0);
    return this.#writing || !this.#committer.idle || this.#maintenance.isWorking || readsOthers;
  }

  snapshot(): StorageSnapshot {
    return this.#openSnapshot();
  }

  #openSnapshot(staged?: StagedView): StorageSnapshot {
    this.#assertOpen();
    const onClose = (): void => {
      this.#open.delete(snapshot);
      this.#maintenance.materialiseSlices(snapshot.counters.blocksRead);
    };
    const snapshot = new LmdbSnapshot(this.#context, onClose, staged);
    this.#open.add(snapshot);
    return snapshot;
  }

  // Writing.

  async stageLoad(sources: readonly LoadSource[], options: LoadOptions, control: Control): Promise<Stage> {
    this.#assertWritable();
    throwIfAborted(control.signal, 'the load');
    this.#writing = true;
    const ended = (): void => {
      this.#writing = false;
    };
    try {
      // A load is compared with runs, so what is in the delta becomes runs first.
      await this.#maintenance.run(control);
      const host = {
        context: this.#context,
        seed: this.#seed,
        committer: this.#committer,
        assertOpen: () => this.#assertOpen(),
        before: () => this.#openSnapshot(),
        ended,
      };
      const { stageDocuments } = await import('./load-stage.js');
      const manifest = this.#read((current) => current);
      return await stageDocuments(host, manifest, sources, options, control);
    } catch (error) {
      ended();
      throw fromSystemError(error, `loading into ${this.path}`);
    }
  }

  stage(options: TransactionOptions): Stage {
    this.#assertWritable();
    this.#maintenance.catchUp();
    let transaction = this.#file.beginRead();
    if (this.#context.manifest(transaction).format < FORMAT_VERSION) {
      this.#file.release(transaction);
      this.#upgrade();
      transaction = this.#file.beginRead();
    }
    const { manifest, head } = this.#context.state(transaction);
    const delta = this.#context.deltas.get(manifest, head, transaction).pin();
    const tx = this.#committer.head.lastTx + 1;
    const timestamp = options.timestamp ?? Math.floor(Date.now() / 1000);
    const view = { context: this.#context, manifest, transaction, tx: tx - 1, delta, stage: null, disjoint: false };
    const base = { view, delta, known: this.#known };
    this.#writing = true;
    const stage = new FileStage(
      {
        bulk: null,
        base: () => base,
        snapshot: (staged) => this.#openSnapshot(staged),
        mover: this.#filePacks,
        accept: (transactions, given, moves) => this.#accept(transactions, delta, given, moves),
        ended: (applied) => {
          this.#stage = null;
          if (applied) this.#forgetApplied();
          this.#maintenance.wake(applied ? this.#read((...state) => this.#context.deltas.get(...state)) : delta);
          delta.unpin();
          this.#file.release(transaction);
          this.#writing = this.#writingLarge;
        },
      },
      tx,
      { ...options, timestamp },
    );
    this.#stage = stage;
    return stage;
  }

  /** Changes of the primary that this store follows go to the delta as those of an accepted transaction do. */
  async #applying(work: Parameters<ReplicationHost['applying']>[0]): Promise<void> {
    this.#assertIdle();
    this.#maintenance.catchUp();
    this.#upgrade();
    const transaction = this.#file.beginRead();
    const { manifest, head } = this.#context.state(transaction);
    const delta = this.#context.deltas.get(manifest, head, transaction).pin();
    this.#writing = true;
    let durable: Promise<void>;
    try {
      durable = work(delta, (tx, overlay) => this.#openSnapshot({ overlay, tx, stagedFrom: tx + 1, transaction }));
      if (delta.terms.holdsTriples) this.#raiseFormat(FORMAT_TRIPLE_TERMS);
    } catch (error) {
      this.#forgetApplied();
      throw error;
    } finally {
      this.#writing = false;
      delta.unpin();
      this.#file.release(transaction);
    }
    this.#maintenance.wake(this.#read((...state) => this.#context.deltas.get(...state)));
    await durable;
  }

  /** One change that is too large for the delta goes straight to runs. */
  async #publishing(rows: RowsToPublish): Promise<void> {
    this.#assertIdle();
    this.#writing = true;
    try {
      await this.#maintenance.run({});
      const manifest = this.#read((current) => current);
      const sink = new FileSink(this.#file, manifest);
      const below = { context: this.#context, committer: this.#committer, manifest, sink, loaded: null };
      await publishRows(below, rows, {}).catch((error: unknown) => {
        sink.discard();
        throw fromSystemError(error, `writing ${this.path}`);
      });
    } finally {
      this.#writing = false;
    }
  }

  suppose(options: TransactionOptions): Stage {
    this.#assertOpen();
    const timestamp = options.timestamp ?? Math.floor(Date.now() / 1000);
    const ended = (ending: Stage) => this.#supposed.delete(ending);
    const stage = supposedStage(this.#context, { ...options, timestamp }, ended);
    this.#supposed.add(stage);
    return stage;
  }

  /** What a stage has applied to the delta ahead of its commit goes; what was accepted before it stays. */
  #forgetApplied(): void {
    this.#committer.flush();
    this.#undo();
  }

  /** A commit writes what older versions would not see, so that they must refuse the file before. */
  #upgrade(): void {
    const manifest = this.#read((current) => current);
    if (manifest.format < FORMAT_VERSION) {
      this.#committer.publish({ manifest, head: this.#committer.head });
    }
  }

  #raiseFormat(format: number): void {
    const { format: stored } = this.#read((manifest) => manifest);
    if (stored < format) this.#committer.raiseFormat(format);
  }

  #accept(
    transactions: readonly AcceptedTransaction[],
    delta: Delta,
    options: CommitOptions,
    moves: readonly GraphMove[],
  ): Committed {
    this.#assertOpen();
    const { tx } = transactions[0] as AcceptedTransaction;
    if (this.#committer.head.lastTx + 1 !== tx) {
      throw new SvcError('disk_io', 'a transaction that this one builds on could not be written', {
        hint: 'nothing of it was written; try again',
      });
    }
    if (isLarge(transactions) || moves.length > 0) return this.#acceptLarge(transactions, options, moves);
    const { lastEvent } = this.#committer.head;
    const { records, indexed } = commitRecords(delta.memory, this.#file, transactions, lastEvent, options);
    const changes = changesOf(this.#committer.indexes, indexed);
    try {
      for (const { written, applied } of transactions) {
        if (written !== null && !applied) applyTransaction(delta, written);
      }
    } catch (error) {
      // Half applied: what came before goes to the disk, and the delta is made anew from there.
      this.#forgetApplied();
      throw error;
    }
    const holdsTriples = transactions.some(({ written }) => written?.layer.terms.holdsTriples === true);
    if (holdsTriples) this.#raiseFormat(FORMAT_TRIPLE_TERMS);
    return { tx, durable: this.#committer.add(records, changes, delta.terms.next), exclusive: false };
  }

  /** Goes straight to runs; no other write is staged before it is published. */
  #acceptLarge(
    transactions: readonly AcceptedTransaction[],
    options: CommitOptions,
    moves: readonly GraphMove[],
  ): Committed {
    const [{ tx }] = transactions as readonly [AcceptedTransaction];
    const { layer, release } = layerOf(transactions, tx - 1);
    this.#writingLarge = true;
    // What was applied ahead comes from the layer now.
    if (transactions.length > 1) this.#forgetApplied();
    const durable = this.#writeLarge(transactions, layer, options, moves)
      .catch((error: unknown) => {
        throw fromSystemError(error, `writing ${this.path}`);
      })
      .finally(async () => {
        release();
        this.#writingLarge = false;
        this.#writing = false;
        await closePacks(moves);
      });
    return { tx, durable, exclusive: true };
  }

  async #writeLarge(
    transactions: readonly AcceptedTransaction[],
    layer: UncommittedLayer | null,
    options: CommitOptions,
    moves: readonly GraphMove[],
  ): Promise<void> {
    await this.#maintenance.run({ signal: options.control?.signal });
    const manifest = this.#read((current) => current);
    const sink = new FileSink(this.#file, manifest);
    const below = { context: this.#context, committer: this.#committer, manifest, sink, loaded: null, moves };
    try {
      await publishStage(below, transactions, layer, options);
    } catch (error) {
      sink.discard();
      throw error;
    }
  }

  /** After a commit that failed: what was applied ahead of it is forgotten. */
  #undo(): void {
    this.#context.deltas.drop();
    this.#context.known.terms.clear();
    this.#known.clear();
    this.#committer.settle(this.#storedHead());
  }

  #storedHead(): Head {
    return this.#read((_, head, transaction) => withLastEvent(this.#file, head, transaction));
  }

  async fold(control: Control, whole = false): Promise<MaintenanceReport> {
    this.#assertIdle();
    this.#writing = true;
    try {
      return await this.#maintenance.run(control, whole);
    } finally {
      this.#writing = false;
    }
  }

  // The log.

  transactions(range: TransactionRange = {}): readonly TransactionRecord[] {
    this.#assertOpen();
    return this.#read((_, head, transaction) => transactionsIn(this.#file, head.lastTx, transaction, range));
  }

  transactionsWith(ids: readonly TxId[]): readonly TransactionRecord[] {
    this.#assertOpen();
    return this.#read((_, __, transaction) => transactionsWith(this.#file, transaction, ids));
  }

  timesOfGroup(group: number): readonly TimesPart[] {
    return this.readIndex(TIMES, ({ parts }) => parts(group));
  }

  timesBetween(from: TxId, to: TxId): readonly TransactionTime[] {
    return this.readIndex(TIMES, ({ entries }) => entries(from, to));
  }

  baseNamespace(fallback: string): string {
    this.#assertOpen();
    this.#baseNamespace ??= baseNamespaceOr(this.#file, fallback);
    return this.#baseNamespace;
  }

  transactionsOf(source: string): readonly TxId[] {
    this.#assertOpen();
    return this.readIndex(SOURCES, ({ transactionsOf }) => transactionsOf(source));
  }

  /** Reads an index as of the newest state of the file. */
  readIndex<Reader, Result>(index: SecondaryIndex<Reader, FileView>, read: (reader: Reader) => Result): Result {
    this.#assertOpen();
    return this.#read((manifest, head, transaction) =>
      read(index.at(fileView(this.#context, { manifest, head, transaction }))),
    );
  }

  changeIndexes(change: IndexChange): Promise<void> {
    this.#assertOpen();
    if (this.readOnly) throw new SvcError('store_read_only', `${this.path} was opened read-only`);
    return this.#committer.addChange(change);
  }

  async indexTexts(kinds: readonly TextKind[]): Promise<void> {
    const wanted = TEXT_KINDS.filter((kind) => kinds.includes(kind));
    // That none is wanted has to be said once, too: the first search would ask for both.
    if (this.readIndex(TEXT, (texts) => texts.isDecided && sameKinds(texts.wanted, wanted))) return;
    await this.changeIndexes(changeWanted(wanted));
    this.#maintenance.wakeTexts(this.#read((...state) => this.#context.deltas.get(...state)));
  }

  // Care.

  stats(): StorageStats {
    this.#assertOpen();
    const { commits, transactions, bytes } = this.#committer.figures;
    const { rowsFolded, runsMerged, bytesWritten } = this.#maintenance.figures;
    const written = { commits, transactions, logBytes: bytes, rowsFolded, runsMerged, maintenanceBytes: bytesWritten };
    return { ...collectStats(this.#context, this.readOnly ? null : written), path: this.path };
  }

  async verify(control: Control): Promise<VerifyReport> {
    this.#assertOpen();
    const { verifyStore } = await import('../verify/verify.js');
    // In a memory of its own, which it may use for long.
    return verifyStore(new SnapshotContext(this.#file, this.#seed), control, this.#committer.indexes);
  }

  async backup(target: string, options: BackupOptions, control: Control): Promise<BackupReport> {
    this.#assertOpen();
    const backup = import('../admin/backup.js').then(({ backupFile }) =>
      backupFile(this.#file, target, options, control),
    );
    this.#backups.add(backup);
    try {
      return await backup;
    } finally {
      this.#backups.delete(backup);
    }
  }

  attach(name: string, path: string): void {
    this.#assertOpen();
    attachStore(this.#context, name, path);
  }

  detach(name: string): Promise<void> {
    return detachStore(this.#context, name);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    await Promise.allSettled(this.#backups);
    for (const snapshot of [...this.#open]) snapshot.close();
    this.#stage?.discard();
    for (const stage of [...this.#supposed]) stage.discard();
    if (this.#writing) {
      throw new SvcError('store_locked', `a write into ${this.path} is going on; abort it before closing the store`);
    }
    if (!this.readOnly) {
      this.#committer.flush();
      this.#maintenance.close();
    }
    this.#closed = true;
    await Promise.all(this.#context.attachments.map((name) => this.detach(name)));
    await this.#context.archives?.close();
    this.#moveOut();
    this.#context.memory.release();
    await this.#file.close();
    this.#held?.release();
  }

  /** Reads the newest state of the file. */
  #read<T>(read: (manifest: Manifest, head: Head, transaction: ReadTransaction) => T): T {
    const transaction = this.#file.beginRead();
    try {
      const { manifest, head } = this.#context.state(transaction);
      return read(manifest, head, transaction);
    } finally {
      this.#file.release(transaction);
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new SvcError('store_closed', `the store ${this.path} is closed`);
  }

  #assertWritable(): void {
    this.#assertOpen();
    if (this.readOnly) {
      throw new SvcError('store_read_only', `${this.path} was opened read-only`, { hint: 'open it for writing' });
    }
    const { refusal } = this.replication;
    if (refusal !== null) throw refusal;
    this.#assertIdle();
  }

  #assertIdle(): void {
    this.#assertOpen();
    if (this.readOnly) throw new SvcError('store_read_only', `${this.path} was opened read-only`);
    if (this.#writing) {
      throw new SvcError('store_locked', `another write into ${this.path} is going on; writes take turns`);
    }
  }
}
