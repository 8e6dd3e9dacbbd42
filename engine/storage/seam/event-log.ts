/**
 * The event log, as storage keeps it. Events have offsets from 1 on, without gaps, in the order of commits.
 *
 * 1. Events that follow from the changes of a transaction are not stored: its log record says how many of each kind it
 *    has and at which offset they begin, in the same commit as its rows. Who reads them derives them from the rows.
 * 2. Events that a write adds by itself, and refusals, are stored whole under their offsets.
 * 3. Beside the log stand small notes: cursors of consumers, subscriptions.
 *
 * What the kinds mean is the service's business; here they are numbers in a fixed order.
 */

import type { Instant, TxId } from '../ids/layout.js';

/** An event that is stored as it is. */
export interface OwnEvent {
  readonly type: string;
  /** An IRI or a name; null = it has none. */
  readonly subject: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** How many derived events a transaction has of each kind, in the order in which they come. */
export type DerivedCounts = readonly number[];

/** The events of a write in their order: those that lead, the derived ones, its own. */
export interface WriteEvents {
  /** Few and small: they stand in the log record. */
  readonly lead: readonly OwnEvent[];
  readonly derived: DerivedCounts;
  readonly own: readonly OwnEvent[];
  /** The group that the write names; null = none. */
  readonly group: string | null;
  /** By the clock, whatever time label the transaction has. */
  readonly recordedAt: Instant;
}

/** What the log says of the events of a transaction. */
export interface TransactionEvents {
  /** The offset before its first. */
  readonly after: number;
  readonly lead?: readonly OwnEvent[];
  readonly derived?: DerivedCounts;
  /** Events of its own. */
  readonly own?: number;
  readonly group?: string;
  /** When it was recorded; absent = at its time label. */
  readonly recordedAt?: Instant;
}

/** A stored event. */
export interface StoredEvent extends OwnEvent {
  readonly offset: number;
  /** Time label of its transaction, or the time of the clock for one without. */
  readonly timestamp: Instant;
  readonly recordedAt: Instant;
  readonly group: string | null;
  /** Its transaction; of an event without one the newest then. */
  readonly tx: TxId;
}

export interface EventLogState {
  /** The highest offset that was given. */
  readonly last: number;
  /** Events up to this offset were pruned. */
  readonly floor: number;
}

export type NoteKind = 'consumer' | 'subscription' | 'counter';
export const NOTE_KINDS: readonly NoteKind[] = ['consumer', 'subscription', 'counter'];

export interface Note {
  readonly kind: NoteKind;
  readonly name: string;
  /** As JSON has it; null removes the note. */
  readonly value: unknown;
}

export interface EventLog {
  state(): EventLogState;
  /** The newest transaction none of whose events lies above an offset, nor any of those before it. */
  transactionBefore(offset: number): TxId;
  /** Stored events above an offset, ascending, at most `limit`. */
  stored(after: number, limit: number): readonly StoredEvent[];
  /** Appends an event that belongs to no transaction; settles when it is on the disk. */
  append(event: OwnEvent, recordedAt: Instant): Promise<void>;
  /** Raises the floor. Offsets are not used again. */
  prune(floor: number): Promise<void>;
  note(kind: NoteKind, name: string): unknown;
  /** By name. */
  notes(kind: NoteKind): readonly Note[];
  /** Settles when they are on the disk. */
  putNotes(notes: readonly Note[]): Promise<void>;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

export function countOf({ lead, derived, own }: WriteEvents): number {
  return lead.length + sum(derived) + own.length;
}

/** The offset of the last event of a transaction; of one without events that of the one before. */
export function lastOf({ after, lead = [], derived = [], own = 0 }: TransactionEvents): number {
  return after + lead.length + sum(derived) + own;
}

/** What the record of a transaction says of its events. */
export function eventsOfRecord(events: WriteEvents, after: number, timestamp: Instant): TransactionEvents {
  const { lead, derived, own, group, recordedAt } = events;
  if (countOf(events) === 0) return { after };
  return {
    after,
    ...(lead.length === 0 ? {} : { lead }),
    ...(sum(derived) === 0 ? {} : { derived }),
    ...(own.length === 0 ? {} : { own: own.length }),
    ...(group === null ? {} : { group }),
    ...(recordedAt === timestamp ? {} : { recordedAt }),
  };
}

/** A transaction's own events with their places, which are its last. */
export function storedOf(
  events: WriteEvents,
  after: number,
  transaction: { readonly tx: TxId; readonly timestamp: Instant },
): StoredEvent[] {
  const { lead, derived, own, group, recordedAt } = events;
  const first = after + lead.length + sum(derived) + 1;
  return own.map((event, at) => ({ ...event, offset: first + at, group, recordedAt, ...transaction }));
}

/** Events and notes by their order, for those who keep them in memory. */
export function byName(a: Note, b: Note): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Of writes that nobody describes, and of copies that tell of themselves by one event of their own. */
export function noEvents(recordedAt: Instant): WriteEvents {
  return { lead: [], derived: [], own: [], group: null, recordedAt };
}
