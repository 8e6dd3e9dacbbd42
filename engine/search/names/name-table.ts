/**
 * The names of entities by hashes of their words: a text is gone through once, and from each beginning of a word as far as
 * its words begin some name. A hash leads to the names that have it; callers compare the texts.
 */

import { FoldedText } from '../text/fold-text.js';

const ROWS_AT_FIRST = 1024;
const PREFIX_ONLY = -1;
const NONE = -1;
const PRIME_A = 0x01000193;
const PRIME_B = 0x85ebca6b;
/** A hash has 53 bits: all of one half, and these of the other. */
const HIGH_BITS = 21;
/** Of an entry of a Map. */
const ENTRY_BYTES = 48;

export class NameTable {
  /** The newest row of each hash; `PREFIX_ONLY` for the beginnings of names. */
  readonly #heads = new Map<number, number>();
  #next = new Int32Array(ROWS_AT_FIRST);
  /** Halves of the entity, then of the label; a label of 0 stands for the local name of the IRI. */
  #ids = new Uint32Array(4 * ROWS_AT_FIRST);
  rows = 0;
  stale = 0;
  /** Words of texts that were looked up. */
  lookups = 0;

  /** Bytes of memory, as far as they are known. */
  get bytes(): number {
    return this.#heads.size * ENTRY_BYTES + this.#next.byteLength + this.#ids.byteLength;
  }

  /** A name of less than two characters is passed over. */
  add(ids: readonly [number, number, number, number], name: string): void {
    const folded = new FoldedText(name);
    if (folded.length < 2) return;
    if (this.rows === this.#next.length) this.#grow();
    const hash = new WordHash();
    for (let at = 0; at < folded.points.length; at++) {
      if (at > 0 && folded.isBound(at) && !this.#heads.has(hash.value)) this.#heads.set(hash.value, PREFIX_ONLY);
      hash.add(folded.points[at] as number);
    }
    const head = this.#heads.get(hash.value) ?? NONE;
    this.#next[this.rows] = head;
    this.#ids.set(ids, 4 * this.rows);
    this.#heads.set(hash.value, this.rows++);
  }

  /** The names that begin at a folded code point and end with a word, as `(row, end)`. */
  *at(text: FoldedText, from: number): Generator<readonly [row: number, end: number]> {
    const hash = new WordHash();
    for (let at = from; at < text.points.length; ) {
      hash.add(text.points[at++] as number);
      if (!text.isBound(at)) continue;
      this.lookups++;
      const head = this.#heads.get(hash.value);
      if (head === undefined) return;
      for (let row = head; row >= 0; row = this.#next[row] as number) yield [row, at];
    }
  }

  idsOf(row: number): Uint32Array {
    return this.#ids.subarray(4 * row, 4 * row + 4);
  }

  #grow(): void {
    const next = new Int32Array(2 * this.rows);
    next.set(this.#next);
    this.#next = next;
    const ids = new Uint32Array(8 * this.rows);
    ids.set(this.#ids);
    this.#ids = ids;
  }
}

class WordHash {
  #a = 0x811c9dc5;
  #b = 0x9747b28c;

  add(point: number): void {
    this.#a = Math.imul(this.#a ^ point, PRIME_A);
    this.#b = Math.imul(this.#b ^ (this.#b >>> 15) ^ point, PRIME_B);
  }

  get value(): number {
    return (this.#a >>> 0) * 2 ** HIGH_BITS + (this.#b >>> (32 - HIGH_BITS));
  }
}
