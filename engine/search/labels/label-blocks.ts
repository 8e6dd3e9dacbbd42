/**
 * The order of a table of labels, and its blocks: what bounds all labels of a block at once.
 *
 * 1. Labels are put into buckets by the slot of their first code point and by their length.
 * 2. In a bucket they are sorted by the bits of their signatures, those first that split it best.
 * 3. A block is up to 64 neighbours of a bucket: the bits that some of them have, and those that all have.
 */

import { bitsOf, boundOf, WORDS } from './label-signature.js';

const BLOCK_ROWS = 64;
/** Labels of this length and longer ones share a bucket. */
const LENGTH_MAX = 63;
const FIRST_SLOTS = 128;
const LENGTHS = LENGTH_MAX + 1;
const BITS = 32 * WORDS;
/** Of the key of a sort: so many bits of the signature above the place. */
const KEY_BITS = 24;
const PLACES = 2 ** 28;
/** The prefix that counts, where the first code points may be the same. */
const PREFIX_MAX = 4;

/** What the order is made of; `starts[row + 1]` is where the code points of a row end. */
export interface LabelColumns {
  readonly rows: number;
  readonly starts: Uint32Array;
  readonly points: Uint32Array;
  readonly signatures: Int32Array;
}

/** Of a label without code points 0. */
export function firstSlot(points: Uint32Array, start: number, end: number): number {
  return start === end ? 0 : (points[start] as number) & (FIRST_SLOTS - 1);
}

/** Rows in the order of their buckets, and where each bucket begins. */
function bucketed({ rows, starts, points }: LabelColumns): { order: Uint32Array; begins: Uint32Array } {
  const bucketOf = (row: number): number => {
    const [start, end] = [starts[row] as number, starts[row + 1] as number];
    return firstSlot(points, start, end) * LENGTHS + Math.min(LENGTH_MAX, end - start);
  };
  const begins = new Uint32Array(FIRST_SLOTS * LENGTHS + 1);
  for (let row = 0; row < rows; row++) {
    const next = bucketOf(row) + 1;
    begins[next] = (begins[next] as number) + 1;
  }
  for (let bucket = 1; bucket < begins.length; bucket++) {
    begins[bucket] = (begins[bucket] as number) + (begins[bucket - 1] as number);
  }
  const order = new Uint32Array(rows);
  const next = begins.slice();
  for (let row = 0; row < rows; row++) {
    const bucket = bucketOf(row);
    const place = next[bucket] as number;
    order[place] = row;
    next[bucket] = place + 1;
  }
  return { order, begins };
}

/** The bits that split some rows best, the best first. */
function splittingBits(order: Uint32Array, signatures: Int32Array): number[] {
  const counts = new Float64Array(BITS);
  for (const row of order) {
    for (let word = 0; word < WORDS; word++) {
      for (let left = signatures[WORDS * row + word] as number; left !== 0; left &= left - 1) {
        const bit = 32 * word + 31 - Math.clz32(left & -left);
        counts[bit] = (counts[bit] as number) + 1;
      }
    }
  }
  const half = order.length / 2;
  const away = (bit: number): number => Math.abs((counts[bit] as number) - half);
  return Array.from({ length: BITS }, (_, bit) => bit)
    .sort((a, b) => away(a) - away(b))
    .slice(0, KEY_BITS);
}

function sortBucket(order: Uint32Array, signatures: Int32Array): void {
  const bits = splittingBits(order, signatures);
  const keys = new Float64Array(order.length);
  for (const [at, row] of order.entries()) {
    let key = 0;
    for (const bit of bits) {
      key = 2 * key + (((signatures[WORDS * row + (bit >>> 5)] as number) >>> (bit & 31)) & 1);
    }
    keys[at] = key * PLACES + at;
  }
  keys.sort();
  const sorted = order.slice();
  for (let at = 0; at < keys.length; at++) order[at] = sorted[(keys[at] as number) % PLACES] as number;
}

/** The rows in their order. */
export function orderOf(columns: LabelColumns): Uint32Array {
  const { order, begins } = bucketed(columns);
  for (let bucket = 0; bucket + 1 < begins.length; bucket++) {
    const [from, to] = [begins[bucket] as number, begins[bucket + 1] as number];
    if (to - from > BLOCK_ROWS) sortBucket(order.subarray(from, to), columns.signatures);
  }
  return order;
}

/** The blocks of a table whose rows stand in their order. */
export class LabelBlocks {
  readonly count: number;
  /** The first row of each block; the next one's is its end. */
  readonly begins: Uint32Array;
  readonly #first: Uint8Array;
  readonly #shortest: Uint32Array;
  readonly #longest: Uint32Array;
  readonly #some: Int32Array;
  readonly #all: Int32Array;

  constructor({ rows, starts, points, signatures }: LabelColumns) {
    const begins: number[] = [];
    const first: number[] = [];
    let [slot, length] = [-1, -1];
    for (let row = 0; row < rows; row++) {
      const [start, end] = [starts[row] as number, starts[row + 1] as number];
      const [ownSlot, ownLength] = [firstSlot(points, start, end), Math.min(LENGTH_MAX, end - start)];
      const isFull = row - (begins.at(-1) ?? 0) >= BLOCK_ROWS;
      if (row > 0 && !isFull && ownSlot === slot && ownLength === length) continue;
      begins.push(row);
      first.push(ownSlot);
      [slot, length] = [ownSlot, ownLength];
    }
    this.count = begins.length;
    this.begins = Uint32Array.from([...begins, rows]);
    this.#first = Uint8Array.from(first);
    this.#shortest = new Uint32Array(this.count).fill(0xffffffff);
    this.#longest = new Uint32Array(this.count);
    this.#some = new Int32Array(WORDS * this.count);
    this.#all = new Int32Array(WORDS * this.count).fill(-1);
    for (let block = 0; block < this.count; block++) {
      for (let row = this.begins[block] as number; row < (this.begins[block + 1] as number); row++) {
        const rowLength = (starts[row + 1] as number) - (starts[row] as number);
        if (rowLength < (this.#shortest[block] as number)) this.#shortest[block] = rowLength;
        if (rowLength > (this.#longest[block] as number)) this.#longest[block] = rowLength;
        for (let word = 0; word < WORDS; word++) {
          const bits = signatures[WORDS * row + word] as number;
          const at = WORDS * block + word;
          this.#some[at] = (this.#some[at] as number) | bits;
          this.#all[at] = (this.#all[at] as number) & bits;
        }
      }
    }
  }

  /** How long a common prefix that counts may be, with a name of this first slot. */
  prefixOf(block: number, slot: number): number {
    return this.#first[block] === slot ? PREFIX_MAX : 0;
  }

  /** No label of the block scores more against a name of this length, first slot and signature. */
  bound(block: number, length: number, slot: number, signature: Int32Array): number {
    if (length === 0) return 1;
    const [shortest, longest] = [this.#shortest[block] as number, this.#longest[block] as number];
    const prefix = this.prefixOf(block, slot);
    let [mine, theirs] = [length, longest];
    for (let word = 0; word < WORDS; word++) {
      const own = signature[word] as number;
      const at = WORDS * block + word;
      mine -= bitsOf(own & ~(this.#some[at] as number));
      theirs -= bitsOf((this.#all[at] as number) & ~own);
    }
    return boundOf(Math.min(mine, theirs), length, Math.max(1, shortest), prefix);
  }

  get bytes(): number {
    return this.begins.byteLength + this.count * (1 + 8 + 8 * WORDS);
  }
}
