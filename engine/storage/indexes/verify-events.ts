/**
 * Checks the event log: offsets of transactions follow each other, stored events are sound, stand under their own
 * offsets, ascend and end where the head says, and notes can be read.
 */

import type { ReadTransaction } from '../lmdb/file.js';
import type { Head } from '../log/head.js';
import { LogReader } from '../log/log-reader.js';
import { lastOf, NOTE_KINDS } from '../seam/event-log.js';
import type { Findings } from '../seam/findings.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { EVENT_PREFIX, readBegun, readEvent, readFloor, readNotes } from './event-entries.js';
import { lastEventOf } from './last-event.js';

const KEYS_READ = 1024;
const WHERE = 'event log';

export async function verifyEvents(
  { file }: SnapshotContext,
  transaction: ReadTransaction,
  head: Head,
  findings: Findings,
): Promise<void> {
  const begun = readBegun(file, transaction);
  const floor = readFloor(file, transaction);
  for (const kind of NOTE_KINDS) readNotes(file, kind, transaction);
  const last = lastEventOf(file, head, transaction);
  if (floor > last) findings.add(WHERE, `events up to ${floor} were pruned, and the last is ${last}`);
  await verifyRecords(
    new LogReader(file),
    transaction,
    { from: begun ?? head.lastTx + 1, to: head.lastTx, last },
    findings,
  );
  let keys = file.keysAfter('events', EVENT_PREFIX, KEYS_READ, transaction) as string[];
  while (keys[0]?.startsWith(EVENT_PREFIX)) {
    for (const key of keys) {
      if (!key.startsWith(EVENT_PREFIX)) break;
      await findings.check(WHERE, () => {
        const offset = Number(key.slice(EVENT_PREFIX.length));
        const stored = readEvent(file, key, transaction);
        if (stored.offset !== offset) findings.add(WHERE, `event ${offset} says that it is ${stored.offset}`);
        if (offset > last) findings.add(WHERE, `there is an event ${offset}, and the last is ${last}`);
      });
    }
    await findings.turn('verify events');
    keys = file.keysAfter('events', keys[keys.length - 1] as string, KEYS_READ, transaction) as string[];
  }
}

async function verifyRecords(
  log: LogReader,
  transaction: ReadTransaction,
  { from, to, last }: { readonly from: number; readonly to: number; readonly last: number },
  findings: Findings,
): Promise<void> {
  let before = 0;
  for (let tx = from; tx <= to; tx++) {
    await findings.check(WHERE, () => {
      const { events } = log.entry(tx, transaction).record;
      if (events === undefined) return;
      if (events.after < before) {
        findings.add(
          WHERE,
          `events of transaction ${tx} begin after ${events.after}, and there are ${before} before it`,
        );
      }
      before = lastOf(events);
      if (before > last) findings.add(WHERE, `events of transaction ${tx} end at ${before}, and the last is ${last}`);
    });
    await findings.turn('verify events');
  }
  log.release();
}
