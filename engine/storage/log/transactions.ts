/** What the log says of transactions, without their changes. */

import type { TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { TransactionRange, TransactionRecord } from '../seam/engine.js';
import { LogReader } from './log-reader.js';
import type { LogRecord } from './record.js';

export function transactionsIn(
  file: LmdbFile,
  lastTx: TxId,
  transaction: ReadTransaction,
  { since = 0, limit }: TransactionRange,
): TransactionRecord[] {
  const last = limit === undefined ? lastTx : Math.min(lastTx, since + limit);
  const log = new LogReader(file);
  const records: TransactionRecord[] = [];
  for (let tx = since + 1; tx <= last; tx++) records.push(told(log.entry(tx, transaction).record));
  return records;
}

/** In the sequence of the ids; read in that of the log, so that a segment is decoded once. */
export function transactionsWith(
  file: LmdbFile,
  transaction: ReadTransaction,
  ids: readonly TxId[],
): TransactionRecord[] {
  const log = new LogReader(file);
  const records = new Map<TxId, TransactionRecord>();
  for (const tx of [...ids].sort((a, b) => a - b)) records.set(tx, told(log.entry(tx, transaction).record));
  return ids.map((tx) => records.get(tx) as TransactionRecord);
}

function told(record: LogRecord): TransactionRecord {
  const { id, timestamp, validFrom, actor, source, authenticated, quadsAdded, quadsRetracted, events } = record;
  return { id, timestamp, validFrom, actor, source, authenticated, quadsAdded, quadsRetracted, events };
}
