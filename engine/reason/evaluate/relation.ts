/**
 * The pairs of one predicate, each once, in the sequence in which they came: first the facts of the graph, then what rules
 * derive. So what a round has added is a range of rows, and what was there when it began are the rows before it.
 *
 *  1. A hash table over both columns finds a pair.
 *  2. An index of one column is a chain of rows for each of its numbers, newest row first; it is made when a join first
 *     asks for it, and kept. Links of a row never change, so that who follows a chain may go on while rows are added.
 */

import { extended } from './numbering.js';

const FIRST_ROWS = 64;
/** Heads are kept by number while numbers are at most so many times the rows. */
const DENSE_FACTOR = 8;

export type Side = 's' | 'o';

/** Chains of rows by the number that one column has. Rows are counted from 1; 0 ends a chain. */
export interface Chains {
  headOf(number: number): number;
  /** By row - 1: the next older row of the same number. */
  readonly next: Uint32Array;
}

export class Relation {
  s = new Uint32Array(FIRST_ROWS);
  o = new Uint32Array(FIRST_ROWS);
  count = 0;
  #slots = new Uint32Array(2 * FIRST_ROWS);
  readonly #indexes = new Map<Side, ChainIndex>();

  /** The row of the pair, which may be new: then it is `count - 1`. */
  add(s: number, o: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = hashOf(s, o) & mask;
    for (let slot = slots[at] as number; slot !== 0; slot = slots[at] as number) {
      if (this.s[slot - 1] === s && this.o[slot - 1] === o) return slot - 1;
      at = (at + 1) & mask;
    }
    if (this.count === this.s.length) {
      this.reserve(2 * this.count);
      return this.add(s, o);
    }
    const row = this.count++;
    this.s[row] = s;
    this.o[row] = o;
    slots[at] = row + 1;
    for (const index of this.#indexes.values()) index.append(row);
    return row;
  }

  /** -1 = it is not there. */
  find(s: number, o: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = hashOf(s, o) & mask;
    for (let slot = slots[at] as number; slot !== 0; slot = slots[at] as number) {
      if (this.s[slot - 1] === s && this.o[slot - 1] === o) return slot - 1;
      at = (at + 1) & mask;
    }
    return -1;
  }

  /** Room for so many rows. */
  reserve(rows: number): void {
    if (rows <= this.s.length) return;
    let length = this.s.length;
    while (length < rows) length *= 2;
    this.s = extended(this.s, length);
    this.o = extended(this.o, length);
    const slots = new Uint32Array(2 * length);
    const mask = slots.length - 1;
    for (let row = 0; row < this.count; row++) {
      let at = hashOf(this.s[row] as number, this.o[row] as number) & mask;
      while (slots[at] !== 0) at = (at + 1) & mask;
      slots[at] = row + 1;
    }
    this.#slots = slots;
    for (const index of this.#indexes.values()) index.extend(length);
  }

  /** The index of one column. `numbers`: more than any number that will be in it. */
  chains(side: Side, numbers: number): Chains {
    let index = this.#indexes.get(side);
    if (index === undefined) {
      index = new ChainIndex(() => (side === 's' ? this.s : this.o), numbers);
      this.#indexes.set(side, index);
      index.extend(this.s.length);
      for (let row = 0; row < this.count; row++) index.append(row);
    }
    return index;
  }

  get bytes(): number {
    let bytes = 4 * (this.s.length + this.o.length + this.#slots.length);
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
  readonly #column: () => Uint32Array;

  constructor(column: () => Uint32Array, numbers: number) {
    this.#column = column;
    this.#numbers = numbers;
  }

  headOf(number: number): number {
    return (this.#heads === null ? this.#sparse.get(number) : this.#heads[number]) ?? 0;
  }

  append(row: number): void {
    const number = this.#column()[row] as number;
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

function hashOf(s: number, o: number): number {
  const mixed = Math.imul(s, 0x9e3779b1) ^ Math.imul(o, 0x85ebca77);
  return mixed ^ (mixed >>> 15);
}
