/** Log records of a write whose rows go into the delta, with the events that come into the log beside them. */

import { invariant } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { keepEvents } from '../indexes/kept-events.js';
import type { CommitOptions } from '../seam/engine.js';
import { recordTransaction } from '../stage/record-transaction.js';
import type { AcceptedTransaction } from '../stage/stage.js';
import type { CommitRecord } from './committer.js';

/** `lastEvent`: the highest offset of an event before them. */
export function commitRecords(
  memory: ThreadMemory,
  transactions: readonly AcceptedTransaction[],
  lastEvent = 0,
  events: CommitOptions['events'] = [],
): CommitRecord[] {
  let last = lastEvent;
  return transactions.map(({ tx, written, options: { timestamp } }, at) => {
    invariant(written !== null, 'a transaction of the delta has changes of its own');
    const kept = keepEvents(events[at], last, { tx, timestamp });
    last = kept.last;
    return { tx, bytes: recordTransaction(memory, written, kept.ofRecord), validity: written.validity, events: kept };
  });
}
