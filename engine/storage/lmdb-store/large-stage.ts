/**
 * A transaction too large for the delta: the delta is folded first, then the stage becomes runs in the
 * same way, in steps, and is published with its log record, which refers to its rows. Until then
 * nothing of it shows, and aborting it leaves nothing.
 */

import { breathe, type Control, throwIfAborted } from '../../base/control.js';
import { invariant } from '../../base/errors.js';
import { Delta } from '../delta/delta.js';
import type { UncommittedLayer } from '../delta/uncommitted-layer.js';
import { FoldJob } from '../fold/fold-job.js';
import { keepEvents } from '../indexes/kept-events.js';
import { afterTransaction } from '../log/head.js';
import { liveClosed, liveOpened } from '../log/live-rows.js';
import { encodeLogRecord } from '../log/record.js';
import { FileSink } from '../runs/file-sink.js';
import { rootOf } from '../runs/manifest.js';
import type { WriteEvents } from '../seam/event-log.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { metadataOf } from '../stage/record-stage.js';
import type { WriteTransaction } from '../stage/stage.js';
import { figuresOfStaged } from '../stats/figures-of-view.js';
import type { Committer } from './committer.js';
import type { Maintenance } from './maintenance.js';
import { publish } from './publish.js';

/** Rows and tombstones from which on a transaction goes straight to runs. */
const LARGE_ROWS = 65_536;
const LARGE_TERM_BYTES = 32 * 1024 * 1024;

export interface LargeStageHost {
  readonly context: SnapshotContext;
  readonly committer: Committer;
  readonly maintenance: Maintenance;
}

export function isLarge(stage: WriteTransaction): boolean {
  const { asserted, retracted } = stage.counts;
  return asserted + retracted >= LARGE_ROWS || stage.overlay.terms.bytes >= LARGE_TERM_BYTES;
}

export async function writeLargeStage(
  host: LargeStageHost,
  stage: WriteTransaction,
  events: WriteEvents | undefined,
  control: Control,
): Promise<void> {
  const overlay = stage.overlay.pin();
  try {
    await host.maintenance.run({ signal: control.signal });
    await write(host, stage, overlay, events, control);
  } finally {
    overlay.unpin();
  }
}

async function write(
  host: LargeStageHost,
  stage: WriteTransaction,
  overlay: UncommittedLayer,
  events: WriteEvents | undefined,
  control: Control,
): Promise<void> {
  const { context, committer } = host;
  const { file, memory } = context;
  const transaction = file.beginRead();
  const manifest = context.manifest(transaction);
  invariant(manifest.nextTermNumber === overlay.terms.first, 'the terms of a stage follow those of the delta');
  const delta = new Delta(memory, manifest.foldedTx, overlay.terms.first, overlay);
  const view = { context, manifest, transaction, tx: stage.tx, delta, stage: null, disjoint: false };
  const sink = new FileSink(file, manifest);
  try {
    const result = await finish(new FoldJob(view, sink, overlay.terms.next, manifest.foldedTx).run(), control);
    const root = await finish(
      figuresOfStaged(context, { overlay, tx: stage.tx, transaction }, rootOf(manifest)),
      control,
    );
    const opened = liveOpened(overlay.rows);
    const closed = liveClosed(overlay.tombstones);
    const kept = keepEvents(events, committer.head.lastEvent ?? 0, stage);
    const record = metadataOf(memory, stage, opened, closed, kept.ofRecord);
    memory.free(opened.list, opened.bytes);
    memory.free(closed.list, closed.bytes);
    const bytes = encodeLogRecord(record);
    sink.flush();
    const head = {
      lastTx: stage.tx,
      nextTermNumber: result.manifest.nextTermNumber,
      logBytes: committer.head.logBytes + bytes.length,
      ...afterTransaction(committer.head, stage.validity),
      lastEvent: kept.last,
    };
    const sources = new Map(record.source === null ? [] : [[record.source, [stage.tx]]]);
    committer.settle(
      publish(file, {
        ...result,
        manifest: { ...result.manifest, root },
        sources,
        head,
        record: { tx: stage.tx, bytes },
        events: kept.entries,
      }),
    );
  } catch (error) {
    sink.discard();
    throw error;
  } finally {
    file.release(transaction);
  }
}

async function finish<Result>(job: Generator<void, Result>, control: Control): Promise<Result> {
  const started = Date.now();
  try {
    for (let done = 1; ; done++) {
      const step = job.next();
      if (step.done) return step.value;
      control.onProgress?.({ phase: 'write runs', done, elapsedMs: Date.now() - started });
      await breathe();
      throwIfAborted(control.signal, 'the transaction');
    }
  } finally {
    job.return(undefined as never);
  }
}
