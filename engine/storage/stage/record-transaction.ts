/** Makes the log record of a transaction: its net changes, their sums, and its metadata. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { Delta } from '../delta/delta.js';
import { encodeChanges, type RowList } from '../log/changes.js';
import { liveClosed, liveOpened } from '../log/live-rows.js';
import { encodeLogRecord, type LogRecord } from '../log/record.js';
import { RowColumns } from '../runs/writer.js';
import type { TransactionEvents } from '../seam/event-log.js';
import { BATCH_ROWS } from '../seam/scan.js';
import type { WriteTransaction } from './write-transaction.js';

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

/** What the log says of a transaction besides its changes. */
export function metadataOf(
  memory: ThreadMemory,
  transaction: WriteTransaction,
  opened: RowList,
  closed: RowList,
  events: TransactionEvents,
): LogRecord {
  return {
    id: transaction.tx,
    timestamp: transaction.timestamp,
    actor: transaction.options.actor ?? null,
    source: transaction.options.source ?? null,
    authenticated: transaction.options.authenticated,
    quadsAdded: opened.count,
    quadsRetracted: closed.count,
    validFrom: transaction.validFrom,
    sum: sumOf(memory, opened),
    closedSum: sumOf(memory, closed),
    events,
  };
}

/** Applies the net changes of a transaction to the delta, as its log record would. */
export function applyTransaction(delta: Delta, transaction: WriteTransaction): void {
  const { layer, tx } = transaction;
  const [opened, closed] = [liveOpened(layer.rows), liveClosed(layer.tombstones)];
  const [rows, tombstones] = [gather(opened), gather(closed)];
  const terms = opened.count === 0 ? [] : layer.terms.list();
  const source = transaction.options.source ?? null;
  const firstTerm = layer.terms.first;
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
export function recordTransaction(
  memory: ThreadMemory,
  transaction: WriteTransaction,
  events: TransactionEvents,
): Buffer {
  const { layer } = transaction;
  const opened = liveOpened(layer.rows);
  const closed = liveClosed(layer.tombstones);
  const terms = opened.count === 0 ? [] : layer.terms.list();
  const changes = encodeChanges(memory, layer.terms.first, terms, opened, closed);
  const bytes = encodeLogRecord(metadataOf(memory, transaction, opened, closed, events), changes);
  memory.free(opened.list, opened.bytes);
  memory.free(closed.list, closed.bytes);
  return bytes;
}
