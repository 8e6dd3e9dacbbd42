/**
 * Which span a closed row belongs to: the smallest window of a power of two of transactions, aligned to
 * its size, that holds both the transaction that opened it and the one that closed it. Of all windows
 * of one size just one holds a given transaction, so that a read of the past needs one window of each
 * size, however long the history is. (The same idea as the fork nodes of the relational interval tree:
 * Kriegel, Poetke, Seidl, VLDB 2000.)
 */

import type { SpanRecord } from './manifest.js';

/** Windows hold about so many rows at least: smaller spans are put into wider ones. */
export const WINDOW_ROWS = 65_536;
/** Spans with a smaller share of a window's rows join the next wider one that there is. */
const SPAN_SHARE_MIN = 1 / 32;

/** The span of a row, no smaller than `base`. */
export function spanOf(txFrom: number, txTo: number, base: number): SpanRecord {
  // Transactions have up to 53 bits; those above the 32nd differ only in very old and wide rows.
  const [high, low] = [Math.floor(txFrom / 2 ** 32) ^ Math.floor(txTo / 2 ** 32), (txFrom ^ txTo) >>> 0];
  const differing = high !== 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(low);
  const level = Math.max(base, differing);
  return { level, window: Math.floor(txTo / 2 ** level) };
}

/** The level at which windows have enough rows, when `rows` were closed by `transactions`. */
export function baseLevel(rows: number, transactions: number, windowRows: number): number {
  const wanted = (windowRows * transactions) / Math.max(1, rows);
  return Math.max(0, Math.ceil(Math.log2(Math.max(1, wanted))));
}

/** Rows of a span, and the place of the output that takes them. */
export interface SpanCount {
  readonly span: SpanRecord;
  rows: number;
  output: number;
}

/** Counts rows per span; spans are few, and neighbours often the same. */
export class SpanTable {
  readonly base: number;
  readonly counts: SpanCount[] = [];
  readonly #places = new Map<number, number>();
  #lastKey = -1;
  #lastPlace = -1;

  constructor(base: number) {
    this.base = base;
  }

  /** The place of a row's span in `counts`. */
  placeOf(txFrom: number, txTo: number): number {
    const { level, window } = spanOf(txFrom, txTo, this.base);
    const key = window * 64 + level;
    if (key === this.#lastKey) return this.#lastPlace;
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.counts.length;
      this.#places.set(key, place);
      this.counts.push({ span: { level, window }, rows: 0, output: place });
    }
    this.#lastKey = key;
    this.#lastPlace = place;
    return place;
  }

  /** Puts small spans into the next wider one that there is. Returns the outputs with their rows. */
  settle(windowRows: number): { readonly span: SpanRecord; readonly rows: number }[] {
    const byLevel = [...this.counts].sort((a, b) => a.span.level - b.span.level);
    const joined = new Map<SpanCount, SpanCount>();
    for (const [at, count] of byLevel.entries()) {
      if (count.rows >= SPAN_SHARE_MIN * windowRows) continue;
      const wider = byLevel.slice(at + 1).find((other) => contains(other.span, count.span));
      if (wider === undefined) continue;
      wider.rows += count.rows;
      count.rows = 0;
      joined.set(count, wider);
    }
    const outputs = this.counts.filter((count) => !joined.has(count));
    for (const count of this.counts) {
      let target = count;
      for (let next = joined.get(target); next !== undefined; next = joined.get(target)) target = next;
      count.output = outputs.indexOf(target);
    }
    return outputs.map(({ span, rows }) => ({ span, rows }));
  }
}

function contains(wide: SpanRecord, narrow: SpanRecord): boolean {
  return wide.level > narrow.level && Math.floor(narrow.window / 2 ** (wide.level - narrow.level)) === wide.window;
}

/** True when rows of the span may be visible as of a transaction. */
export function spanHolds(span: SpanRecord, tx: number): boolean {
  return Math.floor(tx / 2 ** span.level) === span.window;
}
