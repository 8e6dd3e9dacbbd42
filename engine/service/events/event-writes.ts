/** Writes beside the event log, one after the other, where the store is written. */

import type { Instant } from '../../storage/ids/layout.js';
import type { TransactionRange, TransactionRecord } from '../../storage/seam/engine.js';
import type { EventLog } from '../../storage/seam/event-log.js';
import { commitOffset, committedOffset } from './consumers.js';
import { pruneEvents } from './prune-events.js';
import { type CheckedSubscription, createSubscription, deleteSubscription } from './subscriptions.js';

/** What each is given and gives, by the names under which they cross to the writer thread. */
export interface EventWrites {
  commit: { args: [consumerId: string, offset: number]; result: undefined };
  /** Moves a cursor from where it is known to be; false when somebody has moved it meanwhile. */
  advance: { args: [consumerId: string, from: number, to: number]; result: boolean };
  prune: { args: [before: Instant]; result: number };
  subscribe: { args: [subscription: CheckedSubscription, now: Instant]; result: number };
  unsubscribe: { args: [consumerId: string]; result: boolean };
}

export type EventWriteName = keyof EventWrites;

export interface WrittenLog {
  readonly events: EventLog;
  transactions(range: TransactionRange): readonly TransactionRecord[];
}

type Runs = {
  readonly [Name in EventWriteName]: (
    store: WrittenLog,
    ...args: EventWrites[Name]['args']
  ) => Promise<EventWrites[Name]['result']>;
};

const RUNS: Runs = {
  async commit({ events }, consumerId, offset) {
    await commitOffset(events, consumerId, offset);
    return undefined;
  },
  async advance({ events }, consumerId, from, to) {
    if (committedOffset(events, consumerId) !== from) return false;
    await commitOffset(events, consumerId, to);
    return true;
  },
  prune: (store, before) =>
    pruneEvents({ log: store.events, transactions: (range) => store.transactions(range) }, before),
  subscribe: ({ events }, subscription, now) => createSubscription(events, subscription, now),
  unsubscribe: ({ events }, consumerId) => deleteSubscription(events, consumerId),
};

/** The last write of each log: one looks at what the one before has left. */
const last = new WeakMap<EventLog, Promise<unknown>>();

export function runEventWrite(store: WrittenLog, name: EventWriteName, args: readonly unknown[]): Promise<unknown> {
  const run = RUNS[name] as (store: WrittenLog, ...args: readonly unknown[]) => Promise<unknown>;
  const before = last.get(store.events) ?? Promise.resolve();
  const done = before.then(() => run(store, ...args));
  last.set(
    store.events,
    // The next one goes on all the same; the failure itself belongs to the caller of this one, who gets `done`.
    done.catch(() => undefined),
  );
  return done;
}
