/** Lines of facts as numbers: sorted by the ranks of their terms and the text of their transaction, put together, and hashed. */

import { formatInstant } from '../../base/instant.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { allocatePairs, freePairArrays, type PairArrays, sortPairArrays } from '../dictionary/hash-run.js';
import { INSTANT_BIAS, type TxId } from '../ids/layout.js';
import { JoinedLines, STEP_LINES } from './joined-lines.js';
import type { LineHash } from './line-hash.js';
import type { TermTexts } from './term-texts.js';

const HALF = 32;
/** No end, or no transaction. */
export const NONE = -1;

const LINE_COLUMNS = ['subject', 'predicate', 'object'] as const;

/** Sorts the lines of a part and hashes them. */
export class LineSorter {
  readonly #memory: ThreadMemory;
  readonly #hash: LineHash;
  #places: Readonly<Record<(typeof LINE_COLUMNS)[number], Uint32Array>> = emptyPlaces(0);
  /** tx, validFrom, validTo, retractedTx of each line; the last but one is -1 where it is open, the last where there is none. */
  #times = new Float64Array(0);
  #isRetraction = new Uint8Array(0);
  #count = 0;
  #sorted = new Uint32Array(0);

  constructor(memory: ThreadMemory, hash: LineHash) {
    this.#memory = memory;
    this.#hash = hash;
  }

  begin(): void {
    this.#count = 0;
  }

  get count(): number {
    return this.#count;
  }

  /** Frees the room for lines. */
  clear(): void {
    this.#count = 0;
    this.#places = emptyPlaces(0);
    this.#times = new Float64Array(0);
    this.#isRetraction = new Uint8Array(0);
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

  sort(by: LineOrder): void {
    const count = this.#count;
    const pairs = allocatePairs(this.#memory, count);
    const lines = this.#memory.wordsAt(pairs.values, count);
    for (let line = 0; line < count; line++) lines[line] = line;
    // From the least significant word of the key to the most significant: sorting keeps the sequence of equal ones.
    for (const fields of wordsOf(by)) this.#sortBy(pairs, fields, by);
    this.#sorted = this.#memory.wordsAt(pairs.values, count).slice();
    freePairArrays(this.#memory, pairs, count);
    this.#settleEqual();
  }

  #sortBy(pairs: PairArrays, fields: readonly Field[], { ranks, txRanks }: LineOrder): void {
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
          if (tx !== lastTx) lastRank = txRanks.get(tx) as number;
          lastTx = tx;
          rank = lastRank;
        } else rank = ranks[this.#places[name][line] as number] as number;
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
    const { subject, predicate, object } = this.#places;
    const times = this.#times;
    for (let i = 1; i < sorted.length; i++) {
      const line = sorted[i] as number;
      let to = i;
      for (; to > 0; to--) {
        const other = sorted[to - 1] as number;
        if (object[other] !== object[line] || subject[other] !== subject[line]) break;
        if (predicate[other] !== predicate[line] || times[4 * other] !== times[4 * line]) break;
        if (this.#tail(other) <= this.#tail(line)) break;
        sorted[to] = other;
      }
      if (to !== i) sorted[to] = line;
    }
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

  /** Hashes the lines as they were sorted, in steps. */
  async *hashAll(texts: TermTexts): AsyncGenerator<void, void> {
    const joining = new JoinedLines(this.#memory, texts, this.#hash);
    try {
      for (let from = 0; from < this.#count; from += STEP_LINES) {
        const to = Math.min(this.#count, from + STEP_LINES);
        this.#fill(joining, from, to, texts.numbers);
        await joining.hash(to - from);
        yield;
      }
      await joining.settle();
    } finally {
      joining.release();
    }
  }

  #fill(joining: JoinedLines, from: number, to: number, numbers: Uint32Array): void {
    const { subject, predicate, object } = this.#places;
    const [subjects, predicates, objects, tails] = joining.entries;
    joining.begin();
    let [last, tail] = [NONE, NONE];
    for (let i = from; i < to; i++) {
      const line = this.#sorted[i] as number;
      subjects[i - from] = numbers[subject[line] as number] as number;
      predicates[i - from] = numbers[predicate[line] as number] as number;
      objects[i - from] = numbers[object[line] as number] as number;
      if (last < 0 || !this.#hasTailOf(line, last)) tail = joining.addTail(this.#tail(line));
      tails[i - from] = tail;
      last = line;
    }
  }

  #hasTailOf(line: number, other: number): boolean {
    const times = this.#times;
    const [at, before] = [4 * line, 4 * other];
    return (
      times[at] === times[before] &&
      times[at + 1] === times[before + 1] &&
      times[at + 2] === times[before + 2] &&
      times[at + 3] === times[before + 3] &&
      this.#isRetraction[line] === this.#isRetraction[other]
    );
  }
}

/** Of each term its rank, by place; of each transaction that of the text of its number. */
export interface LineOrder {
  readonly ranks: Uint32Array;
  readonly txRanks: ReadonlyMap<TxId, number>;
}

export function rankTransactions(transactions: readonly TxId[]): ReadonlyMap<TxId, number> {
  // The comma that ends a number stands before every digit.
  const sorted = transactions.map((tx) => `${tx},`).sort();
  return new Map(sorted.map((text, rank) => [Number.parseInt(text, 10), rank]));
}

/** The fields of the key, put into words of 64 bits; the least significant word comes first. */
function wordsOf({ ranks, txRanks }: LineOrder): (readonly Field[])[] {
  const bits = bitsFor(ranks.length);
  const fields: Field[] = [
    ...LINE_COLUMNS.map((name) => ({ name, bits })),
    { name: 'tx', bits: bitsFor(txRanks.size) },
  ];
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
