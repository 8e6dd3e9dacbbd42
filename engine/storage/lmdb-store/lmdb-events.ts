/** The event log of a store file: what its log records and its database `events` say. */

import { invariant, SvcError } from '../../base/errors.js';
import type { Instant, TxId } from '../ids/layout.js';
import { entriesOfEvents, entryOfFloor, entryOfNote, eventKey, eventKeysAfter } from '../indexes/event-entries.js';
import { changeOf, type EventReader } from '../indexes/events.js';
import type { LmdbFile } from '../lmdb/file.js';
import {
  byName,
  type EventLog,
  type EventLogState,
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
  read<Result>(read: (log: EventReader) => Result): Result;
  assertOpen(): void;
  /** Why nobody but its primary writes the store; null = others may. */
  refusal(): SvcError | null;
}

export class LmdbEvents implements EventLog {
  readonly #host: EventHost;

  constructor(host: EventHost) {
    this.#host = host;
  }

  state(): EventLogState {
    return this.#read((log) => ({ last: log.last(), floor: log.floor() }));
  }

  transactionBefore(offset: number): TxId {
    return this.#read((log) => log.transactionBefore(offset));
  }

  stored(after: number, limit: number): readonly StoredEvent[] {
    return this.#read((log) => log.stored(after, limit));
  }

  async append(event: OwnEvent, recordedAt: Instant): Promise<void> {
    this.#assertWritable();
    const { committer } = this.#host;
    const { lastTx, lastEvent = 0 } = committer.head;
    const offset = lastEvent + 1;
    const stored = { ...event, offset, timestamp: recordedAt, recordedAt, group: null, tx: lastTx };
    await committer.addChange(changeOf(entriesOfEvents([stored], lastEvent, offset, lastTx + 1)), offset);
  }

  async prune(floor: number): Promise<void> {
    this.#assertWritable();
    const { file, committer } = this.#host;
    invariant(floor <= (committer.head.lastEvent ?? 0), 'only events that happened are pruned');
    await committer.addChange(changeOf([entryOfFloor(floor)]));
    for (;;) {
      const keys = eventKeysAfter(file, 0, PRUNED_AT_ONCE).filter((key) => key <= eventKey(floor));
      if (keys.length === 0) return;
      await committer.addChange(changeOf(keys.map((key) => ({ key, value: null }))));
    }
  }

  note(kind: NoteKind, name: string): unknown {
    return this.#read((log) => log.note(kind, name));
  }

  notes(kind: NoteKind): readonly Note[] {
    return this.#read((log) => log.notes(kind).toSorted(byName));
  }

  async putNotes(notes: readonly Note[]): Promise<void> {
    this.#assertWritable();
    await this.#host.committer.addChange(changeOf(notes.map(entryOfNote)));
  }

  #read<Result>(read: (log: EventReader) => Result): Result {
    this.#host.assertOpen();
    return this.#host.read(read);
  }

  #assertWritable(): void {
    this.#host.assertOpen();
    const refusal = this.#host.refusal();
    if (refusal !== null) throw refusal;
    const { path, readOnly } = this.#host.file;
    if (readOnly)
      throw new SvcError('store_read_only', `${path} was opened read-only`, { hint: 'open it for writing' });
  }
}
