/**
 * Pushes events to subscriptions, from the process of a server. Every tick looks at each subscription by itself:
 *
 * 1. While one delivery of it is under way, or it waits after a failure, nothing.
 * 2. Events behind its cursor are read, at most 500; of a batch, enough or old enough ones.
 * 3. They are posted; the store is not held meanwhile.
 * 4. Taken: the cursor moves to the last of them, durably, and the next ones follow at once. Refused: the cursor stays, and
 *    the same events come again after a while that doubles with each failure.
 *
 * Where a filter passes over events, the cursor follows once nothing more matches, so that lag and pruning are not held
 * back. A cursor that somebody else has moved is left where he put it.
 */

import type { EventItem } from './event-item.js';
import type { StoreEvents } from './store-events.js';
import { namesOf, type StoredSubscription } from './subscriptions.js';

const TICK_MS = 2000;
const EVENTS_MAX = 500;
/** Larger batches are full with so many. */
const BATCH_MAX = 10_000;
const BACKOFF_MAX_S = 300;
const ERROR_MAX = 300;

export interface WorkerOptions {
  readonly events: StoreEvents;
  /** The events that somebody is told by the rules of now; absent: there are no rules, and everybody is told all. */
  readonly eventsFor?: ((reader: string) => StoreEvents) | undefined;
  /** Posts events; rejects when they were not taken. */
  readonly push: (subscription: StoredSubscription, events: readonly EventItem[], signal: AbortSignal) => Promise<void>;
  /** False: another server is the primary by now, and delivers. */
  readonly mayPush?: () => boolean;
  /** Milliseconds since 1970; the system's clock unless a test brings its own. */
  readonly now?: () => number;
  /** Told at each tick how the subscriptions stand. */
  readonly onTick?: (figures: PushFigures) => void;
  /** Told of each delivery. */
  readonly onDelivery?: (delivered: boolean, events: number) => void;
  /** Told of a tick that failed as a whole. */
  readonly onError?: (error: unknown) => void;
}

export interface PushFigures {
  readonly active: number;
  readonly failing: number;
  /** Events behind the cursor that is furthest behind. */
  readonly lagMax: number;
}

interface Progress {
  failures: number;
  /** Nothing is sent before. */
  nextMs: number;
  running: Promise<void> | null;
}

/** Seconds to wait after some failures in a row. */
export function backoffSeconds(failures: number): number {
  return Math.min(2 ** failures, BACKOFF_MAX_S);
}

