/**
 * The timeline: transactions by their time labels, with what wrote them. A page is found by the extents of parts (`seam/transaction-times.ts`):
 *
 * 1. The extents of all parts that the window cuts are looked at.
 * 2. The parts that come first, until they hold a page of what is asked for, are opened, and those that begin before these end.
 * 3. The earliest entries behind the cursor are the page; records are read of them alone.
 *
 * A cursor holds the newest transaction of the first page, so that what is written meanwhile neither comes into the pages
 * that follow nor moves them. Equal time labels stand in the order of the transactions.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Instant, TxId } from '../../storage/ids/layout.js';
import type { TransactionRecord } from '../../storage/seam/engine.js';
import {
  sourceTypeOf,
  TIMES_GROUP,
  type TimesPart,
  type TransactionTime,
} from '../../storage/seam/transaction-times.js';
import { showInstant, type Time, toInstant } from '../options/store-options.js';
import { changedSomething } from '../reads/visible-transactions.js';
import { checkCount } from './paging.js';
import { bucketsOf, type TimelineBuckets, tooMany } from './timeline-buckets.js';
import { parseCursor, showCursor, type TimelineOrder, type TimelinePlace } from './timeline-cursor.js';
import { entriesOf, type TimelineStore, type TimelineWindow } from './timeline-window.js';

/** Transactions whose changes are looked at for one page of somebody who may read some graphs only. */
const EXAMINED_MAX = 2000;
const EXAMINED_AT_ONCE = 256;

export interface TimelineOptions extends Control {
  /** Only time labels from this instant on, and before that one. */
  readonly from?: Time | undefined;
  readonly to?: Time | undefined;
  /** Only what was written by sources of this kind: the word before the first colon of the source, such as `episode`. */
  readonly sourceType?: string | undefined;
  /** Most items of the page; default 100. */
  readonly limit?: number | undefined;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
  /** The oldest first (`asc`, the default), or the newest. */
  readonly order?: TimelineOrder | undefined;
  /** Counts by so many intervals of equal length besides. */
  readonly buckets?: number | undefined;
}

export interface TimelineItem {
  /** `episode` where an episode was written, by its source. */
  readonly kind: 'episode' | 'transaction';
  readonly tx: number;
  readonly timestamp: string;
  /** When what it asserted begins to hold, unless a statement says otherwise. */
  readonly validFrom: string;
  readonly actor: string | null;
  readonly source: string | null;
  readonly sourceType: string;
  /** The name of the episode. */
  readonly episode: string | null;
  /** Statements that it opened and closed; null for a reader who may read some graphs only. */
  readonly asserted: number | null;
  readonly retracted: number | null;
}

export interface Timeline {
  readonly items: readonly TimelineItem[];
  /** Read on with it as `cursor`; null = there are no more. */
  readonly next: string | null;
  /** The newest transaction that is looked at. */
  readonly watermark: number;
  /** The earliest and the latest time label; null = there is no transaction, or too many to look through for who may read some graphs only. */
  readonly extent: { readonly first: string; readonly last: string } | null;
  readonly buckets: TimelineBuckets | null;
}

const LIMIT_DEFAULT = 100;

