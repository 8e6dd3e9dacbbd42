/**
 * Retention: events that were recorded before an instant are pruned, never beyond the lowest cursor of a consumer. By the
 * clock, not by time labels, which may lie in any past.
 */

import type { Instant } from '../../storage/ids/layout.js';
import type { TransactionRange, TransactionRecord } from '../../storage/seam/engine.js';
import type { EventLog } from '../../storage/seam/event-log.js';
import { lowestCursor } from './consumers.js';

const AT_ONCE = 256;

export interface PrunedLog {
  readonly log: EventLog;
  transactions(range: TransactionRange): readonly TransactionRecord[];
}

/** Returns the offset up to which events are gone now. */
export async function pruneEvents(source: PrunedLog, before: Instant): Promise<number> {
  const { log } = source;
  const { floor, last } = log.state();
  const bound = Math.min(lowestCursor(log) ?? last, last);
  if (bound <= floor) return floor;
  const end = Math.min(
    bound,
    firstYoungTransaction(source, floor, bound, before),
    firstYoungStored(log, floor, bound, before),
  );
  if (end <= floor) return floor;
  await log.prune(end);
  return end;
}

/** The offset before the first event of a transaction that is too young; `bound` when there is none up to there. */
function firstYoungTransaction(source: PrunedLog, floor: number, bound: number, before: Instant): number {
  for (let since = source.log.transactionBefore(floor); ; ) {
    const records = source.transactions({ since, limit: AT_ONCE });
    for (const { id, timestamp, events } of records) {
      since = id;
      if (events?.derived === undefined && events?.lead === undefined) continue;
      if (events.after >= bound) return bound;
      if ((events.recordedAt ?? timestamp) >= before) return events.after;
    }
    if (records.length < AT_ONCE) return bound;
  }
}

function firstYoungStored(log: EventLog, floor: number, bound: number, before: Instant): number {
  for (let at = floor; ; ) {
    const some = log.stored(at, AT_ONCE);
    for (const { offset, recordedAt } of some) {
      at = offset;
      if (offset > bound) return bound;
      if (recordedAt >= before) return offset - 1;
    }
    if (some.length < AT_ONCE) return bound;
  }
}
