/**
 * Publishes a stage whose rows go to runs: one that is too large for the delta, or a load. Nothing of it shows before, and
 * giving it up leaves nothing.
 *
 * 1. What was staged besides rows in bulk becomes runs, as a fold of the delta would make them.
 * 2. Of a load, runs that are due are merged, and the dictionary. Where nothing was staged besides, runs that only the load
 *    knows are removed block by block as their rows are written anew, so that the file is hardly longer for it.
 * 3. All of its transactions are published at once, with log records that refer to their rows.
 */

import { breathe, type Control, throwIfAborted } from '../../base/control.js';
import { invariant } from '../../base/errors.js';
import { Delta } from '../delta/delta.js';
import { type StagedView, UncommittedLayer } from '../delta/uncommitted-layer.js';
import { compactDictionary } from '../fold/compact-dictionary.js';
import { FoldJob, type FoldResult } from '../fold/fold-job.js';
import type { TermId, TxId } from '../ids/layout.js';
import { type KeptEvents, keepEvents } from '../indexes/event-entries.js';
import { changesOf, type IndexChange, type IndexedTransaction } from '../indexes/secondary-index.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { afterTransaction, catalogAfter, type Head, type Validity } from '../log/head.js';
import { encodeLogRecord, type LogRecord } from '../log/record.js';
import { dueAfterLoad } from '../merge/merge-policy.js';
import { mergeManyRuns } from '../merge/merge-runs.js';
import type { FileSink } from '../runs/file-sink.js';
import { type Manifest, type RunRecord, rootOf } from '../runs/manifest.js';
import { changesIn } from '../seam/changes-by-graph.js';
import type { ChangesByGraph, CommitOptions } from '../seam/engine.js';
import type { StorageSnapshot } from '../seam/scan.js';
import { timeOf } from '../seam/transaction-times.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import type { GraphMove } from '../stage/graph-moves.js';
import { applyTransaction, metadataOf } from '../stage/record-transaction.js';
import type { AcceptedTransaction } from '../stage/stage.js';
import type { WriteTransaction } from '../stage/write-transaction.js';
import { figuresOfStaged } from '../stats/figures-of-view.js';
import type { Committer } from './committer.js';
import { moveGraphs } from './move-graphs.js';

/** Rows and tombstones from which on a stage goes straight to runs. */
export const LARGE_ROWS = 65_536;
export const LARGE_TERM_BYTES = 32 * 1024 * 1024;

/** What came in bulk for the first transaction, and stands in runs that nothing names yet. */
export interface Loaded {
  /** The transaction, by what it has loaded. */
  readonly record: LogRecord;
  readonly perGraph: ReadonlyMap<TermId, number>;
  /** The manifest that the load began with. */
  readonly before: Manifest;
  readonly seed: readonly [bigint, bigint];
  /** Its snapshots read by these runs from now on. */
  becomes(manifest: Manifest): void;
}

/** What a stage is published on top of. */
export interface RunsBelow {
  readonly context: SnapshotContext;
  readonly committer: Committer;
  /** The runs, with those of a load. */
  readonly manifest: Manifest;
  readonly sink: FileSink;
  readonly loaded: Loaded | null;
  /** Graphs that leave the store, or come back. */
  readonly moves?: readonly GraphMove[];
}

export function isLarge(transactions: readonly AcceptedTransaction[]): boolean {
  let [rows, bytes] = [0, 0];
  for (const { written } of transactions) {
    if (written === null) continue;
    rows += written.counts.asserted + written.counts.retracted;
    bytes += written.layer.terms.bytes;
  }
  return rows >= LARGE_ROWS || bytes >= LARGE_TERM_BYTES;
}

/** What the transactions have staged as one layer (null when there is nothing), kept until `release` as they are themselves. */
export interface StagedLayer {
  readonly layer: UncommittedLayer | null;
  release(): void;
}

export function layerOf(transactions: readonly AcceptedTransaction[], base: TxId): StagedLayer {
  const written = transactions.flatMap((one) => (one.written === null ? [] : [one.written.pin()]));
  const layer = joinedLayer(written, base);
  const release = (): void => {
    layer?.unpin();
    for (const one of written) one.release();
  };
  return { layer, release };
}

function joinedLayer(written: readonly WriteTransaction[], base: TxId): UncommittedLayer | null {
  const [only] = written;
  if (only === undefined) return null;
  const { layer } = only;
  if (written.length === 1) return layer.pin();
  const delta = new Delta(layer.rows.memory, base, layer.terms.first);
  for (const one of written) applyTransaction(delta, one);
  return new UncommittedLayer(delta.rows, delta.tombstones, delta.terms);
}

