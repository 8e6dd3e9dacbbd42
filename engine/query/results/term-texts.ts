/**
 * The texts of terms by id, batch after batch. Each column has a cache of fixed size at most in
 * which the text of an id waits to be used again, so that a term that many rows share is decoded and
 * escaped once. The cache is direct mapped: a slot holds the last id that fell into it. It begins
 * small, since most answers are, and grows with what it meets.
 */

import type { Term } from '../../rdf/terms.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { mixHalves } from '../runtime/ids.js';
import type { ResultBatch } from './result.js';

const FIRST_SLOTS = 1 << 8;
const SLOTS_MAX = 1 << 16;
/** Longer texts are not kept, so that the cache stays small. */
const TEXT_LENGTH_MAX = 1024;
const SEED = 0x51ed270b;

/** What a format writes for terms. */
export interface TermWriter<Item> {
  write(term: Term): Item;
  readonly unbound: Item;
  /** Characters or so; what is larger than `TEXT_LENGTH_MAX` is not kept. */
  sizeOf(item: Item): number;
}

/** The items of one column. */
export class TermItems<Item> {
  private lows = new Uint32Array(FIRST_SLOTS);
  private highs = new Uint32Array(FIRST_SLOTS);
  private items: (Item | undefined)[] = new Array(FIRST_SLOTS);
  private found: Item[] = [];
  /** Ids of the batch that were not there, and their rows. */
  private missing: IdColumn = new Uint32Array(0);
  private places = new Uint32Array(0);
  private misses = 0;

  constructor(private readonly writer: TermWriter<Item>) {}

  /** The items of the rows of a batch, in order; valid until the next call. */
  read(batch: ResultBatch, ids: IdColumn): readonly Item[] {
    this.reserve(batch.rows);
    const { writer, found, lows, highs, items } = this;
    let missing = 0;
    for (let row = 0; row < batch.rows; row++) {
      const low = ids[2 * row] as number;
      const high = ids[2 * row + 1] as number;
      if (low === 0 && high === 0) {
        found[row] = writer.unbound;
        continue;
      }
      const slot = mixHalves(SEED, low, high) & (lows.length - 1);
      if (lows[slot] === low && highs[slot] === high) {
        found[row] = items[slot] as Item;
        continue;
      }
      this.missing[2 * missing] = low;
      this.missing[2 * missing + 1] = high;
      this.places[missing++] = row;
    }
    if (missing > 0) this.fill(batch, missing);
    return found;
  }

  private fill(batch: ResultBatch, missing: number): void {
    this.misses += missing;
    if (this.misses > this.lows.length) this.grow();
    const { writer, found, lows, highs, items } = this;
    const terms = batch.decode(this.missing, missing);
    for (let index = 0; index < missing; index++) {
      const low = this.missing[2 * index] as number;
      const high = this.missing[2 * index + 1] as number;
      const slot = mixHalves(SEED, low, high) & (lows.length - 1);
      const row = this.places[index] as number;
      // An earlier row of this batch may have brought it.
      if (lows[slot] === low && highs[slot] === high) {
        found[row] = items[slot] as Item;
        continue;
      }
      const item = writer.write(terms[index] as Term);
      found[row] = item;
      if (writer.sizeOf(item) > TEXT_LENGTH_MAX) continue;
      lows[slot] = low;
      highs[slot] = high;
      items[slot] = item;
    }
  }

  private reserve(rows: number): void {
    if (rows <= this.places.length) return;
    this.missing = new Uint32Array(2 * rows);
    this.places = new Uint32Array(rows);
    this.found = new Array(rows);
  }

  /** Forgets everything: what is used often comes back soon. */
  private grow(): void {
    this.misses = 0;
    const slots = Math.min(SLOTS_MAX, 4 * this.lows.length);
    if (slots === this.lows.length) return;
    this.lows = new Uint32Array(slots);
    this.highs = new Uint32Array(slots);
    this.items = new Array(slots);
  }
}
