/** Makes the log record of a transaction: its net changes, their sums, and its metadata. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { Delta } from '../delta/delta.js';
import { encodeChanges, type RowList } from '../log/changes.js';
import { encodeLogRecord, type LogRecord } from '../log/record.js';
import { RowColumns, sumOfRows } from '../runs/writer.js';
import type { TransactionEvents } from '../seam/event-log.js';
import { BATCH_ROWS } from '../seam/scan.js';
import { timeOf } from '../seam/transaction-times.js';
import type { WriteTransaction } from './write-transaction.js';

const ALL_MASK = 0xff;

/** Sum of the row checksums of a list, in hex. */
export function sumOfList(memory: ThreadMemory, rows: RowList): string {
  if (rows.count === 0) return '0';
  const columns = new RowColumns(memory, Math.min(BATCH_ROWS, rows.count));
  let sum = 0n;
  for (let from = 0; from < rows.count; from += BATCH_ROWS) {
    const to = Math.min(rows.count, from + BATCH_ROWS);
    memory.kernels.gatherRows(rows.set.columns.list, rows.list, from, to, ALL_MASK, columns.list);
    sum = BigInt.asUintN(64, sum + sumOfRows(memory, columns.list, 0, to - from));
  }
  columns.release();
  return sum.toString(16);
}

/** What the log says of a transaction besides its changes. */
export function metadataOf(memory: ThreadMemory, transaction: WriteTransaction, events: TransactionEvents): LogRecord {
  const { tx, timestamp, validFrom, options, net } = transaction;
  const { opened, closed } = net;
  return {
    id: tx,
    timestamp,
    actor: options.actor ?? null,
    source: options.source ?? null,
    authenticated: options.authenticated,
    quadsAdded: opened.count,
    quadsRetracted: closed.count,
    validFrom,
    sum: sumOfList(memory, opened),
    closedSum: sumOfList(memory, closed),
    events,
  };
}

/** Applies the net changes of a transaction to the delta, as its log record would. */
export function applyTransaction(delta: Delta, transaction: WriteTransaction): void {
  const { layer, tx, timestamp, options, net } = transaction;
  const { opened, closed, terms } = net;
  const source = options.source ?? null;
  const [rows, tombstones] = [gather(opened), gather(closed)];
  const firstTerm = layer.terms.first;
  const counts = { rowCount: opened.count, closeCount: closed.count };
  delta.note(timeOf({ id: tx, timestamp, source, quadsAdded: opened.count, quadsRetracted: closed.count }));
  delta.apply({ tx, source, firstTerm, terms, rows, tombstones, ...counts });
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
  const { opened, closed, terms } = transaction.net;
  const changes = encodeChanges(memory, transaction.layer.terms.first, terms, opened, closed);
  return encodeLogRecord(metadataOf(memory, transaction, events), changes);
}