export async function readTimeline(store: TimelineStore, options: TimelineOptions): Promise<Timeline> {
  const { order = 'asc', sourceType: type = null, limit = LIMIT_DEFAULT } = options;
  checkTimeline(options);
  const from = options.from === undefined ? -Infinity : toInstant(options.from, true, 'from');
  const to = options.to === undefined ? Infinity : toInstant(options.to, true, 'to');
  if (from >= to) {
    const shown = `from ${showInstant(from)} to ${showInstant(to)}`;
    throw new SvcError('invalid_request', `${shown} is no interval`, {
      hint: "'from' lies before 'to', which is not in it",
    });
  }
  if (type !== null && store.isNarrowed) {
    throw new SvcError('authority_denied', 'sources may tell of every graph, and the reader may read some graphs only');
  }
  const { tx: latest } = store.snapshot;
  const after = options.cursor === undefined ? null : parseCursor(options.cursor, order, latest);
  const watermark = after?.watermark ?? latest;
  const window: TimelineWindow = { from, to, type, watermark };
  const parts = await partsOf(store, watermark, options);
  const visible = (time: TransactionTime): boolean => !store.isNarrowed || changedSomething(store.snapshot, time.tx);
  const extent = store.isNarrowed ? await visibleExtent(store, parts, watermark, options) : extentOf(parts);
  const isBounded = Number.isFinite(from) && Number.isFinite(to);
  const counted = extent === 'unknown' ? { first: from, last: to } : extent;
  if (options.buckets !== undefined && extent === 'unknown' && !isBounded) throw tooMany();
  const { times, next } = store.isNarrowed
    ? await examined(store, parts, { window, order, limit, after }, visible, options)
    : await pageOf(store, parts, { window, order, limit, after }, options);
  const buckets =
    options.buckets === undefined || counted === null
      ? null
      : await bucketsOf(store, parts, { window, extent: counted, count: options.buckets, visible }, options);
  return {
    items: store.engine.transactionsWith(times.map(({ tx }) => tx)).map((record) => toItem(record, store.isNarrowed)),
    next: next === null ? null : showCursor({ ...next, watermark }, order),
    watermark,
    extent:
      extent === null || extent === 'unknown'
        ? null
        : { first: showInstant(extent.first), last: showInstant(extent.last) },
    buckets,
  };
}

function checkTimeline({ order = 'asc', limit = 1, buckets = 1 }: TimelineOptions): void {
  checkCount(limit, 'limit');
  checkCount(buckets, 'buckets');
  if (limit === 0 || buckets === 0) throw new SvcError('invalid_request', 'limit and buckets are at least 1');
  if (order !== 'asc' && order !== 'desc') {
    throw new SvcError('invalid_request', `order is ${JSON.stringify(order)}; expected asc or desc`);
  }
}

function toItem(record: TransactionRecord, isNarrowed: boolean): TimelineItem {
  const { id, timestamp, validFrom, actor, source, quadsAdded, quadsRetracted } = record;
  const sourceType = sourceTypeOf(source);
  const episode = sourceType === 'episode' ? (source?.slice('episode:'.length) ?? null) : null;
  return {
    kind: episode === null ? 'transaction' : 'episode',
    tx: id,
    timestamp: showInstant(timestamp),
    validFrom: showInstant(validFrom),
    actor,
    source,
    sourceType,
    episode,
    asserted: isNarrowed ? null : quadsAdded,
    retracted: isNarrowed ? null : quadsRetracted,
  };
}

/** Of all transactions up to the watermark. */
async function partsOf({ engine }: TimelineStore, watermark: TxId, control: Control): Promise<TimesPart[]> {
  const parts: TimesPart[] = [];
  for (let group = 0; group * TIMES_GROUP < watermark; group++) {
    throwIfStopped(control, 'the timeline');
    for (const part of engine.timesOfGroup(group)) if (part.from <= watermark) parts.push(part);
    await breathe();
  }
  return parts;
}

function extentOf(parts: readonly TimesPart[]): { readonly first: Instant; readonly last: Instant } | null {
  if (parts.length === 0) return null;
  let [first, last] = [Infinity, -Infinity];
  for (const part of parts) {
    first = Math.min(first, part.first);
    last = Math.max(last, part.last);
  }
  return { first, last };
}

/** Of what somebody may see who may read some graphs only; not looked for among very many. */
async function visibleExtent(
  store: TimelineStore,
  parts: readonly TimesPart[],
  watermark: TxId,
  control: Control,
): Promise<ReturnType<typeof extentOf> | 'unknown'> {
  let [first, last, looked] = [Infinity, -Infinity, 0];
  const all = { from: -Infinity, to: Infinity, type: null, watermark };
  for await (const { timestamp, tx } of entriesOf(store, parts, all, control)) {
    throwIfStopped(control, 'the timeline');
    if (++looked > EXAMINED_MAX) return 'unknown';
    if (timestamp >= first && timestamp <= last) continue;
    if (!changedSomething(store.snapshot, tx)) continue;
    first = Math.min(first, timestamp);
    last = Math.max(last, timestamp);
  }
  return first > last ? null : { first, last };
}

