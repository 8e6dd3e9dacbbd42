/**
 * Which terms the rows of a lake name: a bit for each term of the dictionary, by tag and number, and a table of the ids
 * that are values. Read out in ascending order.
 */

import { SvcError } from '../../base/errors.js';
import { isInlinedTag, TAG } from '../../storage/ids/layout.js';

const PAGE_BITS = 15;
const PAGE_WORDS = 2 ** (PAGE_BITS - 5);
const TWO_32 = 2 ** 32;
const FIRST_SLOTS = 1 << 12;
/** Of a table that grows to this: 2 GiB. */
const INLINE_MAX = 1 << 27;
/** Stands where a prefix of 16 bits would. */
const INLINE_MARK = 0xffffffff;
const INLINE_AT_ONCE = 65_536;

export interface IdBatch {
  readonly ids: Uint32Array;
  readonly count: number;
  /** They are values, and stand in no dictionary. */
  readonly inlined: boolean;
}

export class TermIds {
  /** By the upper 16 bits of an id. */
  readonly #numbers = new Map<number, (Uint32Array | undefined)[]>();
  readonly #inline = new InlineIds();

  /** True when it was not there. */
  add(low: number, high: number): boolean {
    if (isInlinedTag(high >>> 24)) return this.#inline.add(low, high);
    if (high === 0 && low === 0) return false;
    const prefix = high >>> 16;
    let pages = this.#numbers.get(prefix);
    if (pages === undefined) {
      pages = [];
      this.#numbers.set(prefix, pages);
    }
    const place = (low >>> PAGE_BITS) + (high & 0xffff) * 2 ** (32 - PAGE_BITS);
    let page = pages[place];
    if (page === undefined) {
      page = new Uint32Array(PAGE_WORDS);
      pages[place] = page;
    }
    const word = (low >>> 5) & (PAGE_WORDS - 1);
    const bit = 1 << (low & 31);
    if (((page[word] as number) & bit) !== 0) return false;
    page[word] = (page[word] as number) | bit;
    return true;
  }

  has(low: number, high: number): boolean {
    if (isInlinedTag(high >>> 24)) return this.#inline.has(low, high);
    const place = (low >>> PAGE_BITS) + (high & 0xffff) * 2 ** (32 - PAGE_BITS);
    const word = this.#numbers.get(high >>> 16)?.[place]?.[(low >>> 5) & (PAGE_WORDS - 1)] ?? 0;
    return ((word >>> (low & 31)) & 1) === 1;
  }

  /** Those of a column, and to `fresh` those that were not there. Runs of one id are looked at once. */
  addColumn(halves: Uint32Array, rows: number, fresh: TermIds | null): void {
    let [lastLow, lastHigh] = [0, 0];
    for (let at = 0; at < 2 * rows; at += 2) {
      const low = halves[at] as number;
      const high = halves[at + 1] as number;
      if (low === lastLow && high === lastHigh) continue;
      if (this.add(low, high)) fresh?.add(low, high);
      lastLow = low;
      lastHigh = high;
    }
  }

