/**
 * The pairs of one predicate, each once, in the sequence in which they came: first the facts of the graph, then what rules
 * derive. So what a round has added is a range of rows, and what was there when it began are the rows before it.
 *
 *  1. A hash table over both columns finds a pair. Rows that are known to be new are appended without it, and come into it when
 *     a pair is next asked for.
 *  2. An index of one column is a chain of rows for each of its numbers, newest row first; it is made when a join first
 *     asks for it, and kept. Links of a row never change, so that who follows a chain may go on while rows are added.
 */

import { invariant } from '../../base/errors.js';
import { extended } from './numbering.js';

const FIRST_ROWS = 64;
/** Heads are kept by number while numbers are at most so many times the rows. */
const DENSE_FACTOR = 8;

/** Slots of the hash table that make a line of the cache. */
const LINE_BITS = 4;
const LINE_MASK = (1 << LINE_BITS) - 1;
/** To the next line, and another place in it, so that all slots are visited. */
const STRIDE = (1 << LINE_BITS) + 1;

export type Side = 's' | 'o';

/** Chains of rows by the number that one column has. Rows are counted from 1; 0 ends a chain. */
export interface Chains {
  headOf(number: number): number;
  /** By row - 1: the next older row of the same number. */
  readonly next: Uint32Array;
}

export class Relation {
  /** Subject and object of each row, side by side, so that looking at a pair touches memory once. */
  pairs = new Uint32Array(2 * FIRST_ROWS);
  count = 0;
  #slots = new Uint32Array(2 * FIRST_ROWS);
  /** Rows that the table knows. */
  #hashed = 0;
  readonly #indexes = new Map<Side, ChainIndex>();

