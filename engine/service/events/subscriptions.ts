/**
 * Subscriptions: HTTP endpoints that events are pushed to. Each is a note beside the event log; how far it has got is the
 * cursor of the consumer `sub:<name>`, which outlives it, and which anybody may move.
 */

import { SvcError, showValue } from '../../base/errors.js';
import type { Instant } from '../../storage/ids/layout.js';
import type { EventLog, Note } from '../../storage/seam/event-log.js';
import { checkConsumerId, checkOffset, committedOffset, cursorNote, hasCursor } from './consumers.js';

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
}

/** As it is stored: with the secret. */
export interface StoredSubscription extends Subscription {
  readonly secret: string | null;
}

export type CheckedSubscription = Omit<StoredSubscription, 'id' | 'createdAt'> & { readonly since: number | null };

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

const note = (name: string, value: StoredSubscription | null): Note => ({ kind: 'subscription', name, value });

/** Its cursor is written at once, so that nothing that it is owed is pruned. */
export async function createSubscription(log: EventLog, given: CheckedSubscription, now: Instant): Promise<number> {
  const { since, ...rest } = given;
  const { consumerId } = rest;
  if (log.note('subscription', consumerId) !== null) {
    throw new SvcError('invalid_request', `there is a subscription for the consumer '${consumerId}' already`, {
      hint: 'delete it first',
    });
  }
  const id = ((log.note('counter', 'subscription') as number | null) ?? 0) + 1;
  const cursor = cursorOf(consumerId);
  const start = since ?? (hasCursor(log, cursor) ? committedOffset(log, cursor) : log.state().last);
  await log.putNotes([
    { kind: 'counter', name: 'subscription', value: id },
    note(consumerId, { ...rest, id, createdAt: now }),
    cursorNote(cursor, start),
  ]);
  return id;
}

/** Its cursor stays, but events are no longer kept for it. False when there was none. */
export async function deleteSubscription(log: EventLog, consumerId: string): Promise<boolean> {
  if (log.note('subscription', consumerId) === null) return false;
  const cursor = cursorOf(consumerId);
  await log.putNotes([note(consumerId, null), cursorNote(cursor, committedOffset(log, cursor), true)]);
  return true;
}

/** By name. */
export function storedSubscriptions(log: EventLog): StoredSubscription[] {
  return log.notes('subscription').map(({ value }) => value as StoredSubscription);
}
