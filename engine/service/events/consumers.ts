/**
 * Consumers of the event log: each has a committed offset, up to which it has seen the events. It is registered by its
 * first commit; who was never heard of is at 0.
 */

import { SvcError, showValue } from '../../base/errors.js';
import type { EventLog, Note } from '../../storage/seam/event-log.js';

/** No name is longer, in characters. */
const NAME_MAX = 256;
const HALF_PAIR = /\p{Surrogate}/u;

/**
 * The name under which a note of a reader stands. Who may read some graphs only has names of their own: those of others are
 * neither told nor moved. No principal of a rule holds the character between.
 */
export function ownedName(owner: string | null, name: string): string {
  return owner === null ? name : `${owner}\0${name}`;
}

interface Cursor {
  readonly offset: number;
  /** Its subscription was deleted: events need not be kept for it. */
  readonly idle?: boolean;
}

/** `field`: what the request calls it. */
export function checkConsumerId(id: unknown, field = 'consumer_id'): string {
  if (typeof id !== 'string' || id.trim() === '') {
    throw new SvcError('invalid_request', `missing '${field}' parameter: expected the name of a consumer`);
  }
  if (id.length > NAME_MAX || HALF_PAIR.test(id)) {
    throw new SvcError('invalid_request', `${field}: expected at most ${NAME_MAX} characters of well-formed text`);
  }
  return id;
}

export function checkOffset(offset: unknown, name: string): number {
  if (typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new SvcError(
    'invalid_request',
    `${name} is ${offset === undefined ? 'missing' : showValue(offset)}; expected an integer of at least 0`,
  );
}

/** 0 for a consumer that has committed nothing. */
export function committedOffset(log: EventLog, consumerId: string): number {
  return (log.note('consumer', consumerId) as Cursor | null)?.offset ?? 0;
}

export function hasCursor(log: EventLog, consumerId: string): boolean {
  return log.note('consumer', consumerId) !== null;
}

/** `idle`: events need not be kept for it. */
export function cursorNote(consumerId: string, offset: number, idle = false): Note {
  const value: Cursor = idle ? { offset, idle } : { offset };
  return { kind: 'consumer', name: consumerId, value };
}

/** Lower than before is a replay; beyond the end is taken, too. */
export function commitOffset(log: EventLog, consumerId: string, offset: number): Promise<void> {
  return log.putNotes([cursorNote(consumerId, offset)]);
}

/** The offset up to which every consumer that counts has seen the events; null without consumers. */
export function lowestCursor(log: EventLog): number | null {
  const cursors = log.notes('consumer').map(({ value }) => value as Cursor);
  const offsets = cursors.filter(({ idle }) => idle !== true).map(({ offset }) => offset);
  return offsets.length === 0 ? null : Math.min(...offsets);
}
