/** What a store tells of its log: transactions by their ids, and by their time labels. */

import type { StorageEngine, TransactionRange } from '../../storage/seam/engine.js';
import { checkCount } from '../facts/paging.js';
import type { Timeline, TimelineOptions } from '../facts/timeline.js';
import { type Transaction, toTransaction } from '../reads/transaction.js';
import { StoreRegistries } from './store-registries.js';

export abstract class StoreLog extends StoreRegistries {
  /** @internal The engine, or an error when the store is closed. */
  protected abstract open(): StorageEngine;
  /** @internal Whether it may read every graph. */
  protected abstract get readsAll(): boolean;

  /** Transactions, oldest first: all, or those after `since`, at most `limit`. */
  transactions(range: TransactionRange = {}): Transaction[] {
    const engine = this.open();
    for (const [name, value] of Object.entries(range)) if (value !== undefined) checkCount(value, name);
    return engine.transactions(range).map(toTransaction);
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