  /** All of them, or those with a tag of the dictionary, ascending, in batches that are valid until the next one. */
  *batches(size: number, tag?: number): Generator<IdBatch> {
    const prefixes = [...this.#numbers.keys()].sort((a, b) => a - b);
    if (tag !== undefined) {
      yield* this.#dictionaryIds(
        prefixes.filter((prefix) => prefix >>> 8 === tag),
        size,
      );
      return;
    }
    const isBelow = (prefix: number): boolean => prefix >>> 8 < TAG.integer;
    yield* this.#dictionaryIds(prefixes.filter(isBelow), size);
    yield* this.#inline.batches(size);
    yield* this.#dictionaryIds(
      prefixes.filter((prefix) => !isBelow(prefix)),
      size,
    );
  }

  /** For `readFrom`: by prefix the pages with their places, then the ids that are values. */
  *parts(): Generator<Uint8Array> {
    for (const [prefix, pages] of this.#numbers) {
      const places = [...pages.keys()].filter((place) => pages[place] !== undefined);
      yield new Uint8Array(Uint32Array.of(prefix, places.length).buffer);
      for (const place of places) {
        yield new Uint8Array(Uint32Array.of(place).buffer);
        yield new Uint8Array((pages[place] as Uint32Array<ArrayBuffer>).buffer);
      }
    }
    yield new Uint8Array(Uint32Array.of(INLINE_MARK, this.#inline.count).buffer);
    for (const { ids, count } of this.#inline.batches(INLINE_AT_ONCE)) {
      yield new Uint8Array(ids.slice(0, 2 * count).buffer);
    }
  }

  /** What `parts` wrote, in one piece; false when it is not whole. */
  readFrom(bytes: Uint8Array): boolean {
    if (bytes.length % 4 !== 0) return false;
    const words = new Uint32Array(new Uint8Array(bytes).buffer);
    let at = 0;
    while (at + 2 <= words.length) {
      const [prefix, count] = [words[at] as number, words[at + 1] as number];
      at += 2;
      if (prefix === INLINE_MARK) {
        if (words.length !== at + 2 * count) return false;
        for (; at < words.length; at += 2) this.#inline.add(words[at] as number, words[at + 1] as number);
        return true;
      }
      const pages: Uint32Array[] = [];
      this.#numbers.set(prefix, pages);
      for (let page = 0; page < count; page++, at += 1 + PAGE_WORDS) {
        if (at + 1 + PAGE_WORDS > words.length) return false;
        pages[words[at] as number] = words.slice(at + 1, at + 1 + PAGE_WORDS);
      }
    }
    return false;
  }

  *#dictionaryIds(prefixes: readonly number[], size: number): Generator<IdBatch> {
    const ids = new Uint32Array(2 * size);
    let count = 0;
    for (const prefix of prefixes) {
      const pages = this.#numbers.get(prefix) as (Uint32Array | undefined)[];
      for (const [place, page] of pages.entries()) {
        if (page === undefined) continue;
        for (let word = 0; word < PAGE_WORDS; word++) {
          for (let rest = page[word] as number; rest !== 0; rest &= rest - 1) {
            const number = place * 2 ** PAGE_BITS + word * 32 + (31 - Math.clz32(rest & -rest));
            ids[2 * count] = number % TWO_32;
            ids[2 * count + 1] = prefix * 65_536 + Math.floor(number / TWO_32);
            if (++count < size) continue;
            yield { ids, count, inlined: false };
            count = 0;
          }
        }
      }
    }
    if (count > 0) yield { ids, count, inlined: false };
  }
}

/** An open hash table of ids. */
class InlineIds {
  /** Low halves first; an id of a value is never 0. */
  #slots = new Uint32Array(2 * FIRST_SLOTS);
  count = 0;

  add(low: number, high: number): boolean {
    const slot = this.#slotOf(low, high);
    if (this.#slots[2 * slot + 1] !== 0) return false;
    this.#slots[2 * slot] = low;
    this.#slots[2 * slot + 1] = high;
    if (++this.count * 4 > this.#slots.length) this.#grow();
    return true;
  }

  has(low: number, high: number): boolean {
    return this.#slots[2 * this.#slotOf(low, high) + 1] !== 0;
  }

  *batches(size: number): Generator<IdBatch> {
    const sorted = new BigUint64Array(this.count);
    let at = 0;
    const slots = new BigUint64Array(this.#slots.buffer);
    for (const id of slots) if (id !== 0n) sorted[at++] = id;
    sorted.sort();
    const halves = new Uint32Array(sorted.buffer);
    for (let from = 0; from < this.count; from += size) {
      const count = Math.min(size, this.count - from);
      yield { ids: halves.subarray(2 * from, 2 * (from + count)), count, inlined: true };
    }
  }

  /** Where an id is, or would be. */
  #slotOf(low: number, high: number): number {
    const mask = this.#slots.length / 2 - 1;
    const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
    let slot = (mixed ^ (mixed >>> 15)) & mask;
    while (this.#slots[2 * slot + 1] !== 0) {
      if (this.#slots[2 * slot] === low && this.#slots[2 * slot + 1] === high) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    if (this.count > INLINE_MAX) {
      throw new SvcError('limit_exceeded', `a lake takes up to ${INLINE_MAX} distinct numbers, dates and times`);
    }
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2) {
      if (old[at + 1] === 0) continue;
      const slot = this.#slotOf(old[at] as number, old[at + 1] as number);
      this.#slots[2 * slot] = old[at] as number;
      this.#slots[2 * slot + 1] = old[at + 1] as number;
    }
  }
}
