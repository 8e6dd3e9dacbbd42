/** The event log of a store file: what its log records and its database `events` say. */

import { invariant, SvcError } from '../../base/errors.js';
import type { Instant, TxId } from '../ids/layout.js';
import {
  entriesOfEvents,
  entryOfFloor,
  entryOfNote,
  eventKey,
  eventKeysAfter,
  readBegun,
  readEvent,
  readFloor,
  readNote,
  readNotes,
} from '../indexes/event-entries.js';
import { lastEventOf } from '../indexes/last-event.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { Head } from '../log/head.js';
import { LogReader } from '../log/log-reader.js';
import {
  byName,
  type EventLog,
  type EventLogState,
  lastOf,
  type Note,
  type NoteKind,
  type OwnEvent,
  type StoredEvent,
} from '../seam/event-log.js';
import type { Committer } from './committer.js';

/** Stored events that one commit removes. */
const PRUNED_AT_ONCE = 4096;

export interface EventHost {
  readonly file: LmdbFile;
  readonly committer: Committer;
  /** Runs with the newest state of the file. */
  read<Result>(read: (head: Head, transaction: ReadTransaction) => Result): Result;
  assertOpen(): void;
}

export class LmdbEvents implements EventLog {
  readonly #host: EventHost;

  constructor(host: EventHost) {
    this.#host = host;
  }

  state(): EventLogState {
    const { file } = this.#host;
    return this.#read((head, transaction) => ({
      last: lastEventOf(file, head, transaction),
      floor: readFloor(file, transaction),
    }));
  }

  transactionBefore(offset: number): TxId {
    const { file } = this.#host;
    return this.#read((head, transaction) => {
      const begun = readBegun(file, transaction) ?? ((head.lastEvent ?? 0) > 0 ? 1 : null);
      if (begun === null) return head.lastTx;
      const log = new LogReader(file);
      // The end of a transaction never falls; one without a word of events ends where the one before it did.
      const endOf = (tx: TxId): number => {
        for (let at = tx; at >= begun; at--) {
          const { events } = log.entry(at, transaction).record;
          if (events !== undefined) return lastOf(events);
        }
        return 0;
      };
      let [low, high] = [begun - 1, head.lastTx];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (endOf(middle) <= offset) low = middle;
        else high = middle - 1;
      }
      log.release();
      return low;
    });
  }

  stored(after: number, limit: number): readonly StoredEvent[] {
    const { file } = this.#host;
    return this.#read((_, transaction) =>
      eventKeysAfter(file, after, limit, transaction).map((key) => readEvent(file, key, transaction)),
    );
  }

  async append(event: OwnEvent, recordedAt: Instant): Promise<void> {
    this.#assertWritable();
    const { committer } = this.#host;
    const { lastTx, lastEvent = 0 } = committer.head;
    const offset = lastEvent + 1;
    const stored = { ...event, offset, timestamp: recordedAt, recordedAt, group: null, tx: lastTx };
    await committer.addEvents(entriesOfEvents([stored], lastEvent, offset, lastTx + 1), offset);
  }

  async prune(floor: number): Promise<void> {
    this.#assertWritable();
    const { file, committer } = this.#host;
    invariant(floor <= (committer.head.lastEvent ?? 0), 'only events that happened are pruned');
    await committer.addEvents([entryOfFloor(floor)]);
    for (;;) {
      const keys = eventKeysAfter(file, 0, PRUNED_AT_ONCE).filter((key) => key <= eventKey(floor));
      if (keys.length === 0) return;
      await committer.addEvents(keys.map((key) => ({ key, value: null })));
    }
  }

  note(kind: NoteKind, name: string): unknown {
    return this.#read((_, transaction) => readNote(this.#host.file, kind, name, transaction));
  }

  notes(kind: NoteKind): readonly Note[] {
    return this.#read((_, transaction) => readNotes(this.#host.file, kind, transaction).sort(byName));
  }

  async putNotes(notes: readonly Note[]): Promise<void> {
    this.#assertWritable();
    await this.#host.committer.addEvents(notes.map(entryOfNote));
  }

  #read<Result>(read: (head: Head, transaction: ReadTransaction) => Result): Result {
    this.#host.assertOpen();
    return this.#host.read(read);
  }

  #assertWritable(): void {
    this.#host.assertOpen();
    const { path, readOnly } = this.#host.file;
    if (readOnly)
      throw new SvcError('store_read_only', `${path} was opened read-only`, { hint: 'open it for writing' });
  }
}
