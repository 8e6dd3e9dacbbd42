/**
 * What a format writes for the ids of one column, as bytes: made once for each distinct id and kept in the
 * area that the columns of an answer share, until that is cleared. Terms of the dictionary are copied
 * from its own bytes, inlined literals written from their ids; only what has to be escaped, and what the
 * query computed, becomes a term and a text.
 */

import { KIND, qualifierEnd } from '../../storage/dictionary/stored-term.js';
import { inlineLexical } from '../../storage/ids/inline.js';
import { isDictionaryTag, TAG } from '../../storage/ids/layout.js';
import type { IdColumn, StoredTerms } from '../../storage/scan.js';
import { mixHalves } from '../operators/ids.js';
import type { ByteArea } from './byte-area.js';
import type { ResultBatch } from './result.js';
import { type Pattern, type TermFormat, TermPatterns } from './term-format.js';

const FIRST_ENTRIES = 16;
const SEED = 0x51ed270b;
/** The entry of unbound variables. */
export const UNBOUND_ENTRY = 0;
/** Datatype codes whose literals a format may write by their form: integer, decimal, double, float, boolean. */
const NUMBER_CODE_MAX = 5;

export class Fragments {
  /** Where in the area the bytes of each entry are. */
  offsets = new Uint32Array(FIRST_ENTRIES);
  lengths = new Uint32Array(FIRST_ENTRIES);
  /** Entries in use. */
  count = 1;
  private ids: IdColumn = new Uint32Array(2 * FIRST_ENTRIES);
  private slots = new Uint32Array(2 * FIRST_ENTRIES);
  private readonly patterns: TermPatterns;
  /** Entries that wait for their bytes: from the dictionary, and from terms. */
  private pending: number[] = [];
  private textual: number[] = [];

  constructor(
    private readonly format: TermFormat,
    private readonly area: ByteArea,
    private readonly unbound: string,
    /** Before every term. */
    private readonly prefix: Uint8Array,
  ) {
    this.patterns = format.patterns ?? new TermPatterns(format);
    this.writeUnbound();
  }

  /** Forgets everything; the area has been cleared. */
  clear(): void {
    this.slots.fill(0);
    this.count = 1;
    this.writeUnbound();
  }

  /** Puts the entries of the rows `[from, to)` into `entries`, and the bytes of all of them into the area. */
  resolve(batch: ResultBatch, ids: IdColumn, from: number, to: number, entries: Uint32Array): void {
    const first = this.count;
    let lastLow = 0;
    let lastHigh = 0;
    let last = UNBOUND_ENTRY;
    for (let row = from; row < to; row++) {
      const low = ids[2 * row] as number;
      const high = ids[2 * row + 1] as number;
      if (low !== lastLow || high !== lastHigh) {
        last = low === 0 && high === 0 ? UNBOUND_ENTRY : this.entryOf(low, high);
        lastLow = low;
        lastHigh = high;
      }
      entries[row - from] = last;
    }
    if (this.count > first) this.fill(batch, first);
  }

  private writeUnbound(): void {
    this.begin(UNBOUND_ENTRY);
    this.area.putText(this.unbound);
    this.finish(UNBOUND_ENTRY);
  }

  private begin(entry: number): void {
    this.offsets[entry] = this.area.end;
  }

  private finish(entry: number): void {
    this.lengths[entry] = this.area.end - (this.offsets[entry] as number);
  }

  private entryOf(low: number, high: number): number {
    const { slots, ids } = this;
    const mask = slots.length - 1;
    let slot = mixHalves(SEED, low, high) & mask;
    for (;;) {
      const entry = slots[slot] as number;
      if (entry === 0) break;
      if (ids[2 * entry] === low && ids[2 * entry + 1] === high) return entry;
      slot = (slot + 1) & mask;
    }
    const entry = this.count++;
    slots[slot] = entry;
    if (entry === this.offsets.length) this.grow();
    this.ids[2 * entry] = low;
    this.ids[2 * entry + 1] = high;
    return entry;
  }

