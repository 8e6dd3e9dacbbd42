/**
 * Subscriptions: HTTP endpoints that events are pushed to. Each is a note beside the event log; how far it has got is the
 * cursor of the consumer `sub:<name>`, which outlives it, and which anybody may move who has the names of the same owner.
 */

import { SvcError, showValue } from '../../base/errors.js';
import type { Instant } from '../../storage/ids/layout.js';
import type { EventLog, Note } from '../../storage/seam/event-log.js';
import { checkConsumerId, checkOffset, committedOffset, cursorNote, hasCursor, ownedName } from './consumers.js';

export type PushMode = 'realtime' | 'batch';
const MODES: readonly string[] = ['realtime', 'batch'];
const BATCH_SIZE = 50;
const BATCH_WINDOW_S = 30;
const URL_MAX = 4096;

export interface SubscriptionInput {
  readonly consumerId: string;
  readonly webhookUrl: string;
  /** Absent or empty = all. */
  readonly types?: readonly string[] | undefined;
  readonly group?: string | undefined;
  readonly mode?: string | undefined;
  readonly batchSize?: number | undefined;
  readonly batchWindowS?: number | undefined;
  /** The offset to start after; absent = the end of the log, or the cursor that a deleted one of the name has left. */
  readonly since?: number | undefined;
  /** Signs what is delivered; never told. */
  readonly secret?: string | undefined;
}

export interface Subscription {
  readonly id: number;
  readonly consumerId: string;
  readonly webhookUrl: string;
  /** Null = all. */
  readonly types: readonly string[] | null;
  readonly group: string | null;
  readonly mode: PushMode;
  readonly batchSize: number;
  readonly batchWindowS: number;
  readonly createdAt: Instant;
  /** Whose it is who may read some graphs only: by its rules it is asked which events it has. Absent: it has all. */
  readonly reader?: string | undefined;
}

/** As it is stored: with the secret. */
export interface StoredSubscription extends Subscription {
  readonly secret: string | null;
}

export type CheckedSubscription = Omit<StoredSubscription, 'id' | 'createdAt' | 'reader'> & {
  readonly since: number | null;
};

export function cursorOf(consumerId: string): string {
  return `sub:${consumerId}`;
}

const invalid = (message: string): SvcError => new SvcError('invalid_request', message);

function checkUrl(given: unknown): string {
  if (typeof given !== 'string' || given === '') throw invalid("missing 'webhook_url' parameter");
  const url = given.length <= URL_MAX && URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw invalid(`webhook_url: expected an absolute http or https URL of at most ${URL_MAX} characters`);
  }
  // Not repeated in the text: it may hold a password.
  if (url.username !== '' || url.password !== '') throw invalid('webhook_url: user and password can not stand in it');
  return given;
}

function positive(given: number | undefined, name: string, absent: number, isWhole: boolean): number {
  const value = given ?? absent;
  if (Number.isFinite(value) && value > 0 && (!isWhole || Number.isSafeInteger(value))) return value;
  throw invalid(`${name} is ${showValue(given)}; expected ${isWhole ? 'an integer' : 'a number'} above 0`);
}

/** Throws `invalid_request` for what is no subscription. */
export function checkSubscription(input: SubscriptionInput): CheckedSubscription {
  const consumerId = checkConsumerId(input.consumerId);
  checkConsumerId(cursorOf(consumerId));
  const { mode = 'realtime', types = [], group = null, secret = null, since } = input;
  if (!MODES.includes(mode)) throw invalid(`mode is ${showValue(mode)}; expected one of ${MODES.join(', ')}`);
  if (secret !== null && secret === '') throw invalid('secret: expected a text that is not empty');
  return {
    consumerId,
    webhookUrl: checkUrl(input.webhookUrl),
    types: types.length === 0 ? null : [...types],
    group,
    mode: mode as PushMode,
    batchSize: positive(input.batchSize, 'batch_size', BATCH_SIZE, true),
    batchWindowS: positive(input.batchWindowS, 'batch_window_s', BATCH_WINDOW_S, false),
    secret,
    since: since === undefined ? null : checkOffset(since, 'since'),
  };
}

/** Under which name it is kept, and its cursor. */
export function namesOf({ reader, consumerId }: Pick<Subscription, 'reader' | 'consumerId'>): SubscriptionNames {
  const owner = reader ?? null;
  return { name: ownedName(owner, consumerId), cursor: ownedName(owner, cursorOf(consumerId)) };
}

interface SubscriptionNames {
  readonly name: string;
  readonly cursor: string;
}

const note = (name: string, value: StoredSubscription | null): Note => ({ kind: 'subscription', name, value });

/** Its cursor is written at once, so that nothing that it is owed is pruned. */
export async function createSubscription(
  log: EventLog,
  { since, ...rest }: CheckedSubscription,
  { owner, now }: { readonly owner: string | null; readonly now: Instant },
): Promise<number> {
  const { consumerId } = rest;
  const owned = owner === null ? rest : { ...rest, reader: owner };
  const { name, cursor } = namesOf(owned);
  if (log.note('subscription', name) !== null) {
    throw new SvcError('invalid_request', `there is a subscription for the consumer '${consumerId}' already`, {
      hint: 'delete it first',
    });
  }
  // Numbers of one count would tell owners of each other.
  const counter = ownedName(owner, 'subscription');
  const id = ((log.note('counter', counter) as number | null) ?? 0) + 1;
  const start = since ?? (hasCursor(log, cursor) ? committedOffset(log, cursor) : log.state().last);
  await log.putNotes([
    { kind: 'counter', name: counter, value: id },
    note(name, { ...owned, id, createdAt: now }),
    cursorNote(cursor, start),
  ]);
  return id;
}

/** Its cursor stays, but events are no longer kept for it. False when there was none. */
export async function deleteSubscription(log: EventLog, consumerId: string, owner: string | null): Promise<boolean> {
  const { name, cursor } = namesOf({ consumerId, reader: owner ?? undefined });
  if (log.note('subscription', name) === null) return false;
  await log.putNotes([note(name, null), cursorNote(cursor, committedOffset(log, cursor), true)]);
  return true;
}

/** By name. */
export function storedSubscriptions(log: EventLog): StoredSubscription[] {
  return log.notes('subscription').map(({ value }) => value as StoredSubscription);
}
