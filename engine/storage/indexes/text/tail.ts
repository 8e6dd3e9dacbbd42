/**
 * Terms that are in no segment of the index yet, kept in memory by each thread that searches, and brought up to date as they
 * grow: their words as a segment of its own, their texts without case one behind the other.
 */

import { SvcError } from '../../../base/errors.js';
import { TERM_KIND as KIND } from '../../../kernels/as/term-codes.js';
import type { FileView } from '../secondary-index.js';
import { CollectedKeys } from './collected-keys.js';
import { idPrefixOf } from './id-prefix.js';
import { KeyCollector } from './key-collector.js';
import type { TextSegment } from './segment-reader.js';
import { everyText, isLiteralKind, isTextKind } from './term-texts.js';
import { FoldedReader } from './trigrams.js';
import { WordKeys } from './word-keys.js';

/** Memory of each of the two, in one thread. */
const TAIL_BYTES_MAX = 768 * 1024 * 1024;
/** Terms that are taken up whole, or not at all. */
const FOLLOWED_AT_ONCE = 4096;
/** Stands between texts; no byte of UTF-8. */
const BETWEEN = 0xff;

function hasTag(kind: number): boolean {
  return kind === KIND.language || kind === KIND.direction;
}

function tooLarge(what: string): SvcError {
  return new SvcError('limit_exceeded', `too much of this store is not in its ${what} yet`, {
    hint: 'svc fold --texts words,parts makes the index; a server that may write makes it in the background',
  });
}

/** Words of the terms from `from` on. */
export class WordTail {
  readonly from: number;
  #to: number;
  readonly #collector: KeyCollector;
  readonly #keys: WordKeys;
  #asked: CollectedKeys;

  constructor(from: number) {
    this.from = from;
    this.#to = from;
    this.#collector = new KeyCollector(from, { impacts: true, asked: true });
    this.#keys = new WordKeys(this.#collector);
    this.#asked = new CollectedKeys(this.#collector);
  }

  /** Terms below this number have been read. */
  get to(): number {
    return this.#to;
  }

  /** The same with all terms of a view, in parts. */
  *follow(view: FileView, to: number): Generator<void> {
    if (to <= this.#to) return;
    for (let from = this.#to; from < to; from = this.#to) {
      const end = Math.min(to, from + FOLLOWED_AT_ONCE);
      const work = everyText(view, from, end, (number, bytes, kind, start, text, stop) => {
        if (!isLiteralKind(kind)) return;
        const tag = hasTag(kind) ? bytes.toString('latin1', start + 1, text - 1) : '';
        this.#keys.add(number - this.from, bytes, text, stop, tag);
      });
      for (const _ of work);
      this.#to = end;
      if (this.#collector.bytes > TAIL_BYTES_MAX) throw tooLarge('index of words');
      yield;
    }
    this.#asked = new CollectedKeys(this.#collector);
  }

  /** What of it a view sees that ends at `to`. */
  segment(to: number): TextSegment {
    return this.#asked.segment(to, this.#keys);
  }
}

/** Texts of the terms from `from` on, without case. */
export class FoldedTail {
  readonly from: number;
  #to: number;
  #bytes = Buffer.alloc(1 << 16);
  /** Where the text of each term ends, with the byte behind it. */
  #ends = new Uint32Array(1 << 12);
  /** What stands before the number in the id of each; of terms without a text nothing. */
  #prefixes = new Uint16Array(1 << 12);
  readonly #reader = new FoldedReader();

  constructor(from: number) {
    this.from = from;
    this.#to = from;
  }

  get to(): number {
    return this.#to;
  }

  *follow(view: FileView, to: number): Generator<void> {
    for (let from = this.#to; from < to; from = this.#to) {
      const end = Math.min(to, from + FOLLOWED_AT_ONCE);
      const work = everyText(view, from, end, (number, bytes, kind, start, text, stop) => {
        const isText = isTextKind(kind);
        if (isText) this.#reader.read(bytes, text, stop);
        this.#add(number - this.from, isText ? this.#reader.length : 0, isText ? idPrefixOf(bytes, start, stop) : 0);
      });
      for (const _ of work);
      this.#to = end;
      if (this.#bytes.length > TAIL_BYTES_MAX) throw tooLarge('index of parts of texts');
      yield;
    }
  }

  #add(at: number, length: number, prefix: number): void {
    if (at === this.#ends.length) {
      const larger = new Uint32Array(2 * this.#ends.length);
      larger.set(this.#ends);
      this.#ends = larger;
      const prefixes = new Uint16Array(this.#ends.length);
      prefixes.set(this.#prefixes);
      this.#prefixes = prefixes;
    }
    this.#prefixes[at] = prefix;
    const start = at === 0 ? 0 : (this.#ends[at - 1] as number);
    if (start + length + 1 > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], 2 * this.#bytes.length + length + 1);
    }
    this.#bytes.set(this.#reader.bytes.subarray(0, length), start);
    this.#bytes[start + length] = BETWEEN;
    this.#ends[at] = start + length + 1;
  }

  prefixOf(number: number): number {
    return this.#prefixes[number - this.from] as number;
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
