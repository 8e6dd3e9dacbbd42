/** What the log says of transactions, without their changes. */

import type { TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { TransactionRange, TransactionRecord } from '../seam/engine.js';
import { LogReader } from './log-reader.js';

export function transactionsIn(
  file: LmdbFile,
  lastTx: TxId,
  transaction: ReadTransaction,
  { since = 0, limit }: TransactionRange,
): TransactionRecord[] {
  const last = limit === undefined ? lastTx : Math.min(lastTx, since + limit);
  const log = new LogReader(file);
  const records: TransactionRecord[] = [];
  for (let tx = since + 1; tx <= last; tx++) {
    const { record } = log.entry(tx, transaction);
    const { id, timestamp, actor, source, authenticated, quadsAdded, quadsRetracted, events } = record;
    records.push({ id, timestamp, actor, source, authenticated, quadsAdded, quadsRetracted, events });
  }
  return records;
}