/** `layer`: of `layerOf`. Whoever calls keeps other writes away until it is through. */
export async function publishStage(
  below: RunsBelow,
  transactions: readonly AcceptedTransaction[],
  layer: UncommittedLayer | null,
  { control = {}, events = [], catalog = true }: CommitOptions,
): Promise<void> {
  const [{ tx: firstTx }] = transactions as readonly [AcceptedTransaction];
  const lastTx = firstTx + transactions.length - 1;
  const records = () => recordsOf(below, transactions, events);
  await publishRows(below, { firstTx, lastTx, layer, records, catalog }, control);
}

/** What is published, whoever has made it. */
export interface RowsToPublish {
  readonly firstTx: TxId;
  readonly lastTx: TxId;
  readonly layer: UncommittedLayer | null;
  readonly records: () => readonly StageRecord[];
  readonly catalog: boolean;
  /** What is written to secondary indexes besides. */
  readonly more?: readonly IndexChange[];
}

export async function publishRows(
  below: RunsBelow,
  { firstTx, lastTx, layer, records: make, catalog, more = [] }: RowsToPublish,
  control: Control,
): Promise<void> {
  const { context, committer, sink, loaded } = below;
  sink.flush();
  let transaction: ReadTransaction | null = context.file.beginRead();
  try {
    const before = loaded?.before ?? below.manifest;
    const job = layer === null ? null : foldOf(below, layer, lastTx, transaction);
    const folded = job === null ? null : await finish(job, loaded, control);
    let staged: StagedView = {
      overlay: layer,
      tx: lastTx,
      stagedFrom: firstTx,
      inRuns: loaded !== null,
      transaction,
    };
    const figures = figuresOfStaged(context, staged, rootOf(before));
    const root = await finish(figures, loaded, control);
    const unmerged = folded?.manifest ?? below.manifest;
    // What was staged besides is read, transaction by transaction, over the runs as they were: then they stay.
    const removes = loaded !== null && layer === null;
    // A view that is open would keep the pages of what is removed from being used again.
    if (removes) {
      context.file.release(transaction);
      transaction = null;
    }
    const tended = await tendLoaded(below, unmerged, control, removes);
    if (removes) {
      sink.flush();
      transaction = context.file.beginRead();
      loaded.becomes({ ...tended.manifest, foldedTx: lastTx, lastTx });
      staged = { overlay: null, tx: lastTx, stagedFrom: firstTx, inRuns: true, transaction };
    }
    const moved = await moveGraphs(below, tended.manifest, lastTx, control);
    const records = make();
    const changes = [...changesOf(committer.indexes, indexedOf(context, staged, records)), ...more];
    sink.flush();
    const { manifest } = moved;
    let head: Head = { ...committer.head, copiesFrom: undefined, nextTermNumber: manifest.nextTermNumber };
    const perGraph = new Map(folded?.perGraph);
    for (const [graph, rows] of [...(loaded?.perGraph ?? []), ...moved.perGraph]) {
      perGraph.set(graph, (perGraph.get(graph) ?? 0) + rows);
    }
    for (const { record, bytes, validity, events: kept } of records) {
      const logBytes = head.logBytes + bytes.length;
      const known = { ...afterTransaction(head, validity), ...catalogAfter(head, record.id, catalog) };
      head = { ...head, ...known, lastTx: record.id, logBytes, lastEvent: kept.last };
    }
    committer.publish({
      manifest: { ...manifest, foldedTx: lastTx, lastTx, root },
      head,
      records: records.map(({ record, bytes }) => ({ tx: record.id, bytes })),
      changes,
      perGraph,
      sources: records.flatMap(({ record: { id, source } }) => (source === null ? [] : [{ tx: id, source }])),
      times: records.map(({ record }) => timeOf(record)),
      removed: {
        runs: [...(folded?.removed.runs ?? []), ...tended.replaced, ...moved.gone],
        directories: [...(folded?.removed.directories ?? []), ...tended.directories],
      },
      relocations: moved.relocations,
      hashBlocks: tended.hashBlocks,
    });
  } finally {
    if (transaction !== null) context.file.release(transaction);
  }
}

function foldOf(
  { context, manifest, sink }: RunsBelow,
  layer: UncommittedLayer,
  tx: TxId,
  transaction: ReadTransaction,
): Generator<void, FoldResult> {
  invariant(manifest.nextTermNumber === layer.terms.first, 'the terms of a stage follow those of the runs below it');
  const delta = new Delta(context.memory, manifest.foldedTx, layer.terms.first, layer);
  const view = { context, manifest, transaction, tx, delta, stage: null, disjoint: false };
  return new FoldJob(view, sink, layer.terms.next, manifest.foldedTx).run();
}

