/**
 * Triples by id, each once: columns of halves, and a table of open addresses over them. Who looks up sorted triples finds
 * most of them right behind the one that was found last, since what is added comes sorted, too; the table is made
 * when one is not there. A million triples take some forty megabytes.
 */

import { highOf, lowOf } from '../storage/ids/halves.js';
import type { TermId } from '../storage/ids/layout.js';
import type { IdColumn } from '../storage/seam/scan.js';

const CAPACITY_MIN = 1024;
/** Slots a triple. */
const SPACE = 2;
const EMPTY = -1;
/** Rows that are looked at before and behind the place that was found last. */
const BEFORE = 8;
const BEHIND = 12;

export class TripleIndex {
  rows = 0;
  s: IdColumn;
  p: IdColumn;
  o: IdColumn;
  /** Of each triple: bits that its owner sets. */
  marks: Uint8Array;
  /** Null until it is needed. */
  #slots: Int32Array | null = null;
  #last = 0;

  /** `distinct`: nothing will be added twice. */
  constructor(
    expected: number,
    private readonly distinct: boolean,
  ) {
    const capacity = capacityFor(expected);
    this.s = new Uint32Array(2 * capacity);
    this.p = new Uint32Array(2 * capacity);
    this.o = new Uint32Array(2 * capacity);
    this.marks = new Uint8Array(capacity);
  }

  /** Of triples in columns, which are distinct. */
  static over({ s, p, o }: Readonly<Record<'s' | 'p' | 'o', IdColumn>>, rows: number): TripleIndex {
    const index = new TripleIndex(rows, true);
    index.s.set(s.subarray(0, 2 * rows));
    index.p.set(p.subarray(0, 2 * rows));
    index.o.set(o.subarray(0, 2 * rows));
    index.rows = rows;
    return index;
  }

  /** False when it is there already. */
  add(s: TermId, p: TermId, o: TermId): boolean {
    if (this.rows === this.marks.length) this.#grow();
    const at = 2 * this.rows;
    this.s[at] = lowOf(s);
    this.s[at + 1] = highOf(s);
    this.p[at] = lowOf(p);
    this.p[at + 1] = highOf(p);
    this.o[at] = lowOf(o);
    this.o[at + 1] = highOf(o);
    if (this.distinct && this.#slots === null) {
      this.rows++;
      return true;
    }
    const slots = this.#table();
    const slot = this.#slotOf(slots, this.s, this.p, this.o, at);
    if (slots[slot] !== EMPTY) return false;
    slots[slot] = this.rows++;
    return true;
  }

  /** Where the triple in a row of other columns is; -1 = nowhere. */
  find(s: IdColumn, p: IdColumn, o: IdColumn, row: number): number {
    const at = 2 * row;
    const end = Math.min(this.rows, this.#last + BEHIND);
    for (let near = Math.max(0, this.#last - BEFORE); near < end; near++) {
      if (!this.#isAt(2 * near, s, p, o, at)) continue;
      this.#last = near;
      return near;
    }
    const slots = this.#table();
    const found = slots[this.#slotOf(slots, s, p, o, at)] as number;
    if (found !== EMPTY) this.#last = found;
    return found;
  }

  #table(): Int32Array {
    const capacity = SPACE * this.marks.length;
    if (this.#slots?.length === capacity) return this.#slots;
    const slots = new Int32Array(capacity).fill(EMPTY);
    for (let row = 0; row < this.rows; row++) slots[this.#slotOf(slots, this.s, this.p, this.o, 2 * row)] = row;
    this.#slots = slots;
    return slots;
  }

  /** The slot of a triple, or the empty one that it would take. */
  #slotOf(slots: Int32Array, s: IdColumn, p: IdColumn, o: IdColumn, at: number): number {
    const mask = slots.length - 1;
    for (let slot = hashOf(s, p, o, at) & mask; ; slot = (slot + 1) & mask) {
      const row = slots[slot] as number;
      if (row === EMPTY || this.#isAt(2 * row, s, p, o, at)) return slot;
    }
  }

  #isAt(own: number, s: IdColumn, p: IdColumn, o: IdColumn, at: number): boolean {
    return (
      this.o[own] === o[at] &&
      this.s[own] === s[at] &&
      this.p[own] === p[at] &&
      this.o[own + 1] === o[at + 1] &&
      this.s[own + 1] === s[at + 1] &&
      this.p[own + 1] === p[at + 1]
    );
  }

  #grow(): void {
    const capacity = 2 * this.marks.length;
    this.s = grown(this.s, 2 * capacity);
    this.p = grown(this.p, 2 * capacity);
    this.o = grown(this.o, 2 * capacity);
    const marks = new Uint8Array(capacity);
    marks.set(this.marks);
    this.marks = marks;
  }
}

/** A power of two. */
function capacityFor(rows: number): number {
  let capacity = CAPACITY_MIN;
  while (capacity < rows) capacity *= 2;
  return capacity;
}

function grown(column: IdColumn, length: number): IdColumn {
  const larger = new Uint32Array(length);
  larger.set(column);
  return larger;
}

function hashOf(s: IdColumn, p: IdColumn, o: IdColumn, at: number): number {
  let hash = Math.imul((s[at] as number) ^ Math.imul(s[at + 1] as number, 0x85ebca6b), 0x9e3779b1);
  hash = Math.imul((hash >>> 15) ^ hash ^ (p[at] as number) ^ (p[at + 1] as number), 0xc2b2ae35);
  hash = Math.imul((hash >>> 13) ^ hash ^ (o[at] as number) ^ Math.imul(o[at + 1] as number, 0x27d4eb2f), 0x165667b1);
  return (hash >>> 16) ^ hash;
}
