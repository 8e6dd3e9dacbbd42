/**
 * The log as somebody sees it who may read some graphs only: the transactions that changed one of them, with the
 * statements that they changed there, without who wrote and from where. What others did is passed over; that there were
 * other transactions shows in the gaps between the ids.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import type { TxId } from '../../storage/ids/layout.js';
import type { StorageEngine, TransactionRange } from '../../storage/seam/engine.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { type Transaction, toTransaction } from './transaction.js';

/** Transactions whose changes are looked at for one page. */
const EXAMINED_MAX = 2000;
const EXAMINED_AT_ONCE = 100;

export interface ChangeSize {
  readonly asserted: number;
  readonly retracted: number;
}

/** The statements of a transaction in the graphs of a snapshot. */
export function changeSize(snapshot: StorageSnapshot, tx: TxId): ChangeSize {
  const size = { assert: 0, retract: 0 };
  for (const { op, rows } of snapshot.changes(tx)) size[op] += rows;
  return { asserted: size.assert, retracted: size.retract };
}

/** Whether a transaction changed a graph of a snapshot. */
export function changedSomething(snapshot: StorageSnapshot, tx: TxId): boolean {
  for (const { rows } of snapshot.changes(tx)) if (rows > 0) return true;
  return false;
}

export interface TransactionPage {
  readonly transactions: readonly Transaction[];
  /** Read on with it as `since`; null = there are no more. */
  readonly next: TxId | null;
}

/** A page may be short, and be followed by others, when little of much may be seen. */
export async function visibleTransactions(
  engine: Pick<StorageEngine, 'transactions'>,
  snapshot: StorageSnapshot,
  { since = 0, limit = EXAMINED_MAX }: TransactionRange,
  control: Control,
): Promise<TransactionPage> {
  const transactions: Transaction[] = [];
  let at = since;
  for (let looked = 0; looked < EXAMINED_MAX; looked += EXAMINED_AT_ONCE) {
    const records = engine.transactions({ since: at, limit: EXAMINED_AT_ONCE });
    for (const record of records) {
      if (record.id > snapshot.tx) return { transactions, next: null };
      if (transactions.length === limit) return { transactions, next: at };
      throwIfStopped(control, 'the listing');
      at = record.id;
      const { asserted, retracted } = changeSize(snapshot, at);
      if (asserted + retracted === 0) continue;
      transactions.push({ ...toTransaction(record), quadsAdded: asserted, quadsRetracted: retracted });
    }
    if (records.length < EXAMINED_AT_ONCE) return { transactions, next: null };
    await breathe();
  }
  return { transactions, next: at < snapshot.tx ? at : null };
}