  /** The row of the pair, which may be new: then it is `count - 1`. */
  add(s: number, o: number): number {
    if (this.#hashed !== this.count) this.#hash();
    const slots = this.#slots;
    const pairs = this.pairs;
    const mask = slots.length - 1;
    let at = hashOf(s, o) & mask;
    for (let slot = slots[at] as number; slot !== 0; slot = slots[at] as number) {
      if (pairs[2 * slot - 2] === s && pairs[2 * slot - 1] === o) return slot - 1;
      at = (at + STRIDE) & mask;
    }
    if (2 * this.count === pairs.length) {
      this.reserve(2 * this.count);
      this.#hash();
      return this.add(s, o);
    }
    const row = this.count++;
    pairs[2 * row] = s;
    pairs[2 * row + 1] = o;
    slots[at] = row + 1;
    this.#hashed = this.count;
    for (const index of this.#indexes.values()) index.append(row);
    return row;
  }

  /** Told which pairs are about to be looked for, where that saves it something; see `looksAhead`. */
  expect(_pairs: Relation): void {
    // All pairs are at hand.
  }

  /** Whether `expect` does anything. */
  get looksAhead(): boolean {
    return false;
  }

  /** Takes all pairs out; without indexes. */
  clear(): void {
    this.count = 0;
    this.#hashed = 0;
    this.#slots.fill(0);
    this.#indexes.clear();
  }

  /** About how many rows it has, for an order of joins. */
  get size(): number {
    return this.count;
  }

  /** How many rows it has when all of them are looked at. */
  whole(): number {
    return this.count;
  }

  /** The row of a pair that is known not to be there. */
  append(s: number, o: number): number {
    if (2 * this.count === this.pairs.length) this.reserve(2 * this.count);
    const row = this.count++;
    this.pairs[2 * row] = s;
    this.pairs[2 * row + 1] = o;
    for (const index of this.#indexes.values()) index.append(row);
    return row;
  }

  /** -1 = it is not there. */
  find(s: number, o: number): number {
    if (this.#hashed !== this.count) this.#hash();
    const slots = this.#slots;
    const pairs = this.pairs;
    const mask = slots.length - 1;
    let at = hashOf(s, o) & mask;
    for (let slot = slots[at] as number; slot !== 0; slot = slots[at] as number) {
      if (pairs[2 * slot - 2] === s && pairs[2 * slot - 1] === o) return slot - 1;
      at = (at + STRIDE) & mask;
    }
    return -1;
  }

  /**
   * Sorts rows that nobody has looked for yet by their subjects, which are below `numbers`; stable. What joins derive of them comes
   * subject by subject, too, and finds its pairs near each other in memory.
   */
  sortBySubject(numbers: number): void {
    invariant(this.#hashed === 0 && this.#indexes.size === 0, 'a relation is sorted before it is asked');
    const { pairs, count } = this;
    const next = new Uint32Array(numbers + 1);
    for (let row = 0; row < count; row++) (next[(pairs[2 * row] as number) + 1] as number)++;
    for (let number = 0; number < numbers; number++) (next[number + 1] as number) += next[number] as number;
    const sorted = new Uint32Array(pairs.length);
    for (let row = 0; row < count; row++) {
      const s = pairs[2 * row] as number;
      const to = next[s]++ as number;
      sorted[2 * to] = s;
      sorted[2 * to + 1] = pairs[2 * row + 1] as number;
    }
    this.pairs = sorted;
  }

  /** Room for so many rows. */
  reserve(rows: number): void {
    let length = this.pairs.length / 2;
    if (rows <= length) return;
    while (length < rows) length *= 2;
    this.pairs = extended(this.pairs, 2 * length);
    for (const index of this.#indexes.values()) index.extend(length);
  }

  /** Puts the rows that came last into the table, which has room for those that are to come. */
  #hash(): void {
    const { pairs } = this;
    if (this.#slots.length < pairs.length) {
      this.#slots = new Uint32Array(pairs.length);
      this.#hashed = 0;
    }
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let row = this.#hashed; row < this.count; row++) {
      let at = hashOf(pairs[2 * row] as number, pairs[2 * row + 1] as number) & mask;
      while (slots[at] !== 0) at = (at + STRIDE) & mask;
      slots[at] = row + 1;
    }
    this.#hashed = this.count;
  }

  /** The index of one column. `numbers`: more than any number that will be in it. */
  chains(side: Side, numbers: number): Chains {
    let index = this.#indexes.get(side);
    if (index === undefined) {
      index = new ChainIndex(() => this.pairs, side === 's' ? 0 : 1, numbers);
      this.#indexes.set(side, index);
      index.extend(this.pairs.length / 2);
      for (let row = 0; row < this.count; row++) index.append(row);
    }
    return index;
  }

  get bytes(): number {
    let bytes = 4 * (this.pairs.length + this.#slots.length);
    for (const index of this.#indexes.values()) bytes += index.bytes;
    return bytes;
  }
}

class ChainIndex implements Chains {
  next: Uint32Array = new Uint32Array(0);
  #heads: Uint32Array | null = null;
  /** Where there are many more numbers than rows. */
  #sparse = new Map<number, number>();
  readonly #numbers: number;
  readonly #pairs: () => Uint32Array;
  readonly #position: 0 | 1;

  constructor(pairs: () => Uint32Array, position: 0 | 1, numbers: number) {
    this.#pairs = pairs;
    this.#position = position;
    this.#numbers = numbers;
  }

  headOf(number: number): number {
    return (this.#heads === null ? this.#sparse.get(number) : this.#heads[number]) ?? 0;
  }

  append(row: number): void {
    const number = this.#pairs()[2 * row + this.#position] as number;
    const heads = this.#heads;
    if (heads === null) {
      this.next[row] = this.#sparse.get(number) ?? 0;
      this.#sparse.set(number, row + 1);
    } else {
      this.next[row] = heads[number] as number;
      heads[number] = row + 1;
    }
  }

  extend(rows: number): void {
    this.next = extended(this.next, rows);
    if (this.#heads !== null || this.#numbers > DENSE_FACTOR * rows) return;
    const heads = new Uint32Array(this.#numbers);
    for (const [number, row] of this.#sparse) heads[number] = row;
    this.#heads = heads;
    this.#sparse = new Map();
  }

  get bytes(): number {
    return 4 * (this.next.length + (this.#heads?.length ?? 0)) + 48 * this.#sparse.size;
  }
}

/** Pairs of one subject whose objects are near each other share a line of the table: joins find them one after the other. */
function hashOf(s: number, o: number): number {
  const subject = Math.imul(s, 0x9e3779b1);
  const mixed = subject ^ Math.imul(o >>> LINE_BITS, 0x85ebca77);
  return ((mixed ^ (mixed >>> 15)) << LINE_BITS) | ((o ^ (subject >>> 16)) & LINE_MASK);
}
