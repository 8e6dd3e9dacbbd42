/**
 * Reads the event log from an offset on. Stored events and those derived from transactions are two ascending lists, which
 * are merged. Records of transactions are passed over by their numbers: what no filter wants is not derived.
 *
 * Writes go on while a page is read, and each list is read by itself. So the page has an end that is fixed before either
 * is looked at: the highest offset of that moment. What lies above belongs to the next page, whichever list knows it
 * already; otherwise a cursor would pass over events of the list that was read first.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import type { TxId } from '../../storage/ids/layout.js';
import type { TransactionRange, TransactionRecord } from '../../storage/seam/engine.js';
import { type EventLog, lastOf, type TransactionEvents } from '../../storage/seam/event-log.js';
import { lookInto } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { type EventItem, toItem } from './event-item.js';
import { KINDS, type Kind, standsInRecords, TYPES_OF_KIND } from './kinds.js';
import { type Bare, TransactionEventReader } from './transaction-events.js';

/** Records that are looked at before the event loop has a turn. */
const RECORDS_AT_ONCE = 256;
const STORED_AT_ONCE = 256;
/** Events of a kind that are derived at a time, where some of them may not be wanted. */
const DERIVED_AT_ONCE = 1024;
/** Filters whose stretches without a match are kept. */
const STRETCHES_MAX = 64;

/** What of the log is told. */
export interface VisibleEvents {
  /** Kinds of which an event can be told. */
  kind(kind: Kind): boolean;
  /** Whether a transaction can have one; the snapshot shows all graphs. */
  transaction(snapshot: StorageSnapshot, tx: number): boolean;
  event(snapshot: StorageSnapshot, event: Bare): boolean;
}

export interface EventSource {
  readonly log: EventLog;
  transactions(range: TransactionRange): readonly TransactionRecord[];
  /** With every graph. */
  snapshot(): StorageSnapshot;
  /** Of who may read some graphs only; absent: every event is told. */
  readonly visible?: VisibleEvents | undefined;
}

export interface EventFilter {
  /** Absent = all. */
  readonly types?: readonly string[] | undefined;
  readonly group?: string | undefined;
}

export interface EventRequest extends EventFilter {
  /** Only events above this offset. */
  readonly after: number;
  readonly limit: number;
}

/** A request with the end of its page: only events up to that offset. */
interface Page extends EventRequest {
  readonly end: number;
}

/** Transactions that are known to have nothing for a filter above an offset. */
interface Stretch {
  readonly after: number;
  readonly upTo: TxId;
}

export class EventReader {
  readonly #transactions = new TransactionEventReader();
  readonly #stretches = new Map<string, Stretch>();

  constructor(private readonly source: EventSource) {}

  /** The first events that match, ascending. */
  async read(request: EventRequest, control: Control): Promise<EventItem[]> {
    const wanted = new Wanted(request);
    const page = { ...request, end: this.source.log.state().last };
    const derived = wanted.inRecords ? await this.#derived(page, wanted, control) : [];
    const stored = await this.#stored(page, wanted, control);
    return [...derived, ...stored].sort((a, b) => a.offset - b.offset).slice(0, request.limit);
  }

  async #stored({ after, end, limit }: Page, wanted: Wanted, control: Control): Promise<EventItem[]> {
    const items: EventItem[] = [];
    for (let at = after; ; ) {
      const some = this.source.log.stored(at, STORED_AT_ONCE);
      for (const { offset, tx, timestamp, group, type, subject, payload } of some) {
        if (offset > end) return items;
        at = offset;
        if (!wanted.type(type) || !wanted.group(group) || !this.#isVisible({ type, subject, payload })) continue;
        const told = this.source.visible === undefined ? group : null;
        items.push(toItem({ tx, timestamp, group: told }, offset, { type, subject, payload }));
        if (items.length === limit) return items;
      }
      if (some.length < STORED_AT_ONCE) return items;
      throwIfStopped(control, 'reading events');
      await breathe();
    }
  }

