/** A set of small numbers as a bitmap that grows, counted against the query's budget before it does. */

import type { MemoryCounter } from '../../runtime/memory.js';

const FIRST_WORDS = 8;

export class BitSet {
  words: Uint32Array = new Uint32Array(0);

  constructor(private readonly budget: MemoryCounter) {}

  /** Makes room for the numbers below `size`. */
  reserve(size: number): void {
    const needed = (size + 31) >>> 5;
    if (needed <= this.words.length) return;
    const grown = Math.max(FIRST_WORDS, needed, Math.min(2 * this.words.length, needed + (needed >>> 1)));
    this.budget.take(4 * (grown - this.words.length));
    const words = new Uint32Array(grown);
    words.set(this.words);
    this.words = words;
  }

  has(number: number): boolean {
    return (((this.words[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;
  }

  /** There must be room. */
  add(number: number): void {
    const word = number >>> 5;
    this.words[word] = (this.words[word] as number) | (1 << (number & 31));
  }

  /** Takes out the members, which `data[0..count)` lists, perhaps with others. */
  remove(data: Int32Array, count: number): void {
    const { words } = this;
    if (count >= words.length) words.fill(0);
    else for (let at = 0; at < count; at++) words[(data[at] as number) >>> 5] = 0;
  }

  release(): void {
    this.budget.give(4 * this.words.length);
    this.words = new Uint32Array(0);
  }
}
