/** The event log of a store as its callers use it: pages of events, cursors of consumers, counts of refusals. */

import { type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Principal } from '../../base/principal.js';
import type { Instant } from '../../storage/ids/layout.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { EventLog } from '../../storage/seam/event-log.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { NarrowedEngine } from '../reads/narrowed-engine.js';
import { checkConsumerId, checkOffset, committedOffset, ownedName } from './consumers.js';
import type { EventItem } from './event-item.js';
import type { EventReader, EventSource } from './read-events.js';
import {
  type CheckedSubscription,
  checkSubscription,
  namesOf,
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

/** By the name that a subscription is kept by. */
export type Deliveries = Map<string, DeliveryState>;

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
  /** The names of cursors are those of their owners (`ownedName`). */
  commitOffset: { request: { consumerId: string; offset: number }; result: undefined };
  /** Moves a cursor from where it is known to be; false when somebody has moved it meanwhile. */
  advanceCursor: { request: { consumerId: string; from: number; to: number }; result: boolean };
  pruneEvents: { request: { before: Instant }; result: number };
  subscribe: { request: { subscription: CheckedSubscription; now: Instant; owner: string | null }; result: number };
  unsubscribe: { request: { consumerId: string; owner: string | null }; result: boolean };
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
  /** Whose cursors and subscriptions these are, who may read some graphs only. */
  readonly #owner: string | undefined;
  /** For all owners of a view. */
  readonly #kept: { reader: EventReader | null };
  /** @internal How deliveries stand, by the name that subscriptions are kept by; told by the worker of a server. */
  readonly deliveries: Deliveries;

  /** @internal `write` runs write commands; `view`: of somebody who may read some graphs only. */
  constructor(
    store: () => OpenStore,
    write: EventWriter,
    view?: { readonly owner: string | undefined; readonly deliveries: Deliveries },
    kept: { reader: EventReader | null } = { reader: null },
  ) {
    this.#store = store;
    this.#write = write;
    this.#owner = view?.owner;
    this.deliveries = view?.deliveries ?? new Map();
    this.#kept = kept;
  }

  /** @internal The same with the cursors and subscriptions of whoever asks. */
  of({ reader: owner, readable }: Principal): StoreEvents {
    if (readable === null || owner === undefined || owner === this.#owner) return this;
    return new StoreEvents(this.#store, this.#write, { owner, deliveries: this.deliveries }, this.#kept);
  }

  /** The first events after an offset. */
  async read(options: EventOptions = {}): Promise<EventPage> {
    const { log, visible } = await this.#feed();
    const { consumer, limit, group, signal, flag } = options;
    // Whose group it is, is told by the whole store.
    if (visible !== undefined && group !== undefined) this.#source();
    const { owner } = consumer === undefined ? { owner: null } : this.#own();
    const types = options.types?.length === 0 ? undefined : options.types;
    const since = options.since === undefined ? undefined : checkOffset(options.since, 'since');
    const committed =
      since === undefined && consumer !== undefined
        ? committedOffset(log, ownedName(owner, checkConsumerId(consumer, 'consumer')))
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
    const { owner } = this.#own();
    await this.#write.commitOffset({
      consumerId: ownedName(owner, checkConsumerId(consumerId)),
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
    const { owner } = this.#own();
    const checked = checkSubscription(subscription);
    // Groups belong to no graph.
    if (owner !== null && checked.group !== null) this.#source();
    return this.#write.subscribe({ subscription: checked, now: Math.floor(Date.now() / 1000), owner });
  }

  /** False when there was no such subscription. `reader`: whose it is who may read some graphs only; who reads all may name it. */
  async unsubscribe(consumerId: string, reader?: string): Promise<boolean> {
    const own = this.#own();
    if (own.owner !== null && reader !== undefined && reader !== own.owner) this.#source();
    return this.#write.unsubscribe({ consumerId: checkConsumerId(consumerId), owner: own.owner ?? reader ?? null });
  }

  /** By name, and where the cursor of each is. Who reads all has those of others, too, which say whose they are. */
  async subscriptions(): Promise<SubscriptionState[]> {
    const { owner, log } = this.#own();
    const found = storedSubscriptions(log).filter(({ reader }) => owner === null || reader === owner);
    return found.map(({ secret: _, ...subscription }) => {
      const { name, cursor } = namesOf(subscription);
      const { reader, ...rest } = subscription;
      return {
        ...(owner === null ? subscription : rest),
        committedOffset: committedOffset(log, cursor),
        delivery: this.deliveries.get(name) ?? { failures: 0, lastError: null },
      };
    });
  }

  /** Removes events that were recorded before an instant, as far as no consumer needs them; returns the last offset that is gone. */
  async prune(before: Date): Promise<number> {
    return this.#write.pruneEvents({ before: Math.floor(before.getTime() / 1000) });
  }

  /** @internal With their secrets. */
  storedSubscriptions(): StoredSubscription[] {
    return storedSubscriptions(this.#source().log);
  }

  /** @internal Null when there is none that is kept by the name. */
  storedSubscription(name: string): StoredSubscription | null {
    return this.#source().log.note('subscription', name) as StoredSubscription | null;
  }

  /** @internal By the name that it is kept by. */
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

  /** The log for what is kept beside it by names: of who may read some graphs only, under their own. */
  #own(): { readonly owner: string | null; readonly log: EventLog } {
    const { engine } = this.#store();
    if (!(engine instanceof NarrowedEngine) || engine.principal.readable === null) {
      return { owner: null, log: engine.events };
    }
    if (this.#owner === undefined) return { owner: null, log: engine.events };
    return { owner: this.#owner, log: engine.everyEvent.events };
  }

  #source(): EventSource {
    const { engine, snapshot } = this.#store();
    return { log: engine.events, transactions: (range) => engine.transactions(range), snapshot };
  }

  async #pages(): Promise<EventReader> {
    const { EventReader } = await import('./read-events.js');
    const source = await this.#feed();
    this.#kept.reader ??= new EventReader(source);
    return this.#kept.reader;
  }
}

function clamped(limit: number | undefined): number {
  if (limit === undefined) return LIMIT_DEFAULT;
  if (!Number.isSafeInteger(limit) || limit < 0) {
    throw new SvcError('invalid_request', `limit is ${limit}; expected an integer of at least 0`);
  }
  return Math.min(Math.max(limit, 1), LIMIT_MAX);
}
