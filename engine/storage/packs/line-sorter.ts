/** Lines of facts as numbers: sorted by the ranks of their terms and the text of their transaction, put together, and hashed. */

import type { Hash } from 'node:crypto';
import { formatInstant } from '../../base/instant.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { allocatePairs, freePairArrays, type PairArrays, sortPairArrays } from '../dictionary/hash-run.js';
import { INSTANT_BIAS, type TxId } from '../ids/layout.js';
import type { TermTexts } from './term-texts.js';

/** Bytes that are hashed at once. */
const CHUNK_BYTES = 1 << 20;
/** The longest end of a line, behind its terms. */
const TAIL_BYTES_MAX = 160;
const LINE_FRAME_BYTES = 8;
const HALF = 32;
/** No end, or no transaction. */
export const NONE = -1;

const LINE_COLUMNS = ['subject', 'predicate', 'object'] as const;

/** Sorts the lines of a part and hashes them. */
export class LineSorter {
  readonly #memory: ThreadMemory;
  readonly #texts: TermTexts;
  readonly #ranks: Uint32Array;
  /** Of each transaction its rank by the text of its number. */
  readonly #txRanks: ReadonlyMap<TxId, number>;
  readonly #bits: { readonly term: number; readonly tx: number };
  readonly #hash: Hash;
  #places: Readonly<Record<(typeof LINE_COLUMNS)[number], Uint32Array>> = emptyPlaces(0);
  /** tx, validFrom, validTo, retractedTx of each line; the last but one is -1 where it is open, the last where there is none. */
  #times = new Float64Array(0);
  #isRetraction = new Uint8Array(0);
  #count = 0;
  #sorted = new Uint32Array(0);
  #at = 0;
  #out = 0;
  #outBytes = 0;

  constructor(memory: ThreadMemory, texts: TermTexts, ranks: Uint32Array, transactions: readonly TxId[], hash: Hash) {
    this.#memory = memory;
    this.#texts = texts;
    this.#ranks = ranks;
    this.#hash = hash;
    const sorted = transactions.map((tx) => `${tx},`).sort();
    this.#txRanks = new Map(sorted.map((text, rank) => [Number.parseInt(text, 10), rank]));
    this.#bits = { term: bitsFor(ranks.length), tx: bitsFor(transactions.length) };
  }

  begin(): void {
    this.#count = 0;
    this.#at = 0;
  }

