/**
 * Which rows of a run are dead: closed since the run was written. Blocks are immutable, so a death is
 * kept beside them, in one value of the database `directories` whose key the run's record names; a
 * value never changes under its key. Sparse: a block without dead rows takes no bytes.
 *
 * The value is sealed (`lmdb/sealed.ts`); behind the seal:
 *
 * | bytes   | meaning                                                                      |
 * |---------|------------------------------------------------------------------------------|
 * | 4       | blocks of the run                                                            |
 * | 4       | blocks m that have dead rows                                                 |
 * | 4       | dead rows                                                                    |
 * | 4 * m   | numbers of these blocks within the run, ascending, u32                       |
 * | 2 * m   | dead rows of each, u16                                                       |
 * | per block of the m, in order                                                           ||
 * | 2 * n   | n < 256: row numbers within the block, ascending, u16                        |
 * | 512     | n >= 256: a bit per row, row r in bit r mod 8 of byte r div 8                |
 */

import { invariant, SvcError } from '../../base/errors.js';
import { seal, unseal } from '../lmdb/sealed.js';
import { BATCH_ROWS } from '../seam/scan.js';

const HEADER_BYTES = 12;
const BITMAP_BYTES = BATCH_ROWS / 8;
/** From so many dead rows on a bitmap is no longer than a list. */
const BITMAP_ROWS_MIN = BITMAP_BYTES / 2;
const NONE = new Uint16Array(0);

/** Dead rows of one block, ascending. */
export interface DeadBlock {
  readonly block: number;
  readonly rows: Uint16Array;
}

export class DeletionVector {
  /** Blocks of the run. */
  readonly blocks: number;
  readonly rows: number;
  readonly #numbers: Uint32Array;
  readonly #lists: readonly Uint16Array[];
  /** Dead rows in the entries before each; one more than entries. */
  readonly #before: Float64Array;

  /** The entries ascend by block and none is empty. */
  constructor(blocks: number, entries: readonly DeadBlock[]) {
    this.blocks = blocks;
    this.#numbers = Uint32Array.from(entries, (entry) => entry.block);
    this.#lists = entries.map((entry) => entry.rows);
    this.#before = new Float64Array(entries.length + 1);
    entries.forEach((entry, i) => {
      this.#before[i + 1] = (this.#before[i] as number) + entry.rows.length;
    });
    this.rows = this.#before[entries.length] as number;
  }

  /** Dead rows of a block, ascending. */
  of(block: number): Uint16Array {
    const at = this.#at(block);
    return this.#numbers[at] === block ? (this.#lists[at] as Uint16Array) : NONE;
  }