interface Tended {
  readonly manifest: Manifest;
  readonly replaced: readonly RunRecord[];
  readonly directories: readonly number[];
  readonly hashBlocks: readonly { readonly first: number; readonly count: number }[];
}

/** Merges what is due once a load is in; `removes`: the load's own runs, while they are merged. */
async function tendLoaded(
  { context, sink, loaded }: RunsBelow,
  manifest: Manifest,
  control: Control,
  removes: boolean,
): Promise<Tended> {
  if (loaded === null) return { manifest, replaced: [], directories: [], hashBlocks: [] };
  const { nextRun } = loaded.before;
  const merged = await mergeManyRuns(
    context.file,
    manifest,
    sink,
    control,
    (next) => dueAfterLoad(next, nextRun),
    (run) => removes && run.id >= nextRun,
  );
  const compacted = compactDictionary(context.file, merged.manifest, sink, loaded.seed);
  return { ...compacted, replaced: merged.replaced };
}

export interface StageRecord {
  readonly record: LogRecord;
  readonly bytes: Buffer;
  readonly validity: Validity;
  readonly events: KeptEvents;
}

function recordsOf(
  { committer, context, loaded, moves = [] }: RunsBelow,
  transactions: readonly AcceptedTransaction[],
  events: NonNullable<CommitOptions['events']>,
): StageRecord[] {
  let lastEvent = committer.head.lastEvent ?? 0;
  return transactions.map(({ tx, options, written }, at) => {
    const kept = keepEvents(events[at], lastEvent, { tx, timestamp: options.timestamp });
    lastEvent = kept.last;
    const bulk = at === 0 ? (loaded?.record ?? null) : null;
    const staged = written === null ? null : metadataOf(context.memory, written, kept.ofRecord);
    const moved = moves.length > 0 ? ({ moved: true } as const) : {};
    const record = { ...joined(bulk, staged), ...moved };
    const own = written?.validity ?? { begin: null, end: null };
    const begin =
      bulk === null || bulk.quadsAdded === 0 ? own.begin : Math.min(own.begin ?? bulk.validFrom, bulk.validFrom);
    return {
      record,
      bytes: encodeLogRecord({ ...record, events: kept.ofRecord }),
      validity: { begin, end: own.end },
      events: kept,
    };
  });
}

/** The transactions as indexes see them: read from where their rows stand. */
function indexedOf(
  context: SnapshotContext,
  staged: StagedView,
  records: readonly StageRecord[],
): IndexedTransaction[] {
  return records.map(({ record, events }) => {
    const { id: tx, timestamp, source } = record;
    const snapshot = (): StorageSnapshot => new LmdbSnapshot(context, () => undefined, { ...staged, tx });
    const changes = (): ChangesByGraph => changesIn(snapshot, tx, record.quadsAdded + record.quadsRetracted);
    return { tx, timestamp, source, events, store: context.file, changes, snapshot };
  });
}

/** One record of what a transaction has loaded and of what was staged besides. */
function joined(bulk: LogRecord | null, staged: LogRecord | null): LogRecord {
  if (bulk === null || staged === null) {
    const one = bulk ?? staged;
    invariant(one !== null, 'a transaction is a load, or has changes of its own');
    return one;
  }
  return {
    ...bulk,
    quadsAdded: bulk.quadsAdded + staged.quadsAdded,
    quadsRetracted: staged.quadsRetracted,
    sum: sumOfSums(bulk.sum, staged.sum),
    ...(staged.quadsRetracted === 0 ? {} : { closedSum: staged.closedSum }),
  };
}

/** Modulo 2^64, in hex. */
function sumOfSums(one: string, other: string): string {
  return BigInt.asUintN(64, BigInt(`0x${one}`) + BigInt(`0x${other}`)).toString(16);
}

/** Runs a job to its end, giving way to the event loop. A load tells of its own steps. */
async function finish<Result>(
  job: Generator<void, Result>,
  loaded: Loaded | null,
  { signal, onProgress }: Control,
): Promise<Result> {
  const started = Date.now();
  try {
    for (let done = 1; ; done++) {
      const step = job.next();
      if (step.done) return step.value;
      if (loaded === null) onProgress?.({ phase: 'write runs', done, elapsedMs: Date.now() - started });
      await breathe();
      throwIfAborted(signal, loaded === null ? 'the transaction' : 'the load');
    }
  } finally {
    job.return(undefined as never);
  }
}
