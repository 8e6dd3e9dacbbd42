/**
 * The event log of a file as an index: what its log records and its database `events` say (`event-entries.ts`). The offsets of
 * events stand in the log records; notes and stored events can't be made anew, so that a repair takes away those that can't
 * be read, and says which.
 */

import type { TxId } from '../ids/layout.js';
import { everyKey } from '../lmdb/every-key.js';
import { unseal } from '../lmdb/sealed.js';
import { LogReader } from '../log/log-reader.js';
import { type EventLog, lastOf, NOTE_KINDS } from '../seam/event-log.js';
import { type Findings, unlessDamaged } from '../seam/findings.js';
import {
  EVENT_PREFIX,
  type EventEntry,
  eventKeysAfter,
  readBegun,
  readEvent,
  readFloor,
  readNote,
  readNotes,
} from './event-entries.js';
import { lastEventOf, lastInLog } from './last-event.js';
import type { FileView, IndexChange, IndexRebuild, SecondaryIndex } from './secondary-index.js';

const NAME = 'event log';

/** What puts entries into the file. */
export function changeOf(entries: readonly EventEntry[]): IndexChange {
  return (writer) => {
    for (const { key, value } of entries) {
      if (value === null) writer.remove('events', key);
      else writer.put('events', key, value);
    }
  };
}

export interface EventReader extends Pick<EventLog, 'transactionBefore' | 'stored' | 'note' | 'notes'> {
  /** The highest offset that was given. */
  last(): number;
  /** Events up to this offset were pruned. */
  floor(): number;
}

export const EVENTS: SecondaryIndex<EventReader, FileView> = {
  name: NAME,
  databases: ['events'],
  committed: ({ events: { entries } }) => (entries.length === 0 ? null : changeOf(entries)),
  at: (view) => {
    const { file, head, transaction } = view;
    return {
      last: () => lastEventOf(file, head, transaction),
      floor: () => readFloor(file, transaction),
      transactionBefore: (offset) => transactionBefore(view, offset),
      stored: (after, limit) =>
        eventKeysAfter(file, after, limit, transaction).map((key) => readEvent(file, key, transaction)),
      note: (kind, name) => readNote(file, kind, name, transaction),
      notes: (kind) => readNotes(file, kind, transaction),
    };
  },
  verify: verifyEvents,
  rebuild: rebuildEvents,
};

function transactionBefore({ file, head, transaction }: FileView, offset: number): TxId {
  const begun = readBegun(file, transaction) ?? ((head.lastEvent ?? 0) > 0 ? 1 : null);
  if (begun === null) return head.lastTx;
  const log = new LogReader(file);
  let [low, high] = [begun - 1, head.lastTx];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lastInLog(log, middle, begun, transaction) <= offset) low = middle;
    else high = middle - 1;
  }
  log.release();
  return low;
}

/**
 * Offsets of transactions follow each other, stored events are sound, stand under their own offsets, ascend and end where the
 * head says, and notes can be read.
 */
async function verifyEvents(view: FileView, findings: Findings): Promise<void> {
  const { file, transaction, head } = view;
  const begun = readBegun(file, transaction);
  const floor = readFloor(file, transaction);
  for (const kind of NOTE_KINDS) readNotes(file, kind, transaction);
  const last = lastEventOf(file, head, transaction);
  if (floor > last) findings.add(NAME, `events up to ${floor} were pruned, and the last is ${last}`);
  await verifyRecords(view, begun ?? head.lastTx + 1, last, findings);
  for (const key of everyKey(file, 'events', transaction, EVENT_PREFIX)) {
    if (!key.startsWith(EVENT_PREFIX)) break;
    await findings.check(NAME, () => {
      const offset = Number(key.slice(EVENT_PREFIX.length));
      const stored = readEvent(file, key, transaction);
      if (stored.offset !== offset) findings.add(NAME, `event ${offset} says that it is ${stored.offset}`);
      if (offset > last) findings.add(NAME, `there is an event ${offset}, and the last is ${last}`);
    });
    await findings.turn('verify events');
  }
}

async function verifyRecords(
  { file, transaction, head }: FileView,
  from: TxId,
  last: number,
  findings: Findings,
): Promise<void> {
  const log = new LogReader(file);
  let before = 0;
  for (let tx = from; tx <= head.lastTx; tx++) {
    await findings.check(NAME, () => {
      const { events } = log.entry(tx, transaction).record;
      if (events === undefined) return;
      if (events.after < before) {
        findings.add(
          NAME,
          `events of transaction ${tx} begin after ${events.after}, and there are ${before} before it`,
        );
      }
      before = lastOf(events);
      if (before > last) findings.add(NAME, `events of transaction ${tx} end at ${before}, and the last is ${last}`);
    });
    await findings.turn('verify events');
  }
  log.release();
}

/** Takes away values that can't be read. Offsets stay as they are. */
async function rebuildEvents({ lost, reading, write }: IndexRebuild<FileView>): Promise<void> {
  const damaged = await reading(({ file, transaction }) => {
    const read = (key: string): boolean =>
      JSON.parse(unseal(file.readCopy('events', key, transaction), key).toString('utf8')) !== null;
    return [...everyKey(file, 'events', transaction)].filter((key) => unlessDamaged(() => read(key)) === null);
  });
  if (damaged.length === 0) return;
  write(changeOf(damaged.map((key) => ({ key, value: null }))));
  lost.push({ what: `of the event log: ${damaged.join(', ')}`, transactions: [] });
}
