/**
 * A bulk load into a store file as a stage: its rows were written by the loader, into runs that nothing names yet. What the
 * stage adds is judged against them through a context of its own, since the numbers of its blocks, runs and terms become
 * another's when it is dropped.
 */

import type { Control } from '../../base/control.js';
import { fromSystemError, invariant } from '../../base/errors.js';
import type { LoadOutcome } from '../bulk/loader.js';
import type { StagedView } from '../delta/uncommitted-layer.js';
import { type Instant, instantToColumn } from '../ids/layout.js';
import { afterTransaction } from '../log/head.js';
import type { LogRecord } from '../log/record.js';
import type { FileSink } from '../runs/file-sink.js';
import type { Manifest } from '../runs/manifest.js';
import type { CommitOptions, Committed, LoadOptions, LoadSource, Stage } from '../seam/engine.js';
import type { StorageSnapshot } from '../seam/scan.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import { StagedLoadContext } from '../snapshot/staged-load-context.js';
import { type AcceptedTransaction, FileStage, type StageHost } from '../stage/stage.js';
import { KnownTerms } from '../stage/term-encoder.js';
import type { StageBase } from '../stage/write-transaction.js';
import type { Committer } from './committer.js';
import { layerOf, publishStage } from './publish-stage.js';

export interface LoadHost {
  readonly context: SnapshotContext;
  readonly seed: readonly [bigint, bigint];
  readonly committer: Committer;
  assertOpen(): void;
  /** The store without the load. */
  before(): StorageSnapshot;
  /** Called once, when the load is published or dropped. */
  ended(): void;
}

/** Stages the documents on top of a store without a delta. */
export async function stageDocuments(
  host: LoadHost,
  manifest: Manifest,
  sources: readonly LoadSource[],
  options: LoadOptions,
  control: Control,
): Promise<Stage> {
  const { file } = host.context;
  const tx = host.committer.head.lastTx + 1;
  const timestamp: Instant = options.timestamp ?? Math.floor(Date.now() / 1000);
  const validFrom = options.validFrom ?? timestamp;
  // Loaded when needed: it brings every reader of documents with it.
  const { BulkLoader } = await import('../bulk/loader.js');
  const loader = new BulkLoader({ file, manifest, seed: host.seed }, sources, options, control, {
    txFrom: tx,
    validFrom: instantToColumn(validFrom),
  });
  const outcome = await loader.run();
  const record: LogRecord = {
    id: tx,
    timestamp,
    actor: options.actor ?? null,
    source: options.source ?? null,
    authenticated: options.authenticated,
    quadsAdded: outcome.summary.quadsAdded,
    quadsRetracted: 0,
    validFrom,
    sum: outcome.sum,
    sources: sources.map((source) => (source.kind === 'file' ? (source.name ?? source.path) : source.name)),
  };
  const loaded = new LoadedRows(host, manifest, outcome, record, control);
  return new FileStage(loaded, tx, { ...options, timestamp, validFrom });
}

class LoadedRows implements StageHost {
  readonly bulk: StageHost['bulk'];
  readonly mover = null;
  readonly #host: LoadHost;
  /** The manifest that the load began with. */
  readonly #before: Manifest;
  readonly #outcome: LoadOutcome;
  readonly #record: LogRecord;
  readonly #control: Control;
  readonly #open = new Set<LmdbSnapshot>();
  #made: StagedLoadContext | null = null;
  #base: StageBase | null = null;
  #accepted = false;

  constructor(host: LoadHost, before: Manifest, outcome: LoadOutcome, record: LogRecord, control: Control) {
    this.bulk = { ...outcome, before: () => host.before() };
    this.#host = host;
    this.#before = before;
    this.#outcome = outcome;
    this.#record = record;
    this.#control = control;
  }

  /** The store as the load leaves it. */
  get #context(): StagedLoadContext {
    const { id, quadsAdded, validFrom } = this.#record;
    const { committer, context, seed } = this.#host;
    const manifest = { ...this.#outcome.manifest, foldedTx: id, lastTx: id };
    const validity = { begin: quadsAdded === 0 ? null : validFrom, end: null };
    const { nextTermNumber } = manifest;
    const { logBytes } = committer.head;
    const head = { lastTx: id, nextTermNumber, logBytes, ...afterTransaction(committer.head, validity) };
    if (this.#made === null) {
      this.#made = new StagedLoadContext(context.file, seed, { manifest, head, perGraph: this.#outcome.perGraph });
      this.#made.archives = context.archives?.movedTo(this.#made.memory) ?? null;
    }
    return this.#made;
  }

  base(): StageBase {
    this.#base ??= this.#openBase();
    return this.#base;
  }

  #openBase(): StageBase {
    const context = this.#context;
    const transaction = context.file.beginRead();
    const { manifest, head } = context.state(transaction);
    const delta = context.deltas.get(manifest, head, transaction).pin();
    const view = { context, manifest, transaction, tx: this.#record.id, delta, stage: null, disjoint: false };
    return { view, delta, known: new KnownTerms() };
  }

  snapshot(staged: StagedView): StorageSnapshot {
    this.#host.assertOpen();
    const snapshot: LmdbSnapshot = new LmdbSnapshot(this.#context, () => this.#open.delete(snapshot), staged);
    this.#open.add(snapshot);
    return snapshot;
  }

  accept(transactions: readonly AcceptedTransaction[], options: CommitOptions): Committed {
    this.#host.assertOpen();
    invariant(this.#open.size === 0, 'snapshots of a load are closed before it is published');
    this.#accepted = true;
    return {
      tx: this.#record.id,
      durable: this.#publish(transactions, { ...options, control: options.control ?? this.#control }),
      exclusive: true,
    };
  }

  async #publish(transactions: readonly AcceptedTransaction[], options: CommitOptions): Promise<void> {
    const { sink, perGraph } = this.#outcome;
    const { committer, seed } = this.#host;
    const { layer, release } = layerOf(transactions, this.#record.id);
    const context = this.#context;
    // What the stage has put into its delta comes from the layer now.
    context.deltas.drop();
    const becomes = (next: Manifest): void => context.becomes(next);
    const loaded = { record: this.#record, perGraph, before: this.#before, seed, becomes };
    const { manifest } = context.stagedState;
    try {
      await publishStage({ context, committer, manifest, sink, loaded }, transactions, layer, options);
    } catch (error) {
      discard(sink);
      throw fromSystemError(error, `publishing a load into ${context.file.path}`);
    } finally {
      release();
      this.#host.ended();
    }
  }

  ended(): void {
    void this.#made?.archives?.close();
    this.#base?.delta.unpin();
    if (this.#base !== null) this.#base.view.context.file.release(this.#base.view.transaction);
    if (this.#accepted) return;
    for (const snapshot of [...this.#open]) snapshot.close();
    discard(this.#outcome.sink);
    this.#host.ended();
  }
}

function discard(sink: FileSink): void {
  try {
    sink.discard();
  } catch {
    // Nothing of it is visible; the next opening for writing removes it.
  }
}