interface PageRequest {
  readonly window: TimelineWindow;
  readonly order: TimelineOrder;
  readonly limit: number;
  /** The last that was told. */
  readonly after: TimelinePlace | null;
}

interface Page {
  readonly times: readonly TransactionTime[];
  readonly next: TimelinePlace | null;
}

const inOrder = (a: TimelinePlace, b: TimelinePlace): number => a.timestamp - b.timestamp || a.tx - b.tx;

async function pageOf(
  store: TimelineStore,
  parts: readonly TimesPart[],
  { window, order, limit, after }: PageRequest,
  control: Control,
): Promise<Page> {
  const forward = order === 'asc';
  const compare = forward ? inOrder : (a: TimelinePlace, b: TimelinePlace) => inOrder(b, a);
  const opened = needed(parts, { window, order, limit, after });
  let found: TransactionTime[] = [];
  for await (const time of entriesOf(store, opened, window, control)) {
    if (after !== null && compare(time, after) <= 0) continue;
    found.push(time);
    // One more than the page, so that it is known whether there is one.
    if (found.length > 2 * limit + EXAMINED_AT_ONCE) found = found.sort(compare).slice(0, limit + 1);
  }
  const times = found.sort(compare).slice(0, limit);
  const last = times.at(-1);
  return { times, next: found.length > limit && last !== undefined ? last : null };
}

/** The parts among which the page and the entry behind it are. */
function needed(parts: readonly TimesPart[], { window, order, limit, after }: PageRequest): TimesPart[] {
  const forward = order === 'asc';
  // Seen from where the page begins: the near end of a part, and its far end.
  const near = ({ first, last }: TimesPart): number => (forward ? first : -last);
  const far = ({ first, last }: TimesPart): number => (forward ? last : -first);
  const start = after === null ? -Infinity : forward ? after.timestamp : -after.timestamp;
  const mayHold = parts
    .filter((part) => part.last >= window.from && part.first < window.to && far(part) >= start)
    .filter(({ byType }) => window.type === null || byType[window.type] !== undefined)
    .sort((a, b) => near(a) - near(b));
  const opened: TimesPart[] = [];
  let [held, reach] = [0, -Infinity];
  for (const part of mayHold) {
    if (held > limit && near(part) > reach) break;
    opened.push(part);
    const isWhole =
      part.first >= window.from && part.last < window.to && near(part) > start && part.to <= window.watermark;
    if (held > limit || !isWhole) continue;
    held += countOf(part, window.type);
    reach = Math.max(reach, far(part));
  }
  return opened;
}

function countOf({ byType }: TimesPart, type: string | null): number {
  if (type !== null) return byType[type]?.transactions ?? 0;
  return Object.values(byType).reduce((sum, { transactions }) => sum + transactions, 0);
}

/** A page of what somebody may see. It may be short, and be followed by others, when little of much may be seen. */
async function examined(
  store: TimelineStore,
  parts: readonly TimesPart[],
  request: PageRequest,
  visible: (time: TransactionTime) => boolean,
  control: Control,
): Promise<Page> {
  const times: TransactionTime[] = [];
  let after: TimelinePlace | null = request.after;
  for (let looked = 0; looked < EXAMINED_MAX; ) {
    const page = await pageOf(store, parts, { ...request, after, limit: EXAMINED_AT_ONCE }, control);
    for (const [at, time] of page.times.entries()) {
      throwIfStopped(control, 'the timeline');
      looked++;
      after = time;
      if (visible(time)) times.push(time);
      const isLast = at === page.times.length - 1 && page.next === null;
      if (times.length === request.limit) return { times, next: isLast ? null : after };
    }
    if (page.next === null) return { times, next: null };
    await breathe();
  }
  return { times, next: after };
}
