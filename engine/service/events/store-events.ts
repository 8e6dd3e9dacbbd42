/** The event log of a store as its callers use it: pages of events, cursors of consumers, counts of refusals. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { StorageEngine } from '../../storage/engine.js';
import type { EventLog } from '../../storage/event-log.js';
import type { StorageSnapshot } from '../../storage/scan.js';
import { checkConsumerId, checkOffset, commitOffset, committedOffset } from './consumers.js';
import type { EventItem } from './event-item.js';
import type { EventReader, EventSource } from './read-events.js';

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

/** Refused writes by the gate that refused them. */
export interface RefusalCount {
  readonly gate: string;
  readonly refused: number;
}

/** Writes beside the log, by the names under which they cross to the writer thread. */
export type EventWriteName = 'commit';

/** The store as it is used: throws once it is closed. */
interface OpenStore {
  readonly engine: StorageEngine;
  readonly snapshot: () => StorageSnapshot;
}

type EventWrite = <Result>(name: EventWriteName, args: readonly unknown[]) => Promise<Result>;

export class StoreEvents {
  readonly #store: () => OpenStore;
  readonly #write: EventWrite;
  #reader: EventReader | null = null;

  /** `write` has `runEventWrite` done where the store is written. */
  constructor(store: () => OpenStore, write: EventWrite) {
    this.#store = store;
    this.#write = write;
  }

  /** The first events after an offset. */
  async read(options: EventOptions = {}): Promise<EventPage> {
    const { log } = this.#source();
    const { consumer, limit, group, signal, flag } = options;
    const types = options.types?.length === 0 ? undefined : options.types;
    const since = options.since === undefined ? undefined : checkOffset(options.since, 'since');
    const committed =
      since === undefined && consumer !== undefined ? committedOffset(log, checkConsumerId(consumer)) : undefined;
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
    return this.#write<CommittedOffset>('commit', [checkConsumerId(consumerId), checkOffset(offset, 'offset')]);
  }

  /** By gate. */
  async refusals(control: Control = {}): Promise<RefusalCount[]> {
    const { log } = this.#source();
    const counts = new Map<string, number>();
    const types = ['write.refused'];
    const pages = await this.#pages();
    for (let after = log.state().floor; ; ) {
      const events = await pages.read({ after, limit: LIMIT_MAX, types }, control);
      for (const { payload } of events) counts.set(String(payload.gate), (counts.get(String(payload.gate)) ?? 0) + 1);
      const last = events.at(-1);
      if (last === undefined || events.length < LIMIT_MAX) break;
      after = last.offset;
    }
    return [...counts].map(([gate, refused]) => ({ gate, refused })).sort((a, b) => (a.gate < b.gate ? -1 : 1));
  }

  /** Internal: a write by its name, from the caller's thread. */
  write(name: EventWriteName, args: readonly unknown[]): Promise<unknown> {
    return this.#write(name, args);
  }

  #source(): EventSource {
    const { engine, snapshot } = this.#store();
    return { log: engine.events, transactions: (range) => engine.transactions(range), snapshot };
  }

  async #pages(): Promise<EventReader> {
    const { EventReader } = await import('./read-events.js');
    this.#reader ??= new EventReader(this.#source());
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

/** Runs a write by its name, where the store is written. */
export async function runEventWrite(log: EventLog, name: EventWriteName, args: readonly unknown[]): Promise<never> {
  const [first, second] = args;
  switch (name) {
    case 'commit':
      return (await commit(log, first as string, second as number)) as never;
  }
}

async function commit(log: EventLog, consumerId: string, offset: number): Promise<CommittedOffset> {
  await commitOffset(log, consumerId, offset);
  return { consumerId, committedOffset: offset };
}
