/**
 * What a server does about events besides answering requests: pushes them to subscriptions, and prunes old ones once an
 * hour. A server that may not write does neither, since it could keep no cursor.
 */

import { readRulesOf } from '../../engine/governance/read-rules.js';
import type { Configuration } from '../../engine/service/configuration/configuration.js';
import { push } from '../../engine/service/events/push-request.js';
import { PushWorker } from '../../engine/service/events/push-worker.js';
import type { Store } from '../../engine/service/store/store.js';
import type { ServerMetrics } from './figures/metrics.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** False once a follower was promoted: that one delivers now. */
function isPrimary(store: Store): boolean {
  const state = store.open().replication?.state();
  return state === undefined || (state.role === 'primary' && state.fencedBy === null);
}

/** Begins at once; what it returns ends it, and settles when nothing is under way any more. */
export function careForEvents(
  store: Store,
  { server, events, subscriptions, governance }: Configuration,
  metrics: ServerMetrics,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  if (server.read_only) return async () => undefined;
  const readRules = readRulesOf(governance.read_rules);
  const worker = new PushWorker({
    events: store.events,
    ...(readRules !== null && { eventsFor: (reader: string) => store.as(readRules.named(reader)).events }),
    push: (subscription, batch, signal) =>
      push(subscription, batch, { allowPrivate: subscriptions.allow_private_targets, signal }),
    mayPush: () => isPrimary(store),
    onTick: (figures) => metrics.pushStands(figures),
    onDelivery: (isTaken, count) => metrics.delivered(isTaken, count),
    onError: onFailure,
  });
  worker.start();
  const { retention_days: days } = events;
  const prune = (): void => {
    if (days === undefined || !isPrimary(store)) return;
    store.events.prune(new Date(Date.now() - days * DAY_MS)).catch(onFailure);
  };
  prune();
  const timer = setInterval(prune, HOUR_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await worker.stop();
  };
}
