/** The event log of a store as its callers use it: pages of events, cursors of consumers, counts of refusals. */

import { type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Instant } from '../../storage/ids/layout.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { NarrowedEngine } from '../reads/narrowed-engine.js';
import { checkConsumerId, checkOffset, committedOffset } from './consumers.js';
import type { EventItem } from './event-item.js';
import type { EventReader, EventSource } from './read-events.js';
import {
  type CheckedSubscription,
  checkSubscription,
  cursorOf,
  type StoredSubscription,
  type Subscription,
  type SubscriptionInput,
  storedSubscriptions,
} from './subscriptions.js';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 10_000;

export interface EventOptions extends Control {
  /** Only events above this offset. */
  readonly since?: number | undefined;
  /** Without `since`: only events above the committed offset of this consumer. */
  readonly consumer?: string | undefined;
  /** 1 to 10,000, default 100; what is out of range is clamped. */
  readonly limit?: number | undefined;
  /** Absent or empty = all. */
  readonly types?: readonly string[] | undefined;
  readonly group?: string | undefined;
}

export interface EventPage {
  readonly events: readonly EventItem[];
  /** The offset of the last event, or where the page began: read on with it as `since`. */
  readonly nextOffset: number;
  /** Events above `nextOffset`, whatever their types. */
  readonly lag: number;
  /** Where the cursor of the consumer is, if that was asked for. */
  readonly committedOffset?: number;
}

export interface CommittedOffset {
  readonly consumerId: string;
  readonly committedOffset: number;
}

/** How deliveries of a subscription have gone since the server was started. */
export interface DeliveryState {
  /** Failures since the last success. */
  readonly failures: number;
  readonly lastError: string | null;
}

export interface SubscriptionState extends Subscription {
  readonly committedOffset: number;
  readonly delivery: DeliveryState;
}

/** Refused writes by the gate that refused them. */
export interface RefusalCount {
  readonly gate: string;
  readonly refused: number;
}

/** The store as it is used: throws once it is closed. */
interface OpenStore {
  readonly engine: StorageEngine;
  readonly snapshot: () => StorageSnapshot;
}

/** What is written beside the log: names of write commands, what each is asked and gives. */
export interface EventWrites {
  commitOffset: { request: { consumerId: string; offset: number }; result: undefined };
  /** Moves a cursor from where it is known to be; false when somebody has moved it meanwhile. */
  advanceCursor: { request: { consumerId: string; from: number; to: number }; result: boolean };
  pruneEvents: { request: { before: Instant }; result: number };
  subscribe: { request: { subscription: CheckedSubscription; now: Instant }; result: number };
  unsubscribe: { request: { consumerId: string }; result: boolean };
}

/** Runs a command by its name. */
type RunEventWrite = <Name extends keyof EventWrites>(
  name: Name,
  request: EventWrites[Name]['request'],
) => Promise<EventWrites[Name]['result']>;

export function eventWriter(run: RunEventWrite): EventWriter {
  return {
    commitOffset: (request) => run('commitOffset', request),
    advanceCursor: (request) => run('advanceCursor', request),
    pruneEvents: (request) => run('pruneEvents', request),
    subscribe: (request) => run('subscribe', request),
    unsubscribe: (request) => run('unsubscribe', request),
  };
}

type EventWriter = {
  readonly [Name in keyof EventWrites]: (request: EventWrites[Name]['request']) => Promise<EventWrites[Name]['result']>;
};

export class StoreEvents {
  readonly #store: () => OpenStore;
  readonly #write: EventWriter;
  #reader: EventReader | null = null;

  /** @internal `write` runs write commands. */
  constructor(store: () => OpenStore, write: EventWriter) {
    this.#store = store;
    this.#write = write;
  }

