/**
 * Gathers which texts have which keys, in the sequence of the texts, in typed arrays: what a segment is written from, and what
 * answers for terms that are in no segment yet.
 */

import { impactByte } from './impact.js';
import type { Postings } from './postings.js';

const SLOTS_AT_FIRST = 1 << 12;
const POSTINGS_AT_FIRST = 1 << 14;
const NONE = 0xffffffff;
const TIMES_MAX = 255;

function grown<Values extends Uint32Array | Uint8Array>(values: Values): Values {
  const larger = new (values.constructor as new (length: number) => Values)(2 * values.length);
  larger.set(values);
  return larger;
}

export class KeyCollector {
  /** Of ids of keys by hash, one more than they are; 0 = free. */
  #slots = new Uint32Array(SLOTS_AT_FIRST);
  #arena = Buffer.allocUnsafe(1 << 16);
  #ends = new Uint32Array(SLOTS_AT_FIRST);
  /** Texts that have each key, and the newest of its postings. */
  #counts = new Uint32Array(SLOTS_AT_FIRST);
  #newest = new Uint32Array(SLOTS_AT_FIRST);
  keys = 0;
  /** By posting: its key, its text, how often it stands there or what that counts, and the posting of the key before it. */
  #keyOf: Uint32Array;
  #docs: Uint32Array;
  #impacts: Uint8Array;
  #before: Uint32Array;
  postings = 0;
  /** The first posting of the text at hand. */
  #textFrom = 0;
  /** By the bytes of a key, one more than its id; 0 = not known yet. */
  #triples: Uint32Array | null = null;
  readonly #hasImpacts: boolean;
  readonly #isAsked: boolean;
  readonly from: number;

  /**
   * `impacts`: how often a key stands in a text counts. `asked`: `find` is called. `expected`: postings that memory is taken for;
   * there may be more. `from`: what texts are numbered from.
   */
  constructor(
    from: number,
    options: { readonly impacts: boolean; readonly asked: boolean; readonly expected?: number | undefined },
  ) {
    this.from = from;
    this.#hasImpacts = options.impacts;
    this.#isAsked = options.asked;
    // Memory that is not touched costs nothing, and growing it copies.
    const room = Math.max(POSTINGS_AT_FIRST, options.expected ?? 0);
    this.#keyOf = new Uint32Array(room);
    this.#docs = new Uint32Array(room);
    this.#impacts = new Uint8Array(options.impacts ? room : 0);
    this.#before = new Uint32Array(options.asked ? room : 0);
  }

  /** Bytes of memory. */
  get bytes(): number {
    const byKey = this.#slots.byteLength + this.#ends.byteLength + this.#counts.byteLength + this.#newest.byteLength;
    const byPosting = this.#keyOf.byteLength + this.#docs.byteLength + this.#impacts.length + this.#before.byteLength;
    return byKey + byPosting + this.#arena.length;
  }

  beginText(): void {
    this.#textFrom = this.postings;
  }

  /** The text at hand has the key that stands at `[from, to)`. Texts come in the order of their numbers. Returns the id of the key. */
  add(bytes: Uint8Array, from: number, to: number, doc: number): number {
    const key = this.#idOf(bytes, from, to);
    this.addId(key, doc);
    return key;
  }

  /** The same of a key of three bytes, as a number. */
  addTriple(triple: number, bytes: Uint8Array, from: number, doc: number): void {
    this.#triples ??= new Uint32Array(1 << 24);
    let key = this.#triples[triple] as number;
    if (key === 0) {
      key = this.#idOf(bytes, from, from + 3) + 1;
      this.#triples[triple] = key;
    }
    this.addId(key - 1, doc);
  }