  private grow(): void {
    const entries = 2 * this.offsets.length;
    const [ids, offsets, lengths] = [this.ids, this.offsets, this.lengths];
    this.ids = new Uint32Array(2 * entries);
    this.ids.set(ids);
    this.offsets = new Uint32Array(entries);
    this.offsets.set(offsets);
    this.lengths = new Uint32Array(entries);
    this.lengths.set(lengths);
    this.slots = new Uint32Array(2 * entries);
    const mask = this.slots.length - 1;
    // The newest entry has no id yet; it finds its slot when it has.
    for (let entry = 1; entry < this.count - 1; entry++) {
      let slot = mixHalves(SEED, this.ids[2 * entry] as number, this.ids[2 * entry + 1] as number) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = entry;
    }
  }

  private fill(batch: ResultBatch, first: number): void {
    this.pending = [];
    this.textual = [];
    for (let entry = first; entry < this.count; entry++) {
      const low = this.ids[2 * entry] as number;
      const high = this.ids[2 * entry + 1] as number;
      const tag = high >>> 24;
      if (isDictionaryTag(tag)) this.pending.push(entry);
      else if (tag === TAG.local || tag === TAG.unbound || !this.writeInlined(entry, low, high)) {
        this.textual.push(entry);
      }
    }
    const { pending } = this;
    if (pending.length > 0) {
      batch.stored(this.idsOf(pending), pending.length, (terms) => this.writeStored(terms));
    }
    if (this.textual.length > 0) this.writeTexts(batch);
  }

  private idsOf(entries: readonly number[]): IdColumn {
    const ids = new Uint32Array(2 * entries.length);
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index] as number;
      ids[2 * index] = this.ids[2 * entry] as number;
      ids[2 * index + 1] = this.ids[2 * entry + 1] as number;
    }
    return ids;
  }

  private writeInlined(entry: number, low: number, high: number): boolean {
    const pattern = this.patterns.ofInlined(low, high);
    if (pattern === null) return false;
    const { area } = this;
    this.begin(entry);
    area.reserve(this.prefix.length + pattern.head.length);
    area.put(this.prefix);
    area.put(pattern.head);
    area.putText(inlineLexical(low, high));
    area.reserve(pattern.tail.length);
    area.put(pattern.tail);
    this.finish(entry);
    return true;
  }

  private writeStored({ count, bytes, places, starts, ends }: StoredTerms): void {
    const { area, pending, textual } = this;
    for (let index = 0; index < count; index++) {
      const entry = pending[places[index] as number] as number;
      const start = starts[index] as number;
      const kind = bytes[start] as number;
      const pattern = this.isNumber(kind, entry) ? null : this.patterns.ofKind(kind);
      this.begin(entry);
      if (pattern !== null && this.writePattern(pattern, bytes, start, ends[index] as number)) this.finish(entry);
      else {
        area.end = this.offsets[entry] as number;
        textual.push(entry);
      }
    }
  }

  private isNumber(kind: number, entry: number): boolean {
    if (kind !== KIND.typed) return false;
    const code = ((this.ids[2 * entry + 1] as number) >>> 16) & 0xff;
    return code > 0 && code <= NUMBER_CODE_MAX;
  }

  /** False when something in it is not plain. */
  private writePattern(pattern: Pattern, bytes: Buffer, start: number, end: number): boolean {
    const { area } = this;
    const plain = this.format.plain as Uint8Array;
    const { head, middle, tail, qualifier } = pattern;
    const kind = bytes[start] as number;
    const mark = kind >= KIND.language && kind <= KIND.typed ? qualifierEnd(bytes, start, end) : start;
    area.reserve(this.prefix.length + head.length);
    area.put(this.prefix);
    area.put(head);
    if (qualifier === 'first' && !area.putPlain(bytes, start + 1, mark, plain)) return false;
    if (qualifier === 'first') {
      area.reserve(middle.length);
      area.put(middle);
    }
    if (!area.putPlain(bytes, mark + 1, end, plain)) return false;
    if (qualifier === 'last') {
      area.reserve(middle.length);
      area.put(middle);
      if (!area.putPlain(bytes, start + 1, mark, plain)) return false;
    }
    area.reserve(tail.length);
    area.put(tail);
    return true;
  }

  private writeTexts(batch: ResultBatch): void {
    const { textual, area, format } = this;
    const terms = batch.decode(this.idsOf(textual), textual.length);
    for (let index = 0; index < textual.length; index++) {
      const entry = textual[index] as number;
      this.begin(entry);
      area.reserve(this.prefix.length);
      area.put(this.prefix);
      area.putText(format.text(terms[index] as NonNullable<(typeof terms)[number]>));
      this.finish(entry);
    }
  }
}
