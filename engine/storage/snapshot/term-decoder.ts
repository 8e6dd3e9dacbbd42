/**
 * Ids to terms, and to the stored bytes of terms, for the snapshots of one thread.
 *
 * The ids that are in no cache are put in the order of their numbers, so that a block of the dictionary
 * is decoded once for all of them. Numbers of the dictionary's segments come first; those above are in
 * the delta and the stage, one by one.
 */

import { SvcError } from '../../base/errors.js';
import { type Term, terms } from '../../rdf/terms.js';
import type { DeltaTerms } from '../delta/delta-terms.js';
import { NumberOrder } from '../dictionary/number-order.js';
import type { DecodedTerms, DictionaryReader } from '../dictionary/reader.js';
import { storedTermsOf } from '../dictionary/stored-term.js';
import type { TermCache } from '../dictionary/term-cache.js';
import { inlineTermOfHalves } from '../ids/inline.js';
import { isDictionaryTag } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { Manifest } from '../runs/manifest.js';
import type { IdColumn, ScanCounters, StoredPart, StoredTerms } from '../seam/scan.js';

/** What a snapshot sees of the terms. */
export interface TermSource {
  readonly manifest: Manifest;
  readonly transaction: ReadTransaction;
  /** Terms that are in no segment yet. */
  readonly above: readonly Pick<DeltaTerms, 'has' | 'stored'>[];
  /** Terms from this number on may yet become others. */
  readonly provisional: number;
  readonly counters: ScanCounters;
}

const FIRST_CAPACITY = 64;

export class TermDecoder {
  readonly #dictionary: DictionaryReader;
  readonly #cache: TermCache;
  readonly #order = new NumberOrder();
  readonly #part = new Part();
  #missing = new Uint32Array(FIRST_CAPACITY);

  constructor(dictionary: DictionaryReader, cache: TermCache) {
    this.#dictionary = dictionary;
    this.#cache = cache;
  }

  decode(source: TermSource, ids: IdColumn, rows: number): Term[] {
    const cache = this.#cache;
    const out: Term[] = new Array(rows);
    if (this.#missing.length < rows) this.#missing = new Uint32Array(Math.max(rows, 2 * this.#missing.length));
    const missing = this.#missing;
    let count = 0;
    for (let row = 0; row < rows; row++) {
      const low = ids[2 * row] as number;
      const high = ids[2 * row + 1] as number;
      if (row > 0 && low === ids[2 * row - 2] && high === ids[2 * row - 1] && out[row - 1] !== undefined) {
        out[row] = out[row - 1] as Term;
        continue;
      }
      const known = cache.get(low, high);
      if (known !== undefined) out[row] = known;
      else if (high === 0 && low === 0) out[row] = terms.defaultGraph();
      else if (isDictionaryTag(high >>> 24)) missing[count++] = row;
      else {
        const term = inlineTermOfHalves(low, high);
        cache.set(low, high, term);
        out[row] = term;
      }
    }
    if (count > 0) this.#decodeMissing(source, ids, count, out);
    return out;
  }

  /** Literals of which only the qualifiers are read don't count as decoded. */
  stored(
    source: TermSource,
    ids: IdColumn,
    count: number,
    take: (terms: StoredTerms) => void,
    part: StoredPart = 'whole',
  ): void {
    this.#order.fill(ids, null, count);
    if (part === 'whole') source.counters.termsDecoded += this.#distinct();
    this.#read(source, part === 'qualifiers', take);
  }

  #decodeMissing(source: TermSource, ids: IdColumn, count: number, out: Term[]): void {
    const cache = this.#cache;
    this.#order.fill(ids, this.#missing, count);
    source.counters.termsDecoded += this.#distinct();
    this.#read(source, false, (stored) => {
      const made = storedTermsOf(stored);
      for (let i = 0; i < stored.count; i++) {
        const row = stored.places[i] as number;
        const low = ids[2 * row] as number;
        const high = ids[2 * row + 1] as number;
        const term = made[i] as Term;
        if (low + (high & 0xffff) * 2 ** 32 < source.provisional) cache.set(low, high, term);
        out[row] = term;
      }
    });
  }

  #distinct(): number {
    const { numbers, count } = this.#order;
    let distinct = 0;
    for (let i = 0; i < count; i++) if (i === 0 || numbers[i] !== numbers[i - 1]) distinct++;
    return distinct;
  }

  /** Hands out the terms of the numbers that are in order. */
  #read({ manifest, transaction, above }: TermSource, heads: boolean, take: (terms: StoredTerms) => void): void {
    const { numbers, places, count } = this.#order;
    let inSegments = count;
    while (inSegments > 0 && (numbers[inSegments - 1] as number) >= manifest.nextTermNumber) inSegments--;
    const part = this.#part;
    this.#dictionary.decodeBlocks(manifest, transaction, numbers, inSegments, heads, (decoded, from, to) => {
      part.ofBlock(decoded, places, from, to);
      take(part);
    });
    for (let i = inSegments; i < count; i++) {
      part.ofOne(storedAbove(above, numbers[i] as number), places[i] as number);
      take(part);
    }
  }
}

function storedAbove(above: TermSource['above'], number: number): Buffer {
  for (const held of above) if (held.has(number)) return held.stored(number);
  throw new SvcError('store_corrupt', `term ${number} is in no segment of the dictionary`);
}

const NO_BYTES = Buffer.alloc(0);
const START = Uint32Array.of(0);

/** The terms of one block, or a single one. */
class Part implements StoredTerms {
  count = 0;
  bytes: Buffer = NO_BYTES;
  places = new Uint32Array(FIRST_CAPACITY);
  starts = START;
  ends = START;
  readonly #end = new Uint32Array(1);

  ofBlock(terms: DecodedTerms, places: Uint32Array, from: number, to: number): void {
    this.bytes = terms.bytes;
    this.starts = terms.starts;
    this.ends = terms.ends;
    this.count = to - from;
    if (this.count > this.places.length) this.places = new Uint32Array(Math.max(this.count, 2 * this.places.length));
    for (let i = from; i < to; i++) this.places[i - from] = places[i] as number;
  }

  ofOne(stored: Buffer, place: number): void {
    this.bytes = stored;
    this.starts = START;
    this.ends = this.#end;
    this.count = 1;
    this.places[0] = place;
    this.#end[0] = stored.length;
  }
}
