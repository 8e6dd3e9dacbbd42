/**
 * The directory of a run: what each block holds. It answers where a key is, how many rows a range
 * has, and whether a block can be skipped (zone map), without touching blocks.
 *
 * Stored as one value per 4,096 blocks in the database `directories`:
 *
 * | bytes        | meaning                                                        |
 * |--------------|----------------------------------------------------------------|
 * | 4            | checksum of the rest                                           |
 * | 4            | blocks n                                                       |
 * | 8 * ceil(n/2)| rows of each block, u32                                        |
 * | 4 * 8n       | first key, four columns in the order's sequence, u64            |
 * | 4 * 8n       | last key                                                       |
 * | 8 * 8n       | least value of each of the eight columns                        |
 * | 8 * 8n       | greatest value                                                 |
 */

import { SvcError } from '../../base/errors.js';

export const DIRECTORY_BLOCKS = 4096;
const KEY_COLUMNS = 4;
const COLUMN_COUNT = 8;
const ARRAYS = 2 * KEY_COLUMNS + 2 * COLUMN_COUNT;

/** u64 values as halves, low first. */
export type Halves = Uint32Array;

/** 32-bit mix of bytes, a multiple of 4 long. */
function mix(bytes: Uint8Array): number {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
  let h = 0x811c9dc5;
  for (let i = 0; i < words.length; i++) {
    h = Math.imul(h ^ (words[i] as number), 0x9e3779b1);
    h ^= h >>> 15;
  }
  return h >>> 0;
}

export class RunDirectory {
  readonly blocks: number;
  readonly rows: Uint32Array;
  /** Rows before each block; one entry more than blocks. */
  readonly rowsBefore: Float64Array;
  readonly first: readonly Halves[];
  readonly last: readonly Halves[];
  readonly least: readonly Halves[];
  readonly greatest: readonly Halves[];

  constructor(blocks: number) {
    this.blocks = blocks;
    this.rows = new Uint32Array(blocks);
    this.rowsBefore = new Float64Array(blocks + 1);
    const halves = (): Halves => new Uint32Array(2 * blocks);
    this.first = Array.from({ length: KEY_COLUMNS }, halves);
    this.last = Array.from({ length: KEY_COLUMNS }, halves);
    this.least = Array.from({ length: COLUMN_COUNT }, halves);
    this.greatest = Array.from({ length: COLUMN_COUNT }, halves);
  }

  get arrays(): readonly Halves[] {
    return [...this.first, ...this.last, ...this.least, ...this.greatest];
  }

  get bytes(): number {
    return this.blocks * (4 + 8 + 8 * ARRAYS);
  }

  sumRows(): void {
    let total = 0;
    for (let i = 0; i < this.blocks; i++) {
      this.rowsBefore[i] = total;
      total += this.rows[i] as number;
    }
    this.rowsBefore[this.blocks] = total;
  }
}

/** One stored value from entries `[from, to)`. */
export function encodeDirectory(directory: RunDirectory, from: number, to: number): Buffer {
  const n = to - from;
  const rowWords = 2 * Math.ceil(n / 2);
  const words = new Uint32Array(2 + rowWords + ARRAYS * 2 * n);
  words[1] = n;
  words.set(directory.rows.subarray(from, to), 2);
  let at = 2 + rowWords;
  for (const array of directory.arrays) {
    words.set(array.subarray(2 * from, 2 * to), at);
    at += 2 * n;
  }
  const bytes = Buffer.from(words.buffer);
  words[0] = mix(bytes.subarray(4));
  return bytes;
}

/** Joins the stored values of a run of `blocks` blocks. */
export function decodeDirectory(values: readonly Buffer[], blocks: number, what: string): RunDirectory {
  const directory = new RunDirectory(blocks);
  let from = 0;
  for (const value of values) {
    const copy = Uint8Array.from(value);
    const words = new Uint32Array(copy.buffer, 0, copy.length >>> 2);
    const n = words[1] ?? 0;
    const rowWords = 2 * Math.ceil(n / 2);
    if (
      copy.length < 8 ||
      copy.length % 4 !== 0 ||
      from + n > blocks ||
      words.length !== 2 + rowWords + ARRAYS * 2 * n ||
      mix(copy.subarray(4)) !== words[0]
    ) {
      throw new SvcError('store_corrupt', `the directory of ${what} is damaged`);
    }
    directory.rows.set(words.subarray(2, 2 + n), from);
    let at = 2 + rowWords;
    for (const array of directory.arrays) {
      array.set(words.subarray(at, at + 2 * n), 2 * from);
      at += 2 * n;
    }
    from += n;
  }
  if (from !== blocks) throw new SvcError('store_corrupt', `the directory of ${what} is incomplete`);
  directory.sumRows();
  return directory;
}

/** Negative, zero, positive as entry i of `halves` is less than, equal to, greater than the value. */
export function compareHalves(halves: Halves, i: number, low: number, high: number): number {
  const h = halves[2 * i + 1] as number;
  if (h !== high) return h < high ? -1 : 1;
  const l = halves[2 * i] as number;
  return l === low ? 0 : l < low ? -1 : 1;
}

/** A key prefix as halves: `[low0, high0, low1, high1, ...]`. */
export type KeyPrefix = ArrayLike<number>;

/** The key columns of the first or last rows of blocks (`first`, `last`) against a key. */
export function compareKey(columns: readonly Halves[], block: number, key: KeyPrefix, depth: number): number {
  for (let d = 0; d < depth; d++) {
    const c = compareHalves(columns[d] as Halves, block, key[2 * d] as number, key[2 * d + 1] as number);
    if (c !== 0) return c;
  }
  return 0;
}

/** The first block whose last key is not less than the prefix: where rows >= prefix begin. */
export function firstBlockNotBefore(directory: RunDirectory, key: KeyPrefix, depth: number, from = 0): number {
  let low = from;
  let high = directory.blocks;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKey(directory.last, middle, key, depth) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first block whose first key is not less than the prefix: no row < prefix from there on. */
export function firstBlockFrom(directory: RunDirectory, key: KeyPrefix, depth: number, from = 0): number {
  let low = from;
  let high = directory.blocks;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKey(directory.first, middle, key, depth) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `firstBlockNotBefore` for keys that ascend: gallops from the block of the last one. */
export function gallopNotBefore(directory: RunDirectory, key: KeyPrefix, depth: number, from: number): number {
  let low = from;
  let high = from;
  for (let step = 1; high < directory.blocks && compareKey(directory.last, high, key, depth) < 0; step *= 2) {
    low = high + 1;
    high += step;
  }
  high = Math.min(high, directory.blocks);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKey(directory.last, middle, key, depth) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first block from `from` on whose last key is greater than the prefix. */
export function firstBlockAbove(directory: RunDirectory, key: KeyPrefix, depth: number, from: number): number {
  let low = from;
  let high = directory.blocks;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKey(directory.last, middle, key, depth) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
