/**
 * Transactions counted by intervals of time. A part whose entries all lie in one interval is counted by its sums; only the
 * others are opened, which of a log that ascends in time are at most those at the edges of intervals.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Instant } from '../../storage/ids/layout.js';
import type { Tally, TimesPart, TransactionTime } from '../../storage/seam/transaction-times.js';
import { showInstant } from '../options/store-options.js';
import { entriesOf, type TimelineStore, type TimelineWindow } from './timeline-window.js';

/** Transactions whose changes are looked at for somebody who may read some graphs only. */
const EXAMINED_MAX = 10_000;
const EPISODE = 'episode';

export interface TimelineBucket {
  /** Where the interval begins; it ends where the next begins. */
  readonly from: string;
  /** Of all transactions; `episodes` are among them. */
  readonly transactions: number;
  readonly episodes: number;
  /** Statements; null for a reader who may read some graphs only. */
  readonly asserted: number | null;
  readonly retracted: number | null;
}

export interface TimelineBuckets {
  readonly from: string;
  /** Where the last interval ends. */
  readonly to: string;
  /** Length of each interval. */
  readonly seconds: number;
  /** Ascending; intervals without transactions are left out. */
  readonly counts: readonly TimelineBucket[];
}

interface BucketRequest {
  readonly window: TimelineWindow;
  readonly extent: { readonly first: Instant; readonly last: Instant };
  /** Most intervals. */
  readonly count: number;
  visible(time: TransactionTime): boolean;
}

interface Counts {
  transactions: number;
  episodes: number;
  asserted: number;
  retracted: number;
}

export async function bucketsOf(
  store: TimelineStore,
  parts: readonly TimesPart[],
  { window, extent, count, visible }: BucketRequest,
  control: Control,
): Promise<TimelineBuckets> {
  const from = Number.isFinite(window.from) ? window.from : Math.min(extent.first, window.to - 1);
  const to = Number.isFinite(window.to) ? window.to : Math.max(extent.last, from) + 1;
  const seconds = Math.max(1, Math.ceil((to - from) / count));
  const at = (instant: Instant): number => Math.floor((instant - from) / seconds);
  const counts = new Map<number, Counts>();
  const add = (bucket: number, type: string, tally: Tally): void => {
    const into = counts.get(bucket) ?? { transactions: 0, episodes: 0, asserted: 0, retracted: 0 };
    into.transactions += tally.transactions;
    if (type === EPISODE) into.episodes += tally.transactions;
    into.asserted += tally.asserted;
    into.retracted += tally.retracted;
    counts.set(bucket, into);
  };
  const opened: TimesPart[] = [];
  for (const part of parts) {
    if (part.last < from || part.first >= to) continue;
    const isWhole = part.first >= from && part.last < to && part.to <= window.watermark;
    if (!isWhole || at(part.first) !== at(part.last) || store.isNarrowed) {
      opened.push(part);
      continue;
    }
    for (const [type, tally] of Object.entries(part.byType)) {
      if (window.type === null || window.type === type) add(at(part.first), type, tally);
    }
  }
  let looked = 0;
  for await (const time of entriesOf(store, opened, window, control)) {
    if (store.isNarrowed) {
      throwIfStopped(control, 'the timeline');
      if (++looked > EXAMINED_MAX) throw tooMany();
      if (!visible(time)) continue;
    }
    const { timestamp, type, asserted, retracted } = time;
    add(at(timestamp), type, { transactions: 1, asserted, retracted });
  }
  const shown = [...counts]
    .sort(([a], [b]) => a - b)
    .map(([bucket, of]) => {
      const { asserted, retracted, ...rest } = of;
      const statements = store.isNarrowed ? { asserted: null, retracted: null } : { asserted, retracted };
      return { from: showInstant(from + bucket * seconds), ...rest, ...statements };
    });
  return { from: showInstant(from), to: showInstant(to), seconds, counts: shown };
}

/** There is no end to what would have to be looked at. */
export function tooMany(): SvcError {
  return new SvcError(
    'limit_exceeded',
    `intervals of more than ${EXAMINED_MAX} transactions are counted only for who may read every graph`,
    {
      hint: "narrow them by 'from' and 'to', or leave 'buckets' out",
    },
  );
}
