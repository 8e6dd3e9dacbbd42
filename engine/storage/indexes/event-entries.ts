/**
 * The database `events` of the file. Keys are texts, values sealed JSON:
 *
 * | Key                        | Value                                                                  |
 * |----------------------------|------------------------------------------------------------------------|
 * | `begun`                    | the first transaction whose record tells of events                     |
 * | `floor`                    | the offset up to which events were pruned                              |
 * | `event/` + 16 digits       | a stored event, by its offset                                          |
 * | `consumer/` + 32 hex digits | name and value of a note, by the hash of its name; `subscription/`, `counter/` likewise |
 *
 * Offsets of derived events stand in the log records (`storage/seam/event-log.ts`).
 */

import { createHash } from 'node:crypto';
import type { Instant, TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { seal, unseal } from '../lmdb/sealed.js';
import {
  eventsOfRecord,
  lastOf,
  type Note,
  type NoteKind,
  noEvents,
  type StoredEvent,
  storedOf,
  type TransactionEvents,
  type WriteEvents,
} from '../seam/event-log.js';

/** A change of the database; null removes the key. */
export interface EventEntry {
  readonly key: string;
  readonly value: Buffer | null;
}

export const EVENT_PREFIX = 'event/';
const WHAT = 'the event log';

export function eventKey(offset: number): string {
  return `${EVENT_PREFIX}${String(offset).padStart(16, '0')}`;
}

function noteKey(kind: NoteKind, name: string): string {
  return `${kind}/${createHash('sha256').update(name, 'utf8').digest('hex').slice(0, 32)}`;
}

const sealed = (value: unknown): Buffer => seal(Buffer.from(JSON.stringify(value)));

function opened<Value>(bytes: Buffer | undefined): Value | null {
  return bytes === undefined ? null : (JSON.parse(unseal(bytes, WHAT).toString('utf8')) as Value);
}

/** Those of new events. `before`: the highest offset so far; with the first event of a file its begin is noted. */
export function entriesOfEvents(events: readonly StoredEvent[], before: number, last: number, tx: TxId): EventEntry[] {
  const entries: EventEntry[] = events.map((event) => ({ key: eventKey(event.offset), value: sealed(event) }));
  if (before === 0 && last > 0) entries.push({ key: 'begun', value: sealed(tx) });
  return entries;
}

export function entryOfNote({ kind, name, value }: Note): EventEntry {
  return { key: noteKey(kind, name), value: value === null ? null : sealed({ name, value }) };
}

export function entryOfFloor(floor: number): EventEntry {
  return { key: 'floor', value: sealed(floor) };
}

/** Null in a file without events. */
export function readBegun(file: LmdbFile, transaction?: ReadTransaction): TxId | null {
  return opened(file.readCopy('events', 'begun', transaction));
}

export function readFloor(file: LmdbFile, transaction?: ReadTransaction): number {
  return opened(file.readCopy('events', 'floor', transaction)) ?? 0;
}

export function readNote(file: LmdbFile, kind: NoteKind, name: string, transaction?: ReadTransaction): unknown {
  return opened<{ value: unknown }>(file.readCopy('events', noteKey(kind, name), transaction))?.value ?? null;
}

export function readNotes(file: LmdbFile, kind: NoteKind, transaction?: ReadTransaction): Note[] {
  const values = file.valuesOf('events', `${kind}/`, transaction);
  return values.map((bytes) => ({ kind, ...(opened(bytes) as { name: string; value: unknown }) }));
}

/** Keys of stored events above an offset, ascending. */
export function eventKeysAfter(file: LmdbFile, after: number, limit: number, transaction?: ReadTransaction): string[] {
  const keys = file.keysAfter('events', eventKey(after), limit, transaction) as string[];
  return keys.filter((key) => key.startsWith(EVENT_PREFIX));
}

export function readEvent(file: LmdbFile, key: string, transaction?: ReadTransaction): StoredEvent {
  return opened<StoredEvent>(file.readCopy('events', key, transaction)) as StoredEvent;
}

/** The events of a write with their offsets: what its log record says of them, and what the file keeps beside it. */
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
