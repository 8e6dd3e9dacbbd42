/** What a store tells of its log: transactions by their ids, and by their time labels. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { StorageEngine, TransactionRange } from '../../storage/seam/engine.js';
import { checkCount } from '../facts/paging.js';
import type { Timeline, TimelineOptions } from '../facts/timeline.js';
import { type Transaction, toTransaction } from '../reads/transaction.js';
import type { TransactionPage } from '../reads/visible-transactions.js';
import { StoreRegistries } from './store-registries.js';

export abstract class StoreLog extends StoreRegistries {
  /** @internal The engine, or an error when the store is closed. */
  abstract open(): StorageEngine;
  /** @internal Whether it may read every graph. */
  abstract get readsAll(): boolean;

  /** Transactions, oldest first: all, or those after `since`, at most `limit`. */
  transactions(range: TransactionRange = {}): Transaction[] {
    if (this.readsAll) return this.recordsOf(range);
    throw new SvcError(
      'authority_denied',
      'the log counts what was written to every graph, and the reader may read some only',
      {
        hint: 'ask for the timeline, or for the changes of the graphs that may be read',
      },
    );
  }

  /** @internal Of every transaction, with the counts of all that it changed: for what looks further, never to be shown. */
  recordsOf(range: TransactionRange): Transaction[] {
    const engine = this.open();
    for (const [name, value] of Object.entries(range)) if (value !== undefined) checkCount(value, name);
    return engine.transactions(range).map(toTransaction);
  }

  /** @internal The transactions that changed what the reader may read, with what they changed of it. */
  async visibleTransactions(range: TransactionRange, control: Control = {}): Promise<TransactionPage> {
    const engine = this.open();
    const { visibleTransactions } = await import('../reads/visible-transactions.js');
    return this.reading((snapshot) => visibleTransactions(engine, snapshot, range, control));
  }

  /** Episodes and transactions by their time labels. */
  async timeline(options: TimelineOptions = {}): Promise<Timeline> {
    const engine = this.open();
    return this.reading(async (snapshot) => {
      const { readTimeline } = await import('../facts/timeline.js');
      return readTimeline({ engine, snapshot, isNarrowed: !this.readsAll }, options);
    });
  }
}
