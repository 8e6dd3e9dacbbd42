/**
 * A bulk load into a store file: staged by the loader, invisible, and published in one transaction with
 * its log record and the merges that are due.
 */

import { breathe, type Control, throwIfAborted } from '../../base/control.js';
import { fromSystemError, invariant, SvcError } from '../../base/errors.js';
import { compactDictionary } from '../dictionary/compact.js';
import { type Instant, instantToColumn, type TermId, type TxId } from '../ids/layout.js';
import { keepEvents } from '../indexes/kept-events.js';
import type { LmdbFile } from '../lmdb/file.js';
import { afterTransaction, type Head } from '../log/head.js';
import { encodeLogRecord, type LogRecord } from '../log/record.js';
import { dueAfterLoad } from '../merge/merge-policy.js';
import { mergeManyRuns } from '../merge/merge-runs.js';
import type { FileSink } from '../runs/file-sink.js';
import { type Manifest, rootOf } from '../runs/manifest.js';
import type { LoadOptions, LoadSource, StagedLoad } from '../seam/engine.js';
import type { WriteEvents } from '../seam/event-log.js';
import type { RootFigures } from '../seam/scan.js';
import { LmdbSnapshot } from '../snapshot/lmdb-snapshot.js';
import { StagedLoadContext } from '../snapshot/staged-load-context.js';
import { figuresOfStaged } from '../stats/figures-of-view.js';
import type { Committer } from './committer.js';
import { publish } from './publish.js';

export interface LoadHost {
  readonly file: LmdbFile;
  readonly seed: readonly [bigint, bigint];
  readonly committer: Committer;
  assertOpen(): void;
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
): Promise<StagedLoad> {
  const tx = host.committer.head.lastTx + 1;
  const timestamp: Instant = options.timestamp ?? Math.floor(Date.now() / 1000);
  const validFrom = options.validFrom ?? timestamp;
  // Loaded when needed: it brings every reader of documents with it.
  const { BulkLoader } = await import('../bulk/loader.js');
  const loader = new BulkLoader({ file: host.file, manifest, seed: host.seed }, sources, options, control, {
    txFrom: tx,
    validFrom: instantToColumn(validFrom),
  });
  const outcome = await loader.run();
  let state: 'staged' | 'publishing' | 'published' | 'dropped' = 'staged';
  const snapshots = new StagedSnapshots();
  const finish = (next: 'published' | 'dropped'): void => {
    state = next;
    host.ended();
  };
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
  return {
    summary: outcome.summary,
    snapshot: () => {
      host.assertOpen();
      if (state !== 'staged') throw new SvcError('invalid_request', `this load is ${state} already`);
      return snapshots.open(tx, () => {
        return contextAfter(host, outcome.manifest, record, outcome.perGraph);
      });
    },
    publish: async (events) => {
      host.assertOpen();
      if (state !== 'staged') throw new SvcError('invalid_request', `this load is ${state} already`);
      invariant(snapshots.none, 'snapshots of a load are closed before it is published');
      state = 'publishing';
      try {
        await publishLoad(
          host,
          manifest,
          outcome.manifest,
          outcome.sink,
          tx,
          record,
          outcome.perGraph,
          events,
          control,
        );
        finish('published');
      } catch (error) {
        discard(outcome.sink);
        finish('dropped');
        throw fromSystemError(error, `publishing a load into ${host.file.path}`);
      }
      return tx;
    },
    discard: async () => {
      // A publication that failed has dropped it already.
      if (state === 'dropped') return;
      if (state !== 'staged') throw new SvcError('invalid_request', `this load is ${state} already`);
      snapshots.close();
      discard(outcome.sink);
      finish('dropped');
    },
  };
}

/** Snapshots of a staged load; what they read by is made for the first of them. */
class StagedSnapshots {
  readonly #open = new Set<LmdbSnapshot>();
  #context: StagedLoadContext | null = null;

  get none(): boolean {
    return this.#open.size === 0;
  }

  open(tx: TxId, context: () => StagedLoadContext): LmdbSnapshot {
    this.#context ??= context();
    const snapshot: LmdbSnapshot = new LmdbSnapshot(this.#context, () => this.#open.delete(snapshot), {
      overlay: null,
      tx,
    });
    this.#open.add(snapshot);
    return snapshot;
  }

  close(): void {
    for (const snapshot of [...this.#open]) snapshot.close();
  }
}

/** What the load says of ends and beginnings is known; the bytes of its record are added when it is published. */
function headAfter(before: Head, { nextTermNumber }: Manifest, { id, quadsAdded, validFrom }: LogRecord): Head {
  const begin = quadsAdded === 0 ? null : validFrom;
  const { logBytes } = before;
  return { lastTx: id, nextTermNumber, logBytes, ...afterTransaction(before, { begin, end: null }) };
}

/** By which the store is read as the load leaves it. */
function contextAfter(
  { file, seed, committer }: LoadHost,
  staged: Manifest,
  record: LogRecord,
  perGraph: ReadonlyMap<TermId, number>,
): StagedLoadContext {
  const manifest = { ...staged, foldedTx: record.id, lastTx: record.id };
  return new StagedLoadContext(file, seed, { manifest, head: headAfter(committer.head, manifest, record), perGraph });
}

async function figuresAfter(
  host: LoadHost,
  before: Manifest,
  staged: Manifest,
  record: LogRecord,
  perGraph: ReadonlyMap<TermId, number>,
  control: Control,
): Promise<RootFigures> {
  const context = contextAfter(host, staged, record, perGraph);
  const steps = figuresOfStaged(context, { overlay: null, tx: record.id }, rootOf(before));
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      await breathe();
      throwIfAborted(control.signal, 'the load');
    }
  } finally {
    steps.return(undefined as never);
  }
}

function discard(sink: FileSink): void {
  try {
    sink.discard();
  } catch {
    // Nothing of it is visible; the next opening for writing removes it.
  }
}

async function publishLoad(
  host: LoadHost,
  before: Manifest,
  staged: Manifest,
  sink: FileSink,
  tx: TxId,
  described: LogRecord,
  perGraph: ReadonlyMap<TermId, number>,
  events: WriteEvents | undefined,
  control: Control,
): Promise<void> {
  const root = await figuresAfter(host, before, staged, described, perGraph, control);
  const merged = await mergeManyRuns(host.file, staged, sink, control, (next) => dueAfterLoad(next, before.nextRun));
  const compacted = compactDictionary(host.file, merged.manifest, sink, host.seed);
  sink.flush();
  const kept = keepEvents(events, host.committer.head.lastEvent ?? 0, { tx, timestamp: described.timestamp });
  const record = { ...described, events: kept.ofRecord };
  const bytes = encodeLogRecord(record);
  const after = headAfter(host.committer.head, compacted.manifest, record);
  const head = { ...after, logBytes: after.logBytes + bytes.length, lastEvent: kept.last };
  const written = publish(host.file, {
    manifest: { ...compacted.manifest, foldedTx: tx, lastTx: tx, root },
    head,
    record: { tx, bytes },
    events: kept.entries,
    perGraph,
    sources: record.source === null ? new Map() : new Map([[record.source, [tx]]]),
    removed: { runs: merged.replaced, directories: compacted.directories },
    hashBlocks: compacted.hashBlocks,
  });
  host.committer.settle(written);
}
