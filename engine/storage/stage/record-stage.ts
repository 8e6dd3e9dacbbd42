/** Makes the log record of a stage: its net changes, their sums, and its metadata. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { Delta } from '../delta/delta.js';
import { encodeChanges, type RowList } from '../log/changes.js';
import { liveClosed, liveOpened } from '../log/live-rows.js';
import { encodeLogRecord, type LogRecord } from '../log/record.js';
import { RowColumns } from '../runs/writer.js';
import type { TransactionEvents } from '../seam/event-log.js';
import { BATCH_ROWS } from '../seam/scan.js';
import type { WriteTransaction } from './stage.js';

const ALL_MASK = 0xff;

/** Sum of the row checksums of a list, in hex. */
export function sumOf(memory: ThreadMemory, rows: RowList): string {
  const sum = memory.allocate(8);
  memory.wordsAt(sum, 2).fill(0);
  const columns = new RowColumns(memory, Math.max(1, Math.min(BATCH_ROWS, rows.count)));
  for (let from = 0; from < rows.count; from += BATCH_ROWS) {
    const to = Math.min(rows.count, from + BATCH_ROWS);
    memory.kernels.gatherRows(rows.set.columns.list, rows.list, from, to, ALL_MASK, columns.list);
    memory.kernels.sumRows(columns.list, 0, to - from, sum);
  }
  columns.release();
  const total = memory.bigsAt(sum, 1)[0] as bigint;
  memory.free(sum, 8);
  return total.toString(16);
}

/** Metadata of the transaction that a stage becomes. */
export function metadataOf(
  memory: ThreadMemory,
  stage: WriteTransaction,
  opened: RowList,
  closed: RowList,
  events: TransactionEvents,
): LogRecord {
  return {
    id: stage.tx,
    timestamp: stage.timestamp,
    actor: stage.options.actor ?? null,
    source: stage.options.source ?? null,
    authenticated: stage.options.authenticated,
    quadsAdded: opened.count,
    quadsRetracted: closed.count,
    validFrom: stage.validFrom,
    sum: sumOf(memory, opened),
    closedSum: sumOf(memory, closed),
    events,
  };
}

/** Applies the net changes of a stage to the delta, as its log record would. */
export function applyStage(delta: Delta, stage: WriteTransaction): void {
  const { overlay, tx } = stage;
  const [opened, closed] = [liveOpened(overlay.rows), liveClosed(overlay.tombstones)];
  const [rows, tombstones] = [gather(opened), gather(closed)];
  const terms = opened.count === 0 ? [] : overlay.terms.list();
  const source = stage.options.source ?? null;
  const firstTerm = overlay.terms.first;
  delta.apply({ tx, source, firstTerm, terms, rows, rowCount: opened.count, tombstones, closeCount: closed.count });
  for (const list of [opened, closed]) delta.memory.free(list.list, list.bytes);
  for (const columns of [rows, tombstones]) columns?.release();
}

function gather({ set, list, count }: RowList): RowColumns | null {
  if (count === 0) return null;
  const columns = new RowColumns(set.memory, count);
  set.memory.kernels.gatherRows(set.columns.list, list, 0, count, ALL_MASK, columns.list);
  return columns;
}

/** The log record of kind 2. */
export function recordStage(memory: ThreadMemory, stage: WriteTransaction, events: TransactionEvents): Buffer {
  const { overlay } = stage;
  const opened = liveOpened(overlay.rows);
  const closed = liveClosed(overlay.tombstones);
  const terms = opened.count === 0 ? [] : overlay.terms.list();
  const changes = encodeChanges(memory, overlay.terms.first, terms, opened, closed);
  const bytes = encodeLogRecord(metadataOf(memory, stage, opened, closed, events), changes);
  memory.free(opened.list, opened.bytes);
  memory.free(closed.list, closed.bytes);
  return bytes;
}