  /** Makes room for so many more lines. */
  reserve(lines: number): void {
    const needed = this.#count + lines;
    const held = this.#isRetraction.length;
    if (needed <= held) return;
    const size = Math.max(needed, 2 * held);
    const larger = emptyPlaces(size);
    for (const name of LINE_COLUMNS) larger[name].set(this.#places[name].subarray(0, this.#count));
    this.#places = larger;
    const times = new Float64Array(4 * size);
    times.set(this.#times.subarray(0, 4 * this.#count));
    this.#times = times;
    const retractions = new Uint8Array(size);
    retractions.set(this.#isRetraction.subarray(0, this.#count));
    this.#isRetraction = retractions;
  }

  add(
    subject: number,
    predicate: number,
    object: number,
    tx: number,
    validFrom: number,
    validTo: number,
    retractedTx: number,
  ): void {
    const line = this.#count++;
    this.#places.subject[line] = subject;
    this.#places.predicate[line] = predicate;
    this.#places.object[line] = object;
    this.#times[4 * line] = tx;
    this.#times[4 * line + 1] = validFrom;
    this.#times[4 * line + 2] = validTo;
    this.#times[4 * line + 3] = retractedTx;
    this.#isRetraction[line] = 0;
  }

  addRetraction(subject: number, predicate: number, object: number, tx: number, validFrom: number): void {
    this.add(subject, predicate, object, tx, validFrom, NONE, NONE);
    this.#isRetraction[this.#count - 1] = 1;
  }

  sort(): void {
    const count = this.#count;
    const pairs = allocatePairs(this.#memory, count);
    const lines = this.#memory.wordsAt(pairs.values, count);
    for (let line = 0; line < count; line++) lines[line] = line;
    // From the least significant word of the key to the most significant: sorting keeps the sequence of equal ones.
    for (const fields of this.#words()) this.#sortBy(pairs, fields);
    this.#sorted = this.#memory.wordsAt(pairs.values, count).slice();
    freePairArrays(this.#memory, pairs, count);
    this.#settleEqual();
  }

  /** The fields of the key, put into words of 64 bits; the least significant word comes first. */
  #words(): (readonly Field[])[] {
    const { term, tx } = this.#bits;
    const fields: Field[] = [...LINE_COLUMNS.map((name) => ({ name, bits: term })), { name: 'tx', bits: tx }];
    const words: Field[][] = [];
    let left = 0;
    for (const field of fields) {
      if (field.bits > left) {
        words.unshift([]);
        left = 2 * HALF;
      }
      (words[0] as Field[]).push(field);
      left -= field.bits;
    }
    return words;
  }

  #sortBy(pairs: PairArrays, fields: readonly Field[]): void {
    const count = this.#count;
    const keys = this.#memory.wordsAt(pairs.keys, 2 * count);
    const lines = this.#memory.wordsAt(pairs.values, count);
    let lastTx = NONE;
    let lastRank = 0;
    for (let i = 0; i < count; i++) {
      const line = lines[i] as number;
      let [low, high] = [0, 0];
      for (const { name, bits } of fields) {
        let rank: number;
        if (name === 'tx') {
          const tx = this.#times[4 * line] as number;
          if (tx !== lastTx) lastRank = this.#txRanks.get(tx) as number;
          lastTx = tx;
          rank = lastRank;
        } else rank = this.#ranks[this.#places[name][line] as number] as number;
        high = (high << bits) | (low >>> (HALF - bits));
        low = (low << bits) | rank;
      }
      keys[2 * i] = low;
      keys[2 * i + 1] = high;
    }
    sortPairArrays(this.#memory, pairs, count);
  }

  /** Lines that agree in all of their terms and the transaction come in the order of what follows. */
  #settleEqual(): void {
    const sorted = this.#sorted;
    for (let i = 1; i < sorted.length; i++) {
      const line = sorted[i] as number;
      let to = i;
      while (to > 0 && this.#isAfter(sorted[to - 1] as number, line)) {
        sorted[to] = sorted[to - 1] as number;
        to--;
      }
      sorted[to] = line;
    }
  }

  #isAfter(a: number, b: number): boolean {
    for (const name of LINE_COLUMNS) if (this.#places[name][a] !== this.#places[name][b]) return false;
    if (this.#times[4 * a] !== this.#times[4 * b]) return false;
    return this.#tail(a) > this.#tail(b);
  }

  /** What of a line comes behind its terms; ASCII. */
  #tail(line: number): string {
    const at = 4 * line;
    const [tx, validFrom, validTo, retractedTx] = [at, at + 1, at + 2, at + 3].map((i) => this.#times[i] as number) as [
      number,
      number,
      number,
      number,
    ];
    const end = validTo === NONE ? 'null' : `"${instantText(validTo)}"`;
    const op = this.#isRetraction[line] === 1 ? 'retract' : 'assert';
    const retracted = retractedTx === NONE ? 'null' : `${retractedTx}`;
    return `${tx},"${instantText(validFrom)}",${end},"${op}",${retracted}]\n`;
  }

  /** Hashes about as much as fits into the buffer; false when nothing was left. */
  hashSome(): boolean {
    if (this.#at >= this.#count) return false;
    if (this.#out === 0) this.#makeBuffer(CHUNK_BYTES);
    const { subject, predicate, object } = this.#places;
    const texts = this.#texts;
    const times = this.#times;
    let end = this.#out;
    let tail = Buffer.alloc(0);
    let [last, lastStart, lastTerms] = [NONE, 0, 0];
    for (; this.#at < this.#count; this.#at++) {
      const line = this.#sorted[this.#at] as number;
      const [s, p, o] = [subject[line] as number, predicate[line] as number, object[line] as number];
      const [oStart, oEnd] = [texts.start(o), texts.end(o)];
      const same = last >= 0 && subject[last] === s && predicate[last] === p;
      const head = same ? lastTerms : LINE_FRAME_BYTES + texts.end(s) - texts.start(s) + texts.end(p) - texts.start(p);
      const length = head + oEnd - oStart + TAIL_BYTES_MAX;
      if (end + length > this.#out + this.#outBytes) {
        if (end > this.#out) break;
        this.#makeBuffer(length);
        end = this.#out;
      }
      const { bytes } = this.#memory;
      const start = end;
      if (same) {
        bytes.copyWithin(end, lastStart, lastStart + lastTerms);
        end += lastTerms;
      } else {
        end += FACT.copy(bytes, end);
        bytes.copyWithin(end, texts.start(s), texts.end(s));
        end += texts.end(s) - texts.start(s);
        bytes.copyWithin(end, texts.start(p), texts.end(p));
        end += texts.end(p) - texts.start(p);
        lastTerms = end - start;
      }
      bytes.copyWithin(end, oStart, oEnd);
      end += oEnd - oStart;
      const [at, before] = [4 * line, 4 * last];
      const known =
        last >= 0 &&
        times[at] === times[before] &&
        times[at + 1] === times[before + 1] &&
        times[at + 2] === times[before + 2] &&
        times[at + 3] === times[before + 3] &&
        this.#isRetraction[line] === this.#isRetraction[last];
      if (!known) tail = Buffer.from(this.#tail(line), 'latin1');
      bytes.set(tail, end);
      end += tail.length;
      last = line;
      lastStart = start;
    }
    this.#hash.update(this.#memory.bytesAt(this.#out, end - this.#out));
    return true;
  }

  #makeBuffer(bytes: number): void {
    if (this.#out !== 0) this.#memory.free(this.#out, this.#outBytes);
    this.#out = this.#memory.allocate(bytes);
    this.#outBytes = bytes;
  }
}

const FACT = Buffer.from('["f",');

interface Field {
  readonly name: (typeof LINE_COLUMNS)[number] | 'tx';
  readonly bits: number;
}

function emptyPlaces(size: number): Record<(typeof LINE_COLUMNS)[number], Uint32Array> {
  return { subject: new Uint32Array(size), predicate: new Uint32Array(size), object: new Uint32Array(size) };
}

/** Bits of the numbers below `count`. */
function bitsFor(count: number): number {
  return Math.max(1, HALF - Math.clz32(Math.max(0, count - 1)));
}

const instants = new Map<number, string>();
const INSTANTS_MAX = 10_000;

/** Of a column value. */
function instantText(value: number): string {
  let text = instants.get(value);
  if (text === undefined) {
    if (instants.size >= INSTANTS_MAX) instants.clear();
    text = formatInstant(value - INSTANT_BIAS);
    instants.set(value, text);
  }
  return text;
}