  /** Dead rows in the blocks before a block and in the rows before a row of it. */
  before(block: number, row = 0): number {
    const at = this.#at(block);
    const inside = row > 0 && this.#numbers[at] === block ? countBelow(this.#lists[at] as Uint16Array, row) : 0;
    return (this.#before[at] as number) + inside;
  }

  entries(): DeadBlock[] {
    return this.#lists.map((rows, i) => ({ block: this.#numbers[i] as number, rows }));
  }

  /** The first entry whose block is not before a block. */
  #at(block: number): number {
    let low = 0;
    let high = this.#numbers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#numbers[middle] as number) < block) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function countBelow(list: Uint16Array, row: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as number) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The dead rows of a run and some more. A row dies once. */
export function withDead(old: DeletionVector | null, blocks: number, added: readonly DeadBlock[]): DeletionVector {
  const lists = new Map((old?.entries() ?? []).map((entry) => [entry.block, entry.rows]));
  for (const { block, rows } of added) {
    if (rows.length === 0) continue;
    invariant(block < blocks, `block ${block} is one of the run's ${blocks}`);
    lists.set(block, union(lists.get(block) ?? NONE, rows, block));
  }
  const entries = [...lists].sort((a, b) => a[0] - b[0]).map(([block, rows]) => ({ block, rows }));
  return new DeletionVector(blocks, entries);
}

function union(old: Uint16Array, added: Uint16Array, block: number): Uint16Array {
  const all = new Uint16Array(old.length + added.length);
  all.set(old);
  all.set(added, old.length);
  all.sort();
  for (let i = 1; i < all.length; i++) {
    invariant(all[i] !== all[i - 1], `row ${all[i]} of block ${block} was not dead yet`);
  }
  return all;
}

export function encodeDeletionVector(dead: DeletionVector): Buffer {
  const entries = dead.entries();
  const payload = entries.reduce((sum, { rows }) => sum + storedBytes(rows.length), 0);
  const out = Buffer.alloc(HEADER_BYTES + 6 * entries.length + payload);
  out.writeUInt32LE(dead.blocks, 0);
  out.writeUInt32LE(entries.length, 4);
  out.writeUInt32LE(dead.rows, 8);
  let at = HEADER_BYTES + 6 * entries.length;
  entries.forEach(({ block, rows }, i) => {
    out.writeUInt32LE(block, HEADER_BYTES + 4 * i);
    out.writeUInt16LE(rows.length, HEADER_BYTES + 4 * entries.length + 2 * i);
    if (rows.length < BITMAP_ROWS_MIN) {
      for (let k = 0; k < rows.length; k++) out.writeUInt16LE(rows[k] as number, at + 2 * k);
    } else {
      for (const row of rows) out[at + (row >>> 3)] = (out[at + (row >>> 3)] as number) | (1 << (row & 7));
    }
    at += storedBytes(rows.length);
  });
  return seal(out);
}

function storedBytes(rows: number): number {
  return rows < BITMAP_ROWS_MIN ? 2 * rows : BITMAP_BYTES;
}

/** Holds the value to its form: numbers ascend, counts agree, nothing is left over. */
export function decodeDeletionVector(value: Buffer | undefined, blocks: number, what: string): DeletionVector {
  const bytes = unseal(value, `the list of dead rows of ${what}`);
  const damaged = (): SvcError => new SvcError('store_corrupt', `the list of dead rows of ${what} is malformed`);
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== blocks) throw damaged();
  const count = bytes.readUInt32LE(4);
  let at = HEADER_BYTES + 6 * count;
  if (count > blocks || at > bytes.length) throw damaged();
  const entries: DeadBlock[] = [];
  let before = -1;
  for (let i = 0; i < count; i++) {
    const block = bytes.readUInt32LE(HEADER_BYTES + 4 * i);
    const dead = bytes.readUInt16LE(HEADER_BYTES + 4 * count + 2 * i);
    const end = at + storedBytes(dead);
    if (block <= before || block >= blocks || dead === 0 || dead > BATCH_ROWS || end > bytes.length) throw damaged();
    const rows = dead < BITMAP_ROWS_MIN ? readList(bytes, at, dead) : readBitmap(bytes.subarray(at, end), dead);
    if (rows === null) throw damaged();
    entries.push({ block, rows });
    before = block;
    at = end;
  }
  const dead = new DeletionVector(blocks, entries);
  if (at !== bytes.length || dead.rows !== bytes.readUInt32LE(8)) throw damaged();
  return dead;
}

function readList(bytes: Buffer, at: number, count: number): Uint16Array | null {
  const rows = new Uint16Array(count);
  for (let k = 0; k < count; k++) {
    const row = bytes.readUInt16LE(at + 2 * k);
    if (row >= BATCH_ROWS || (k > 0 && row <= (rows[k - 1] as number))) return null;
    rows[k] = row;
  }
  return rows;
}

function readBitmap(bits: Uint8Array, count: number): Uint16Array | null {
  const rows = new Uint16Array(count);
  let filled = 0;
  for (let row = 0; row < BATCH_ROWS; row++) {
    if ((((bits[row >>> 3] as number) >>> (row & 7)) & 1) === 0) continue;
    if (filled === count) return null;
    rows[filled++] = row;
  }
  return filled === count ? rows : null;
}
