/**
 * The rows of vectors by their entities, for filters that let few pass: a table by the term number of the entity tells its last
 * row, and each row the one of the same entity before it. So a filter costs by what it names, and not by how many rows there are.
 */

import type { ThreadMemory } from '../../../kernels/memory.js';

/** Numbers of the table for each row at most, so that it is no larger than a small part of the codes. */
const NUMBERS_A_ROW = 8;
const NUMBERS_LEAST = 65_536;
/** What the kernel says when all rows are in. */
const LINKED = 1;
/** More room than is needed, as a share, since rows and numbers only grow. */
const SPARE_SHARE = 1 / 16;

export class RowsByEntity {
  #first = 0;
  /** Numbers that the table has. */
  #count = 0;
  #last = 0;
  /** 0 while no entity has had a second row. */
  #before = 0;
  /** A bit for each number of the table; all 0. */
  #numberBits = 0;
  #room = 0;
  #rows = 0;

  constructor(private readonly memory: ThreadMemory) {}

  /** Takes in rows that have come, whose ids, u64, stand at an address. False where their numbers lie too far apart. */
  follow(ids: number, rows: number): boolean {
    if (rows <= this.#rows) return this.#count > 0;
    const { kernels } = this.memory;
    if (this.#count > 0 && rows <= this.#room) {
      if (this.#link(kernels.linkRows, ids, this.#rows, rows)) return true;
    }
    this.#forget();
    this.#rows = rows;
    const [least, most] = this.#span(ids, rows);
    const numbers = Math.ceil((most - least + 1) * (1 + SPARE_SHARE));
    if (numbers > NUMBERS_LEAST + NUMBERS_A_ROW * rows) return false;
    this.#first = least;
    this.#count = numbers;
    this.#room = Math.ceil(rows * (1 + SPARE_SHARE));
    this.#last = this.memory.allocate(4 * numbers);
    this.#numberBits = this.memory.allocate(bytesOfBits(numbers));
    this.memory.wordsAt(this.#last, numbers).fill(0);
    this.memory.bytes.fill(0, this.#numberBits, this.#numberBits + bytesOfBits(numbers));
    if (this.#link(kernels.linkRows, ids, 0, rows)) return true;
    // Some entity has a second row.
    this.memory.wordsAt(this.#last, numbers).fill(0);
    this.#before = this.memory.allocate(4 * this.#room);
    return this.#link(kernels.linkRows, ids, 0, rows);
  }

  #link(link: ThreadMemory['kernels']['linkRows'], ids: number, from: number, to: number): boolean {
    const isIn = link(ids, from, to, BigInt(this.#first), BigInt(this.#count), this.#last, this.#before) === LINKED;
    if (isIn) this.#rows = to;
    return isIn;
  }

  #forget(): void {
    if (this.#count === 0) return;
    this.memory.free(this.#last, 4 * this.#count);
    if (this.#before !== 0) this.memory.free(this.#before, 4 * this.#room);
    this.#before = 0;
    this.memory.free(this.#numberBits, bytesOfBits(this.#count));
    this.#count = 0;
  }

  #span(ids: number, rows: number): readonly [number, number] {
    const words = this.memory.wordsAt(ids, 2 * rows);
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    for (let row = 0; row < rows; row++) {
      const number = ((words[2 * row + 1] as number) & 0xffff) * 2 ** 32 + (words[2 * row] as number);
      if (number < least) least = number;
      if (number > most) most = number;
    }
    return [least, most];
  }

  /** Sets the bits of the rows below `rows` of some entities, whose ids stand at an address. */
  mark(ids: number, count: number, rows: number, bits: number): void {
    const { kernels } = this.memory;
    const [first, numbers] = [BigInt(this.#first), BigInt(this.#count)];
    kernels.markLinkedRows(ids, count, first, numbers, this.#last, this.#before, rows, this.#numberBits, bits);
  }
}

/** Of so many bits in whole words of 64. */
export function bytesOfBits(count: number): number {
  return 8 * Math.ceil(count / 64);
}
