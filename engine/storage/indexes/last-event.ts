/**
 * The highest offset of an event, for a head that does not say it: the last commit was one of a program that knows no
 * events. Its transactions have none; those before it tell how far the offsets had come.
 */

import type { TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { Head } from '../log/head.js';
import { LogReader } from '../log/log-reader.js';
import { lastOf } from '../seam/event-log.js';
import { EVENT_PREFIX, readBegun } from './event-entries.js';

export function lastEventOf(file: LmdbFile, head: Head, transaction?: ReadTransaction): number {
  return head.lastEvent ?? findLastEvent(file, head, transaction);
}

/** The head with the highest offset in it. */
export function withLastEvent(file: LmdbFile, head: Head, transaction?: ReadTransaction): Head {
  return head.lastEvent === undefined ? { ...head, lastEvent: findLastEvent(file, head, transaction) } : head;
}

function findLastEvent(file: LmdbFile, head: Head, transaction: ReadTransaction | undefined): number {
  const begun = readBegun(file, transaction);
  if (begun === null) return 0;
  const log = new LogReader(file);
  try {
    return Math.max(lastInLog(log, head.lastTx, begun, transaction), lastStored(file, transaction));
  } finally {
    log.release();
  }
}

/**
 * Where the events end of the transactions from `begun` to `lastTx`. The end never falls; a transaction without a word of
 * events ends where the one before it did.
 */
export function lastInLog(log: LogReader, lastTx: TxId, begun: TxId, transaction: ReadTransaction | undefined): number {
  for (let tx = lastTx; tx >= begun; tx--) {
    const { events } = log.entry(tx, transaction).record;
    if (events !== undefined) return lastOf(events);
  }
  return 0;
}

function lastStored(file: LmdbFile, transaction: ReadTransaction | undefined): number {
  const key = file.lastTextKey('events', EVENT_PREFIX, transaction);
  return key === undefined ? 0 : Number(key.slice(EVENT_PREFIX.length));
}