  #isVisible(event: Bare): boolean {
    const { visible } = this.source;
    return visible === undefined || lookInto(this.source.snapshot(), (snapshot) => visible.event(snapshot, event));
  }

  async #derived(page: Page, wanted: Wanted, control: Control): Promise<EventItem[]> {
    const { after, end } = page;
    const stretch = this.#stretches.get(wanted.name);
    const first = this.source.log.transactionBefore(after);
    const work = new DerivedPage(this.source, this.#transactions, page, wanted, control);
    let since = stretch !== undefined && stretch.after <= after ? Math.max(first, stretch.upTo) : first;
    try {
      for (;;) {
        const records = upTo(end, this.source.transactions({ since, limit: RECORDS_AT_ONCE }));
        for (const record of records) {
          since = record.id;
          if (record.events !== undefined) await work.take(record, record.events);
          if (work.isFull) return work.items;
        }
        if (records.length < RECORDS_AT_ONCE) break;
        throwIfStopped(control, 'reading events');
        await breathe();
      }
    } finally {
      work.close();
    }
    if (work.items.length === 0) this.#note(wanted.name, { after, upTo: since });
    return work.items;
  }

  #note(name: string, stretch: Stretch): void {
    this.#stretches.delete(name);
    this.#stretches.set(name, stretch);
    for (const oldest of this.#stretches.keys()) {
      if (this.#stretches.size <= STRETCHES_MAX) break;
      this.#stretches.delete(oldest);
    }
  }
}

/** A transaction and its events come in one commit: all of them lie above the end, or none does. */
function upTo(end: number, records: readonly TransactionRecord[]): readonly TransactionRecord[] {
  const above = records.findIndex(({ events }) => events !== undefined && lastOf(events) > end);
  return above < 0 ? records : records.slice(0, above);
}

class Wanted {
  readonly #types: ReadonlySet<string> | null;
  readonly #group: string | undefined;
  readonly name: string;

  constructor({ types, group }: EventFilter) {
    this.#types = types === undefined ? null : new Set(types);
    this.#group = group;
    this.name = JSON.stringify([types === undefined ? null : [...types].sort(), group ?? null]);
  }

  get inRecords(): boolean {
    return this.#types === null || [...this.#types].some(standsInRecords);
  }

  type(type: string): boolean {
    return this.#types === null || this.#types.has(type);
  }

  kind(kind: Kind): boolean {
    return (TYPES_OF_KIND[kind] as readonly string[]).some((type) => this.type(type));
  }

  /** Whether every event of the kind is wanted. */
  wholeKind(kind: Kind): boolean {
    return (TYPES_OF_KIND[kind] as readonly string[]).every((type) => this.type(type));
  }

  group(group: string | null): boolean {
    return this.#group === undefined || this.#group === group;
  }
}

/** What a page takes from the records of transactions. */
class DerivedPage {
  readonly items: EventItem[] = [];
  #snapshot: StorageSnapshot | null = null;

  constructor(
    private readonly source: EventSource,
    private readonly transactions: TransactionEventReader,
    private readonly request: EventRequest,
    private readonly wanted: Wanted,
    private readonly control: Control,
  ) {}

  get isFull(): boolean {
    return this.items.length >= this.request.limit;
  }

  async take(record: TransactionRecord, events: TransactionEvents): Promise<void> {
    const { lead = [], derived = [], group = null } = events;
    if (!this.wanted.group(group) || lastOf(events) <= this.request.after) return;
    const { visible } = this.source;
    if (visible?.transaction(this.#showing(record.id), record.id) === false) return;
    const head = { tx: record.id, timestamp: record.timestamp, group: visible === undefined ? group : null };
    let before = events.after;
    const add = (offset: number, event: Bare): void => {
      if (offset <= this.request.after || this.isFull || !this.wanted.type(event.type)) return;
      if (visible?.event(this.#showing(record.id), event) === false) return;
      this.items.push(toItem(head, offset, event));
    };
    for (const event of lead) add(++before, event);
    for (const kind of KINDS) {
      const count = derived[kind] ?? 0;
      if (count > 0 && this.wanted.kind(kind) && visible?.kind(kind) !== false)
        await this.#ofKind(record, kind, count, before, add);
      before += count;
    }
  }

  async #ofKind(
    record: TransactionRecord,
    kind: Kind,
    count: number,
    before: number,
    add: (offset: number, event: Bare) => void,
  ): Promise<void> {
    for (let index = Math.max(0, this.request.after - before); index < count && !this.isFull; ) {
      const takesAll = this.wanted.wholeKind(kind) && this.source.visible === undefined;
      const room = takesAll ? this.request.limit - this.items.length : DERIVED_AT_ONCE;
      const most = Math.min(count - index, DERIVED_AT_ONCE, room);
      const some = this.transactions.read(this.#showing(record.id), record, { kind, index, count: most }, this.control);
      for (const [at, event] of some.entries()) add(before + index + at + 1, event);
      index += most;
      throwIfStopped(this.control, 'reading events');
      if (index < count) await breathe();
    }
  }

  /** A snapshot that knows the transaction. */
  #showing(tx: TxId): StorageSnapshot {
    if (this.#snapshot !== null && this.#snapshot.tx < tx) this.close();
    this.#snapshot ??= this.source.snapshot();
    return this.#snapshot;
  }

  close(): void {
    this.#snapshot?.close();
    this.#snapshot = null;
  }
}
