/** Log records of a write whose rows go into the delta, with the events that come into the log beside them. */

import { invariant } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { keepEvents } from '../indexes/event-entries.js';
import type { IndexedTransaction, IndexStore } from '../indexes/secondary-index.js';
import type { CommitOptions } from '../seam/engine.js';
import { recordTransaction } from '../stage/record-transaction.js';
import type { AcceptedTransaction } from '../stage/stage.js';
import type { CommitRecord } from './committer.js';

/** `lastEvent`: the highest offset of an event before them. */
export function commitRecords(
  memory: ThreadMemory,
  store: IndexStore,
  transactions: readonly AcceptedTransaction[],
  lastEvent = 0,
  { events = [], catalog = true }: CommitOptions = {},
): { readonly records: readonly CommitRecord[]; readonly indexed: readonly IndexedTransaction[] } {
  let last = lastEvent;
  const indexed: IndexedTransaction[] = [];
  const records = transactions.map((transaction, at) => {
    const { tx, written, timestamp, options } = transaction;
    invariant(written !== null, 'a transaction of the delta has changes of its own');
    const kept = keepEvents(events[at], last, { tx, timestamp });
    last = kept.last;
    indexed.push({
      tx,
      timestamp,
      source: options.source ?? null,
      events: kept,
      store,
      changes: () => transaction.changes(),
      snapshot: () => transaction.snapshot(),
    });
    const bytes = recordTransaction(memory, written, kept.ofRecord);
    return { tx, bytes, validity: written.validity, lastEvent: last, catalog };
  });
  return { records, indexed };
}
