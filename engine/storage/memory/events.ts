/** The event log of the in-memory store: lists and maps. */

import type { Instant, TxId } from '../ids/layout.js';
import {
  byName,
  type EventLog,
  type EventLogState,
  eventsOfRecord,
  lastOf,
  type Note,
  type NoteKind,
  noEvents,
  type OwnEvent,
  type StoredEvent,
  storedOf,
  type TransactionEvents,
  type WriteEvents,
} from '../seam/event-log.js';

interface LoggedTransaction {
  readonly id: TxId;
  readonly events?: TransactionEvents | undefined;
}

export class MemoryEvents implements EventLog {
  readonly #transactions: readonly LoggedTransaction[];
  readonly #assertOpen: () => void;
  readonly #stored: StoredEvent[] = [];
  readonly #notes = new Map<string, Note>();
  #last = 0;
  #floor = 0;

  /** `transactions` grows. */
  constructor(transactions: readonly LoggedTransaction[], assertOpen: () => void) {
    this.#transactions = transactions;
    this.#assertOpen = assertOpen;
  }

  /** Gives the events of a transaction their offsets. */
  take(events: WriteEvents | undefined, transaction: { readonly tx: TxId; readonly timestamp: Instant }) {
    const given = events ?? noEvents(transaction.timestamp);
    const ofRecord = eventsOfRecord(given, this.#last, transaction.timestamp);
    this.#stored.push(...storedOf(given, this.#last, transaction));
    this.#last = lastOf(ofRecord);
    return ofRecord;
  }

  state(): EventLogState {
    this.#assertOpen();
    return { last: this.#last, floor: this.#floor };
  }

  transactionBefore(offset: number): TxId {
    this.#assertOpen();
    const last = (events: TransactionEvents | undefined) => (events === undefined ? 0 : lastOf(events));
    return this.#transactions.findLast(({ events }) => last(events) <= offset)?.id ?? 0;
  }

  stored(after: number, limit: number): readonly StoredEvent[] {
    this.#assertOpen();
    return this.#stored.filter(({ offset }) => offset > after).slice(0, limit);
  }

  async append(event: OwnEvent, recordedAt: Instant): Promise<void> {
    this.#assertOpen();
    const tx = this.#transactions.at(-1)?.id ?? 0;
    const offset = ++this.#last;
    this.#stored.push({ ...event, offset, timestamp: recordedAt, recordedAt, group: null, tx });
  }

  async prune(floor: number): Promise<void> {
    this.#assertOpen();
    this.#floor = floor;
    const kept = this.#stored.findIndex(({ offset }) => offset > floor);
    this.#stored.splice(0, kept < 0 ? this.#stored.length : kept);
  }

  note(kind: NoteKind, name: string): unknown {
    this.#assertOpen();
    return this.#notes.get(`${kind} ${name}`)?.value ?? null;
  }

  notes(kind: NoteKind): readonly Note[] {
    this.#assertOpen();
    return [...this.#notes.values()].filter((note) => note.kind === kind).sort(byName);
  }

  async putNotes(notes: readonly Note[]): Promise<void> {
    this.#assertOpen();
    for (const note of notes) {
      const key = `${note.kind} ${note.name}`;
      if (note.value === null) this.#notes.delete(key);
      // What a caller changes later is not what was put.
      else this.#notes.set(key, structuredClone(note));
    }
  }
}