  /** The same of a key that it has. */
  addId(key: number, doc: number): void {
    const newest = this.#newest[key] as number;
    if (newest !== NONE && newest >= this.#textFrom) {
      if (this.#hasImpacts && (this.#impacts[newest] as number) < TIMES_MAX) {
        this.#impacts[newest] = (this.#impacts[newest] as number) + 1;
      }
      return;
    }
    const at = this.postings++;
    if (at === this.#docs.length) this.#growPostings();
    this.#keyOf[at] = key;
    this.#docs[at] = doc;
    if (this.#hasImpacts) this.#impacts[at] = 1;
    if (this.#isAsked) this.#before[at] = newest;
    this.#newest[key] = at;
    this.#counts[key] = (this.#counts[key] as number) + 1;
  }

  /** `length`: words of the text. */
  endText(length: number): void {
    if (!this.#hasImpacts) return;
    for (let at = this.#textFrom; at < this.postings; at++) {
      this.#impacts[at] = impactByte(this.#impacts[at] as number, length);
    }
    this.#textFrom = this.postings;
  }

  #growPostings(): void {
    this.#keyOf = grown(this.#keyOf);
    this.#docs = grown(this.#docs);
    if (this.#hasImpacts) this.#impacts = grown(this.#impacts);
    if (this.#isAsked) this.#before = grown(this.#before);
  }

  #idOf(bytes: Uint8Array, from: number, to: number): number {
    let hash = 0x811c9dc5;
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
    hash ^= hash >>> 15;
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const held = this.#slots[slot] as number;
      if (held === 0) return this.#newKey(slot, bytes, from, to);
      if (this.#isKey(held - 1, bytes, from, to)) return held - 1;
    }
  }

  #isKey(key: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#startOf(key);
    if ((this.#ends[key] as number) - start !== to - from) return false;
    const arena = this.#arena;
    for (let i = 0; i < to - from; i++) if (arena[start + i] !== bytes[from + i]) return false;
    return true;
  }

  #newKey(slot: number, bytes: Uint8Array, from: number, to: number): number {
    const key = this.keys++;
    const start = this.#startOf(key);
    if (start + to - from > this.#arena.length) this.#arena = Buffer.concat([this.#arena], 2 * this.#arena.length);
    for (let i = from; i < to; i++) this.#arena[start + i - from] = bytes[i] as number;
    if (key === this.#ends.length) {
      this.#ends = grown(this.#ends);
      this.#counts = grown(this.#counts);
      this.#newest = grown(this.#newest);
    }
    this.#ends[key] = start + to - from;
    this.#newest[key] = NONE;
    this.#slots[slot] = key + 1;
    if (2 * this.keys > this.#slots.length) this.#rehash();
    return key;
  }

  #startOf(key: number): number {
    return key === 0 ? 0 : (this.#ends[key - 1] as number);
  }

  #rehash(): void {
    const slots = new Uint32Array(4 * this.#slots.length);
    const mask = slots.length - 1;
    for (let key = 0; key < this.keys; key++) {
      let hash = 0x811c9dc5;
      const end = this.#ends[key] as number;
      for (let i = this.#startOf(key); i < end; i++) hash = Math.imul(hash ^ (this.#arena[i] as number), 0x01000193);
      hash ^= hash >>> 15;
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = key + 1;
    }
    this.#slots = slots;
  }

  /** The id of a key, which is new where no text has had it. */
  idFor(key: Buffer): number {
    return this.#idOf(key, 0, key.length);
  }

  keyAt(key: number): Buffer {
    return this.#arena.subarray(this.#startOf(key), this.#ends[key] as number);
  }

  countOf(key: number): number {
    return this.#counts[key] as number;
  }

  /** The id of a key; null = no text has it. */
  idOf(key: Buffer): number | null {
    let hash = 0x811c9dc5;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ (key[i] as number), 0x01000193);
    hash ^= hash >>> 15;
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const held = this.#slots[slot] as number;
      if (held === 0) return null;
      if (this.#isKey(held - 1, key, 0, key.length)) return held - 1;
    }
  }

  /** What a key has; of a collector that is asked. */
  postingsOf(key: number): Postings {
    const count = this.#counts[key] as number;
    const docs = new Uint32Array(count);
    const impacts = this.#hasImpacts ? new Uint8Array(count) : null;
    let at = this.#newest[key] as number;
    for (let i = count - 1; i >= 0; i--) {
      docs[i] = this.#docs[at] as number;
      if (impacts !== null) impacts[i] = this.#impacts[at] as number;
      at = this.#before[at] as number;
    }
    return { docs, impacts, from: this.from };
  }

  /** Every key with its postings, by the bytes of the keys; `step` is called between parts of the work. */
  *sorted(): Generator<{
    readonly key: Buffer;
    readonly docs: Uint32Array;
    readonly impacts: Uint8Array | null;
  } | null> {
    const order = yield* this.#sortKeys();
    const starts = new Uint32Array(this.keys + 1);
    for (let rank = 0; rank < this.keys; rank++) {
      starts[rank + 1] = (starts[rank] as number) + (this.#counts[order[rank] as number] as number);
    }
    const next = new Uint32Array(this.keys);
    for (let rank = 0; rank < this.keys; rank++) next[order[rank] as number] = starts[rank] as number;
    const docs = new Uint32Array(this.postings);
    const impacts = new Uint8Array(this.#hasImpacts ? this.postings : 0);
    for (let at = 0; at < this.postings; at++) {
      const key = this.#keyOf[at] as number;
      const place = next[key] as number;
      next[key] = place + 1;
      docs[place] = this.#docs[at] as number;
      if (this.#hasImpacts) impacts[place] = this.#impacts[at] as number;
      if (at % PLACED_AT_ONCE === 0) yield null;
    }
    for (let rank = 0; rank < this.keys; rank++) {
      const [from, to] = [starts[rank] as number, starts[rank + 1] as number];
      yield {
        key: this.keyAt(order[rank] as number),
        docs: docs.subarray(from, to),
        impacts: this.#hasImpacts ? impacts.subarray(from, to) : null,
      };
    }
  }

  /** Runs of some keys are sorted, then merged two by two. Most keys differ in their first twelve bytes, which are compared as two numbers. */
  *#sortKeys(): Generator<null, Uint32Array> {
    const [heads, seconds] = [new Float64Array(this.keys), new Float64Array(this.keys)];
    for (let key = 0; key < this.keys; key++) {
      heads[key] = this.#sixBytes(key, 0);
      seconds[key] = this.#sixBytes(key, 6);
    }
    const compare = (a: number, b: number): number =>
      (heads[a] as number) - (heads[b] as number) ||
      (seconds[a] as number) - (seconds[b] as number) ||
      this.#compareFrom(a, b, 12);
    let order = Uint32Array.from({ length: this.keys }, (_, key) => key);
    for (let from = 0; from < this.keys; from += RUN_KEYS) {
      order.subarray(from, from + RUN_KEYS).sort(compare);
      yield null;
    }
    for (let width = RUN_KEYS; width < this.keys; width *= 2) {
      const merged = new Uint32Array(this.keys);
      for (let from = 0; from < this.keys; from += 2 * width) {
        const [middle, to] = [Math.min(from + width, this.keys), Math.min(from + 2 * width, this.keys)];
        let [left, right] = [from, middle];
        for (let at = from; at < to; at++) {
          const isLeft = right >= to || (left < middle && compare(order[left] as number, order[right] as number) < 0);
          merged[at] = order[isLeft ? left++ : right++] as number;
          if (at % MERGED_AT_ONCE === 0) yield null;
        }
      }
      order = merged;
    }
    return order;
  }

  /** Six bytes of a key from one on, with zeros behind a shorter key. */
  #sixBytes(key: number, from: number): number {
    const start = this.#startOf(key) + from;
    const end = this.#ends[key] as number;
    let bytes = 0;
    for (let i = start; i < start + 6; i++) bytes = 256 * bytes + (i < end ? (this.#arena[i] as number) : 0);
    return bytes;
  }

  /** The sequence of two keys whose first bytes are the same, or stand behind the end of a shorter one. */
  #compareFrom(a: number, b: number, from: number): number {
    const arena = this.#arena;
    const [startA, startB] = [this.#startOf(a), this.#startOf(b)];
    const [lengthA, lengthB] = [(this.#ends[a] as number) - startA, (this.#ends[b] as number) - startB];
    for (let i = from; i < lengthA && i < lengthB; i++) {
      const difference = (arena[startA + i] as number) - (arena[startB + i] as number);
      if (difference !== 0) return difference;
    }
    return lengthA - lengthB;
  }
}

const RUN_KEYS = 2048;
const MERGED_AT_ONCE = 8192;
const PLACED_AT_ONCE = 262_144;
