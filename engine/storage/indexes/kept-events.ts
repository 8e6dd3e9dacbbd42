/** Gives the events of a write their offsets: what its log record says of them, and what the file keeps beside it. */

import type { Instant, TxId } from '../ids/layout.js';
import {
  eventsOfRecord,
  lastOf,
  noEvents,
  storedOf,
  type TransactionEvents,
  type WriteEvents,
} from '../seam/event-log.js';
import { type EventEntry, entriesOfEvents } from './event-entries.js';

export interface KeptEvents {
  readonly ofRecord: TransactionEvents;
  readonly entries: readonly EventEntry[];
  /** The highest offset with them. */
  readonly last: number;
}

/** `before`: the highest offset so far. */
export function keepEvents(
  events: WriteEvents | undefined,
  before: number,
  { tx, timestamp }: { readonly tx: TxId; readonly timestamp: Instant },
): KeptEvents {
  const given = events ?? noEvents(timestamp);
  const ofRecord = eventsOfRecord(given, before, timestamp);
  const last = lastOf(ofRecord);
  const entries = entriesOfEvents(storedOf(given, before, { tx, timestamp }), before, last, tx);
  return { ofRecord, entries, last };
}
