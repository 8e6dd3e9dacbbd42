/**
 * Writes beside the event log, one after the other. What somebody keeps there who may read some graphs only stands under names
 * of their own (`ownedName`), which the caller makes of who asks; so such writes work on the log of the whole store.
 */

import type { StorageEngine } from '../../storage/seam/engine.js';
import type { EventLog } from '../../storage/seam/event-log.js';
import { commitOffset as commit, committedOffset } from '../events/consumers.js';
import { pruneEvents as prune } from '../events/prune-events.js';
import type { EventWrites } from '../events/store-events.js';
import { createSubscription, deleteSubscription } from '../events/subscriptions.js';
import type { WriteCommand } from './command.js';

/** The last write of each log: one looks at what the one before has left. */
const last = new WeakMap<EventLog, Promise<unknown>>();

function eventWrite<Name extends keyof EventWrites>(
  work: (engine: StorageEngine, request: EventWrites[Name]['request']) => Promise<EventWrites[Name]['result']>,
  forSomeGraphs?: true,
): WriteCommand<EventWrites[Name]['request'], object, EventWrites[Name]['result']> {
  return {
    ...(forSomeGraphs === undefined ? {} : { forSomeGraphs }),
    run({ whole: engine }, request) {
      const before = last.get(engine.events) ?? Promise.resolve();
      const done = before.then(() => work(engine, request));
      // The next one goes on all the same; the failure itself belongs to the caller of this one, who gets `done`.
      last.set(
        engine.events,
        done.catch(() => undefined),
      );
      return done;
    },
  };
}

export const commitOffset = eventWrite<'commitOffset'>(async ({ events }, { consumerId, offset }) => {
  await commit(events, consumerId, offset);
  return undefined;
}, true);

export const advanceCursor = eventWrite<'advanceCursor'>(async ({ events }, { consumerId, from, to }) => {
  if (committedOffset(events, consumerId) !== from) return false;
  await commit(events, consumerId, to);
  return true;
});

export const pruneEvents = eventWrite<'pruneEvents'>((engine, { before }) =>
  prune({ log: engine.events, transactions: (range) => engine.transactions(range) }, before),
);

export const subscribe = eventWrite<'subscribe'>(
  ({ events }, { subscription, ...made }) => createSubscription(events, subscription, made),
  true,
);

export const unsubscribe = eventWrite<'unsubscribe'>(
  ({ events }, { consumerId, owner }) => deleteSubscription(events, consumerId, owner),
  true,
);
