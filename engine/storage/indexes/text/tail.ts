/**
 * Terms that are in no segment of the index yet, kept in memory by each thread that searches, and brought up to date as they
 * grow: their words as a segment of its own, their texts without case one behind the other.
 */

import { SvcError } from '../../../base/errors.js';
import { getOrInsert } from '../../../base/maps.js';
import { TERM_KIND as KIND } from '../../../kernels/as/term-codes.js';
import type { FileView } from '../secondary-index.js';
import { KeyCollector } from './key-collector.js';
import type { Postings } from './postings.js';
import type { TextSegment } from './segment-reader.js';
import { everyText, isLiteralKind } from './term-texts.js';
import { FoldedReader } from './trigrams.js';
import { WordKeys } from './word-keys.js';

/** Memory of each of the two, in one thread. */
const TAIL_BYTES_MAX = 768 * 1024 * 1024;
/** Stands between texts; no byte of UTF-8. */
const BETWEEN = 0xff;

function tooLarge(what: string): SvcError {
  return new SvcError('limit_exceeded', `too much of this store is not in its ${what} yet`, {
    hint: 'svc fold --index brings the index up to date; a server does so in the background',
  });
}

/** Words of the terms from `from` on. */
export class WordTail {
  readonly from: number;
  #to: number;
  readonly #collector: KeyCollector;
  readonly #keys: WordKeys;
  readonly #postings = new Map<number, Postings>();
  #sorted: Buffer[] | null = null;
  readonly #made = new Map<string, object>();

  constructor(from: number) {
    this.from = from;
    this.#to = from;
    this.#collector = new KeyCollector(from, { impacts: true, asked: true });
    this.#keys = new WordKeys(this.#collector);
  }

  /** The same with all terms of a view, in parts. */
  *follow(view: FileView, to: number): Generator<void> {
    if (to <= this.#to) return;
    const work = everyText(view, this.#to, to, (number, bytes, kind, from, text, end) => {
      if (!isLiteralKind(kind)) return;
      const tag = kind === KIND.language || kind === KIND.direction ? bytes.toString('latin1', from + 1, text - 1) : '';
      this.#keys.add(number - this.from, bytes, text, end, tag);
    });
    for (const _ of work) {
      if (this.#collector.bytes > TAIL_BYTES_MAX) throw tooLarge('index of words');
      yield;
    }
    this.#to = to;
    this.#postings.clear();
    this.#sorted = null;
    this.#made.clear();
  }

  /** What of it a view sees that ends at `to`. */
  segment(to: number): TextSegment {
    const end = to - this.from;
    const cut = (postings: Postings): Postings | null => {
      const { docs, impacts, from } = postings;
      let count = docs.length;
      while (count > 0 && (docs[count - 1] as number) >= end) count--;
      if (count === docs.length) return postings;
      return count === 0 ? null : { docs: docs.subarray(0, count), impacts: impacts?.subarray(0, count) ?? null, from };
    };
    return {
      from: this.from,
      to,
      texts: this.#keys.texts,
      words: this.#keys.words,
      kept: (name, make) => getOrInsert(this.#made, `${name} ${to}`, make) as ReturnType<typeof make>,
      find: (key) => {
        const id = this.#collector.idOf(key);
        return id === null ? null : cut(this.#postingsOf(id));
      },
      keysFrom: (prefix, take) => {
        for (const key of this.#keysSorted(prefix)) {
          const postings = cut(this.#postingsOf(this.#collector.idOf(key) as number));
          if (postings !== null) take(key, key.length, () => postings);
        }
      },
    };
  }

  #postingsOf(id: number): Postings {
    let known = this.#postings.get(id);
    if (known === undefined) {
      known = this.#collector.postingsOf(id);
      this.#postings.set(id, known);
    }
    return known;
  }

  #keysSorted(prefix: Buffer): Buffer[] {
    if (this.#sorted === null) {
      this.#sorted = Array.from({ length: this.#collector.keys }, (_, id) => this.#collector.keyAt(id));
      this.#sorted.sort((a, b) => a.compare(b));
    }
    const sorted = this.#sorted;
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] as Buffer).compare(prefix) < 0) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (end < sorted.length && (sorted[end] as Buffer).subarray(0, prefix.length).equals(prefix)) end++;
    return sorted.slice(low, end);
  }
}

/** Texts of the terms from `from` on, without case. */
export class FoldedTail {
  readonly from: number;
  #to: number;
  #bytes = Buffer.alloc(1 << 16);
  /** Where the text of each term ends, with the byte behind it. */
  #ends = new Uint32Array(1 << 12);
  readonly #reader = new FoldedReader();

  constructor(from: number) {
    this.from = from;
    this.#to = from;
  }

  *follow(view: FileView, to: number): Generator<void> {
    if (to <= this.#to) return;
    let next = this.#to;
    const work = everyText(view, this.#to, to, (number, bytes, kind, _, text, end) => {
      next = number + 1;
      const isText = isLiteralKind(kind) || kind === KIND.iri;
      if (isText) this.#reader.read(bytes, text, end);
      this.#add(number - this.from, isText ? this.#reader.length : 0);
    });
    for (const _ of work) {
      if (this.#bytes.length > TAIL_BYTES_MAX) throw tooLarge('index of parts of texts');
      this.#to = next;
      yield;
    }
    this.#to = to;
  }

  #add(at: number, length: number): void {
    if (at === this.#ends.length) {
      const larger = new Uint32Array(2 * this.#ends.length);
      larger.set(this.#ends);
      this.#ends = larger;
    }
    const start = at === 0 ? 0 : (this.#ends[at - 1] as number);
    if (start + length + 1 > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], 2 * this.#bytes.length + length + 1);
    }
    this.#bytes.set(this.#reader.bytes.subarray(0, length), start);
    this.#bytes[start + length] = BETWEEN;
    this.#ends[at] = start + length + 1;
  }

  /** Numbers of the terms below `to` whose text without case holds some bytes, ascending. */
  containing(folded: Buffer, to: number): Uint32Array {
    const count = Math.min(to, this.#to) - this.from;
    if (count <= 0) return new Uint32Array(0);
    const end = this.#ends[count - 1] as number;
    const bytes = this.#bytes.subarray(0, end);
    const found: number[] = [];
    for (let at = bytes.indexOf(folded); at >= 0; ) {
      let [low, high] = [0, count];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((this.#ends[middle] as number) <= at) low = middle + 1;
        else high = middle;
      }
      found.push(this.from + low);
      at = bytes.indexOf(folded, this.#ends[low] as number);
    }
    return Uint32Array.from(found);
  }
}
