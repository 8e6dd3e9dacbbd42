/**
 * The facts of one property as pairs of node numbers, each once, in the order in which they came, with marks. An
 * open-addressing table finds a pair; who walks the rows while others are added meets those too.
 */

import { grown, hashOf } from './id-table.js';

const ROWS_AT_FIRST = 64;
const EMPTY = -1;

export class PairTable {
  s = new Uint32Array(ROWS_AT_FIRST);
  o = new Uint32Array(ROWS_AT_FIRST);
  marks = new Uint16Array(ROWS_AT_FIRST);
  count = 0;
  #table = new Int32Array(2 * ROWS_AT_FIRST).fill(EMPTY);

  /** Puts a mark on a pair, which is added when it is not there. Returns true when it was added. */
  mark(s: number, o: number, mark: number): boolean {
    const table = this.#table;
    const mask = table.length - 1;
    let slot = hashOf(s, o) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const row = table[slot] as number;
      if (row === EMPTY) break;
      if (this.s[row] === s && this.o[row] === o) {
        this.marks[row] = (this.marks[row] as number) | mark;
        return false;
      }
    }
    const row = this.count++;
    table[slot] = row;
    this.s[row] = s;
    this.o[row] = o;
    this.marks[row] = mark;
    if (this.count === this.s.length) this.#grow();
    return true;
  }

  /** The row of a pair; -1 when it is not there. */
  find(s: number, o: number): number {
    const table = this.#table;
    const mask = table.length - 1;
    for (let slot = hashOf(s, o) & mask; ; slot = (slot + 1) & mask) {
      const row = table[slot] as number;
      if (row === EMPTY || (this.s[row] === s && this.o[row] === o)) return row;
    }
  }

  #grow(): void {
    const size = 2 * this.s.length;
    this.s = grown(this.s, size);
    this.o = grown(this.o, size);
    const marks = new Uint16Array(size);
    marks.set(this.marks);
    this.marks = marks;
    const table = new Int32Array(2 * size).fill(EMPTY);
    const mask = table.length - 1;
    for (let row = 0; row < this.count; row++) {
      let slot = hashOf(this.s[row] as number, this.o[row] as number) & mask;
      while (table[slot] !== EMPTY) slot = (slot + 1) & mask;
      table[slot] = row;
    }
    this.#table = table;
  }
}
