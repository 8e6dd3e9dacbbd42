/**
 * A hash index over the rows of a row store: open addressing with linear probing over row numbers,
 * at most half full, and a chain through the rows of equal keys. The hash of each row is kept, so
 * that a probe rarely touches the columns of a row that does not match.
 */

import type { IdColumn } from '../../storage/scan.js';
import { hashRow, sameId } from './ids.js';
import type { MemoryBudget } from './memory.js';
import type { RowStore } from './row-store.js';

const EMPTY = -1;
const FIRST_SLOTS = 1024;

export class RowIndex {
  /** slot -> first row of a key */
  private slots = new Int32Array(FIRST_SLOTS).fill(EMPTY);
  private hashes = new Int32Array(0);
  /** row -> next row of the same key */
  private chain = new Int32Array(0);
  private keysHeld = 0;
  private accounted = 0;

  constructor(
    private readonly store: RowStore,
    /** Columns of the store that make the key. */
    private readonly keys: readonly number[],
    private readonly budget: MemoryBudget,
  ) {
    this.account();
  }

  /** The first row of the store whose key equals the given columns of `row`; -1 when there is none. */
  find(columns: readonly IdColumn[], keys: readonly number[], row: number): number {
    return this.findHashed(columns, keys, row, hashRow(columns, keys, row));
  }

  /** The next row of the same key; -1 at the end. */
  nextRow(row: number): number {
    return this.chain[row] as number;
  }

  /** Finds the key, or appends the row to the store as the first of its key. */
  findOrAppend(columns: readonly IdColumn[], keys: readonly number[], sources: readonly number[], row: number): number {
    const hash = hashRow(columns, keys, row);
    const found = this.findHashed(columns, keys, row, hash);
    if (found !== EMPTY) return found;
    this.store.appendRow(columns, sources, row);
    this.insertHashed(this.store.rows - 1, hash);
    return this.store.rows - 1;
  }

  /** Adds a row that stands in the store already; rows of equal keys are chained, in no order. */
  insert(row: number): void {
    this.insertHashed(row, hashRow(this.store.columns, this.keys, row));
  }

  release(): void {
    this.slots = new Int32Array(0);
    this.hashes = new Int32Array(0);
    this.chain = new Int32Array(0);
    this.account();
  }

  private findHashed(columns: readonly IdColumn[], keys: readonly number[], row: number, hash: number): number {
    const mask = this.slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const candidate = this.slots[slot] as number;
      if (candidate === EMPTY) return EMPTY;
      if (this.hashes[candidate] === hash && this.sameKey(columns, keys, row, candidate)) return candidate;
    }
  }

  private sameKey(columns: readonly IdColumn[], keys: readonly number[], row: number, candidate: number): boolean {
    for (let key = 0; key < keys.length; key++) {
      const mine = this.store.columns[this.keys[key] as number] as IdColumn;
      if (!sameId(columns[keys[key] as number] as IdColumn, row, mine, candidate)) return false;
    }
    return true;
  }

  private insertHashed(row: number, hash: number): void {
    this.reserveRows(row + 1);
    if (2 * this.keysHeld >= this.slots.length) this.growSlots();
    this.hashes[row] = hash;
    this.chain[row] = EMPTY;
    const mask = this.slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const candidate = this.slots[slot] as number;
      if (candidate === EMPTY) {
        this.slots[slot] = row;
        this.keysHeld++;
        return;
      }
      if (this.hashes[candidate] === hash && this.sameKey(this.store.columns, this.keys, row, candidate)) {
        this.chain[row] = this.chain[candidate] as number;
        this.chain[candidate] = row;
        return;
      }
    }
  }

  private growSlots(): void {
    const grown = new Int32Array(2 * this.slots.length).fill(EMPTY);
    const mask = grown.length - 1;
    for (const row of this.slots) {
      if (row === EMPTY) continue;
      let slot = (this.hashes[row] as number) & mask;
      while (grown[slot] !== EMPTY) slot = (slot + 1) & mask;
      grown[slot] = row;
    }
    this.slots = grown;
    this.account();
  }

  private reserveRows(rows: number): void {
    if (rows <= this.hashes.length) return;
    let capacity = Math.max(FIRST_SLOTS, this.hashes.length);
    while (capacity < rows) capacity *= 2;
    const hashes = new Int32Array(capacity);
    hashes.set(this.hashes);
    this.hashes = hashes;
    const chain = new Int32Array(capacity);
    chain.set(this.chain);
    this.chain = chain;
    this.account();
  }

  private account(): void {
    const bytes = this.slots.byteLength + this.hashes.byteLength + this.chain.byteLength;
    if (bytes > this.accounted) this.budget.take(bytes - this.accounted);
    else this.budget.give(this.accounted - bytes);
    this.accounted = bytes;
  }
}
