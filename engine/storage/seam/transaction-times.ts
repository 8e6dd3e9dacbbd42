/**
 * Transactions by their time labels, which need not ascend with their ids. Consecutive ids make parts, of which the extent in
 * time and the sums are known, and parts make groups. So a window of time costs what lies in it, and a look at each extent.
 */

import type { Instant, TxId } from '../ids/layout.js';

/** Group `n` has the transactions `n * TIMES_GROUP + 1` to `(n + 1) * TIMES_GROUP`. */
export const TIMES_GROUP = 65_536;
/** Transactions of a part, at most; parts of an index begin at multiples of it. */
export const TIMES_PART = 256;

export interface TransactionTime {
  readonly tx: TxId;
  readonly timestamp: Instant;
  /** Of `sourceTypeOf`. */
  readonly type: string;
  /** Statements that it opened, and that it closed. */
  readonly asserted: number;
  readonly retracted: number;
}

export interface Tally {
  readonly transactions: number;
  readonly asserted: number;
  readonly retracted: number;
}

/** Transactions `from` to `to` together. */
export interface TimesPart {
  readonly from: TxId;
  readonly to: TxId;
  /** The earliest and the latest time label. */
  readonly first: Instant;
  readonly last: Instant;
  readonly byType: Readonly<Record<string, Tally>>;
}

const TYPE = /^([a-z][a-z0-9-]{0,39})(?::|$)/;
/** Transactions without a source, and those whose source does not begin with a word. */
export const NO_SOURCE = 'none';
export const OTHER_SOURCE = 'other';

/** The kind of a source: the word in lower case before its first colon, or which it is: `episode:deploy-42` is an `episode`. */
export function sourceTypeOf(source: string | null): string {
  if (source === null) return NO_SOURCE;
  return TYPE.exec(source)?.[1] ?? OTHER_SOURCE;
}

/** The place of a transaction in time, by its record. */
export function timeOf(record: {
  readonly id: TxId;
  readonly timestamp: Instant;
  readonly source: string | null;
  readonly quadsAdded: number;
  readonly quadsRetracted: number;
}): TransactionTime {
  const { id: tx, timestamp, source, quadsAdded: asserted, quadsRetracted: retracted } = record;
  return { tx, timestamp, type: sourceTypeOf(source), asserted, retracted };
}

/** At least one, of ascending ids. */
export function partOf(entries: readonly TransactionTime[]): TimesPart {
  let [first, last] = [Infinity, -Infinity];
  const byType = new Map<string, Tally>();
  for (const { timestamp, type, asserted, retracted } of entries) {
    first = Math.min(first, timestamp);
    last = Math.max(last, timestamp);
    byType.set(type, added(byType.get(type), { transactions: 1, asserted, retracted }));
  }
  const [from, to] = [entries[0]?.tx ?? 0, entries.at(-1)?.tx ?? 0];
  return { from, to, first, last, byType: Object.fromEntries(byType) };
}

export function added(to: Tally | undefined, more: Tally): Tally {
  if (to === undefined) return more;
  return {
    transactions: to.transactions + more.transactions,
    asserted: to.asserted + more.asserted,
    retracted: to.retracted + more.retracted,
  };
}

/** Entries that stand in no index, cut into parts. */
export function partsOf(entries: readonly TransactionTime[]): TimesPart[] {
  const parts: TimesPart[] = [];
  for (let at = 0; at < entries.length; at += TIMES_PART) parts.push(partOf(entries.slice(at, at + TIMES_PART)));
  return parts;
}
