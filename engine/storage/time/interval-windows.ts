/**
 * Which span a closed row belongs to: the smallest window of a power of two of transactions, aligned to
 * its size, that holds both the transaction that opened it and the one that closed it. Of all windows
 * of one size just one holds a given transaction, so that a read of the past needs one window of each
 * size, however long the history is. (The same idea as the fork nodes of the relational interval tree:
 * Kriegel, Poetke, Seidl, VLDB 2000.)
 *
 * Where validity follows transactions, windows of transactions are windows of validity too. Where it
 * does not (a back-fill), the rows of a span are split once more, in the same way, by their validity.
 */

import { getOrInsert } from '../../base/maps.js';
import type { SpanRecord, WindowRecord } from '../runs/manifest.js';

/** Windows hold about so many rows at least: smaller spans are put into wider ones. */
export const WINDOW_ROWS = 65_536;
/** Windows of validity within a span hold so much of it. */
export const SCATTERED_SHARE = 1 / 32;
/** Spans with a smaller share of a window's rows join the next wider one that there is. */
const SPAN_SHARE_MIN = 1 / 32;

/** The window that holds both ends, no smaller than `base`. */
export function windowOf(from: number, to: number, base: number): WindowRecord {
  // Numbers have up to 53 bits.
  const [high, low] = [Math.floor(from / 2 ** 32) ^ Math.floor(to / 2 ** 32), (from ^ to) >>> 0];
  const differing = high !== 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(low);
  const level = Math.max(base, differing);
  return { level, window: Math.floor(to / 2 ** level) };
}

/** The level at which windows hold `windowRows` rows, when `rows` are spread over a length. */
export function baseLevel(rows: number, length: number, windowRows: number): number {
  const wanted = (windowRows * length) / Math.max(1, rows);
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
  readonly counts: SpanCount[] = [];
  readonly #base: number;
  /** Base level of windows of validity; null when there are none. */
  readonly #validBase: number | null;
  /** Windows of transactions by key, and of validity by the place of that window and key. */
  readonly #windows = new Map<number, number>();
  readonly #places: Map<number, number>[] = [];

  constructor(base: number, validBase: number | null) {
    this.#base = base;
    this.#validBase = validBase;
  }

  /** The place of a row's span in `counts`. */
  placeOf(txFrom: number, txTo: number, validFrom: number, validTo: number): number {
    const window = windowOf(txFrom, txTo, this.#base);
    const at = getOrInsert(this.#windows, keyOf(window), () => this.#places.push(new Map()) - 1);
    const valid = this.#validBase === null ? undefined : windowOf(validFrom, validTo, this.#validBase);
    const places = this.#places[at] as Map<number, number>;
    return getOrInsert(places, valid === undefined ? 0 : keyOf(valid), () => {
      const output = this.counts.length;
      this.counts.push({ span: valid === undefined ? window : { ...window, valid }, rows: 0, output });
      return output;
    });
  }

  /** Puts small spans into the next wider one that there is. Returns the outputs with their rows. */
  settle(windowRows: number): { readonly span: SpanRecord; readonly rows: number }[] {
    const least =
      this.#validBase === null ? SPAN_SHARE_MIN * windowRows : SPAN_SHARE_MIN * SCATTERED_SHARE * windowRows;
    const levels = ({ span }: SpanCount): number => span.level + (span.valid?.level ?? 0);
    const byLevel = [...this.counts].sort((a, b) => levels(a) - levels(b));
    const joined = new Map<SpanCount, SpanCount>();
    for (const [at, count] of byLevel.entries()) {
      if (count.rows >= least) continue;
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

const keyOf = ({ level, window }: WindowRecord): number => window * 64 + level;

/** True when a row of the narrow span may stand in the wide one. */
function contains(wide: SpanRecord, narrow: SpanRecord): boolean {
  if (!covers(wide, narrow)) return false;
  if (wide.valid === undefined || narrow.valid === undefined) return wide.valid === narrow.valid;
  return covers(wide.valid, narrow.valid);
}

function covers(wide: WindowRecord, narrow: WindowRecord): boolean {
  return wide.level >= narrow.level && Math.floor(narrow.window / 2 ** (wide.level - narrow.level)) === wide.window;
}

/** True when rows of the span may be visible as of a transaction. */
export function spanHolds(span: SpanRecord, tx: number): boolean {
  return Math.floor(tx / 2 ** span.level) === span.window;
}