export class PushWorker {
  readonly #now: () => number;
  readonly #progress = new Map<string, Progress>();
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly options: WorkerOptions) {
    this.#now = options.now ?? Date.now;
  }

  /** Ticks until it is stopped. */
  start(): void {
    this.#timer = setInterval(() => this.tick(), TICK_MS);
    this.#timer.unref();
  }

  /** Looks at every subscription once; settles when what that began is through. */
  async tick(): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    try {
      const subscriptions = this.options.events.storedSubscriptions();
      this.#forgetOthers(subscriptions);
      this.#tell(subscriptions);
      await Promise.all(subscriptions.map((one) => this.#turn(one)));
    } catch (error) {
      this.options.onError?.(error);
    }
  }

  /** Deliveries that are under way are given up; their events come again. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#stopped.abort();
    await Promise.allSettled([...this.#progress.values()].map(({ running }) => running));
  }

  #forgetOthers(subscriptions: readonly StoredSubscription[]): void {
    const names = new Set(subscriptions.map((one) => namesOf(one).name));
    for (const name of this.#progress.keys()) {
      if (names.has(name)) continue;
      this.#progress.delete(name);
      this.options.events.deliveries.delete(name);
    }
  }

  #tell(subscriptions: readonly StoredSubscription[]): void {
    const { events, onTick } = this.options;
    if (onTick === undefined) return;
    const lags = subscriptions.map((one) => Math.max(0, events.last - events.cursor(namesOf(one).cursor)));
    const failing = subscriptions.filter((one) => (events.deliveries.get(namesOf(one).name)?.failures ?? 0) > 0).length;
    onTick({ active: subscriptions.length - failing, failing, lagMax: Math.max(0, ...lags) });
  }

  #turn(subscription: StoredSubscription): Promise<void> {
    const { name } = namesOf(subscription);
    const known = this.#progress.get(name);
    const progress = known ?? { failures: 0, nextMs: 0, running: null };
    this.#progress.set(name, progress);
    if (progress.running !== null || this.#now() < progress.nextMs) return Promise.resolve();
    const running = this.#serve(subscription, progress)
      .catch((error: unknown) => this.options.onError?.(error))
      .finally(() => {
        progress.running = null;
      });
    progress.running = running;
    return running;
  }

  /** Delivers what there is, batch after batch, until nothing is due or a delivery fails. */
  async #serve(subscription: StoredSubscription, progress: Progress): Promise<void> {
    const { events } = this.options;
    const { signal } = this.#stopped;
    const { cursor } = namesOf(subscription);
    const mayPush = this.options.mayPush ?? (() => true);
    for (let more = true; more && !signal.aborted && mayPush() && this.#isThere(subscription); ) {
      const from = events.cursor(cursor);
      const end = events.last;
      const pending = await this.#pending(subscription, from);
      if (pending.length === 0) {
        if (end > from) await events.advance(cursor, from, end);
        return;
      }
      if (!this.#isDue(subscription, pending)) return;
      const batch = pending.slice(0, EVENTS_MAX);
      more = await this.#deliver(subscription, batch, progress);
      if (more) more = await events.advance(cursor, from, (batch.at(-1) as EventItem).offset);
    }
  }

  /** It may have been deleted, or made anew, between two deliveries. */
  #isThere(subscription: StoredSubscription): boolean {
    return this.options.events.storedSubscription(namesOf(subscription).name)?.id === subscription.id;
  }

  async #pending(
    { mode, batchSize, types, group, reader }: StoredSubscription,
    since: number,
  ): Promise<readonly EventItem[]> {
    const limit = mode === 'batch' ? Math.min(Math.max(batchSize, EVENTS_MAX), BATCH_MAX) : EVENTS_MAX;
    const filter = { types: types ?? undefined, group: group ?? undefined };
    const { eventsFor, events } = this.options;
    const told = reader === undefined ? events : (eventsFor?.(reader) ?? events);
    return (await told.read({ since, limit, ...filter, signal: this.#stopped.signal })).events;
  }

  #isDue({ mode, batchSize, batchWindowS }: StoredSubscription, pending: readonly EventItem[]): boolean {
    if (mode === 'realtime' || pending.length >= Math.min(batchSize, BATCH_MAX)) return true;
    const recordedAt = this.options.events.recordedAt((pending[0] as EventItem).offset) ?? 0;
    return this.#now() / 1000 - recordedAt >= batchWindowS;
  }

  async #deliver(subscription: StoredSubscription, batch: readonly EventItem[], progress: Progress): Promise<boolean> {
    const { push, events, onDelivery } = this.options;
    try {
      await push(subscription, batch, this.#stopped.signal);
      progress.failures = 0;
      events.deliveries.set(namesOf(subscription).name, { failures: 0, lastError: null });
      onDelivery?.(true, batch.length);
      return true;
    } catch (error) {
      if (this.#stopped.signal.aborted) return false;
      progress.failures++;
      progress.nextMs = this.#now() + 1000 * backoffSeconds(progress.failures);
      const text = error instanceof Error ? error.message : String(error);
      const state = { failures: progress.failures, lastError: text.slice(0, ERROR_MAX) };
      events.deliveries.set(namesOf(subscription).name, state);
      onDelivery?.(false, batch.length);
      return false;
    }
  }
}