  /** The first events after an offset. */
  async read(options: EventOptions = {}): Promise<EventPage> {
    const { log, visible } = await this.#feed();
    const { consumer, limit, group, signal, flag } = options;
    // Whose group it is, and how far somebody has read, is told by the whole store.
    if (visible !== undefined && (group !== undefined || consumer !== undefined)) this.#source();
    const types = options.types?.length === 0 ? undefined : options.types;
    const since = options.since === undefined ? undefined : checkOffset(options.since, 'since');
    const committed =
      since === undefined && consumer !== undefined
        ? committedOffset(log, checkConsumerId(consumer, 'consumer'))
        : undefined;
    const start = since ?? committed ?? 0;
    const { floor } = log.state();
    const request = { after: Math.max(start, floor), limit: clamped(limit), types, group };
    const events = await (await this.#pages()).read(request, { signal, flag });
    const nextOffset = events.at(-1)?.offset ?? start;
    const lag = Math.max(0, log.state().last - nextOffset);
    return { events, nextOffset, lag, ...(committed === undefined ? {} : { committedOffset: committed }) };
  }

  /** Notes that a consumer has seen the events up to an offset. */
  async commit(consumerId: string, offset: number): Promise<CommittedOffset> {
    await this.#write.commitOffset({
      consumerId: checkConsumerId(consumerId),
      offset: checkOffset(offset, 'offset'),
    });
    return { consumerId, committedOffset: offset };
  }

  /** By gate. */
  async refusals(control: Control = {}): Promise<RefusalCount[]> {
    const { log } = this.#source();
    const counts = new Map<string, number>();
    const types = ['write.refused'];
    const pages = await this.#pages();
    for (let after = log.state().floor; ; ) {
      throwIfStopped(control, 'reading events');
      const events = await pages.read({ after, limit: LIMIT_MAX, types }, control);
      for (const { payload } of events) counts.set(String(payload.gate), (counts.get(String(payload.gate)) ?? 0) + 1);
      const last = events.at(-1);
      if (last === undefined || events.length < LIMIT_MAX) break;
      after = last.offset;
    }
    return [...counts].map(([gate, refused]) => ({ gate, refused })).sort((a, b) => (a.gate < b.gate ? -1 : 1));
  }

  /** Registers an endpoint that events are pushed to; returns its number. A server delivers, the library does not. */
  async subscribe(subscription: SubscriptionInput): Promise<number> {
    const request = { subscription: checkSubscription(subscription), now: Math.floor(Date.now() / 1000) };
    return this.#write.subscribe(request);
  }

  /** False when there was no such subscription. */
  async unsubscribe(consumerId: string): Promise<boolean> {
    return this.#write.unsubscribe({ consumerId: checkConsumerId(consumerId) });
  }

  /** By name, and where the cursor of each is. */
  async subscriptions(): Promise<SubscriptionState[]> {
    return this.storedSubscriptions().map(({ secret: _, ...subscription }) => ({
      ...subscription,
      committedOffset: this.cursor(cursorOf(subscription.consumerId)),
      delivery: this.deliveries.get(subscription.consumerId) ?? { failures: 0, lastError: null },
    }));
  }

  /** Removes events that were recorded before an instant, as far as no consumer needs them; returns the last offset that is gone. */
  async prune(before: Date): Promise<number> {
    return this.#write.pruneEvents({ before: Math.floor(before.getTime() / 1000) });
  }

  /** @internal How deliveries stand, by consumer; kept by the worker of a server. */
  readonly deliveries = new Map<string, DeliveryState>();

  /** @internal With their secrets. */
  storedSubscriptions(): StoredSubscription[] {
    return storedSubscriptions(this.#source().log);
  }

  /** @internal Null when there is none of the name. */
  storedSubscription(consumerId: string): StoredSubscription | null {
    return this.#source().log.note('subscription', consumerId) as StoredSubscription | null;
  }

  /** @internal */
  cursor(consumerId: string): number {
    return committedOffset(this.#source().log, consumerId);
  }

  /** @internal The highest offset. */
  get last(): number {
    return this.#source().log.state().last;
  }

  /** @internal Moves a cursor, unless somebody else has moved it. */
  async advance(consumerId: string, from: number, to: number): Promise<boolean> {
    return this.#write.advanceCursor({ consumerId, from, to });
  }

  /** @internal When an event was recorded, in seconds since 1970. */
  recordedAt(offset: number): number | null {
    const { log, transactions } = this.#source();
    const [stored] = log.stored(offset - 1, 1);
    if (stored?.offset === offset) return stored.recordedAt;
    const [record] = transactions({ since: log.transactionBefore(offset - 1), limit: 1 });
    return record?.events?.recordedAt ?? record?.timestamp ?? null;
  }

  /** What is read of events: of who may read some graphs only, those of these. */
  async #feed(): Promise<EventSource> {
    const { engine } = this.#store();
    if (!(engine instanceof NarrowedEngine) || engine.principal.readable === null) return this.#source();
    // Loaded when needed: most stores have no rules of reading.
    const { visibleSource } = await import('./visible-events.js');
    return visibleSource(engine);
  }

  #source(): EventSource {
    const { engine, snapshot } = this.#store();
    return { log: engine.events, transactions: (range) => engine.transactions(range), snapshot };
  }

  async #pages(): Promise<EventReader> {
    const { EventReader } = await import('./read-events.js');
    const source = await this.#feed();
    this.#reader ??= new EventReader(source);
    return this.#reader;
  }
}

function clamped(limit: number | undefined): number {
  if (limit === undefined) return LIMIT_DEFAULT;
  if (!Number.isSafeInteger(limit) || limit < 0) {
    throw new SvcError('invalid_request', `limit is ${limit}; expected an integer of at least 0`);
  }
  return Math.min(Math.max(limit, 1), LIMIT_MAX);
}
