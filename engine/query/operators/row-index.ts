/**
 * A hash index over the rows of a row store: open addressing with linear probing over row numbers,
 * at most half full, and a chain through the rows of equal keys. The hash of each row is kept, so
 * that a probe rarely touches the columns of a row that does not match.
 */

import type { IdColumn } from '../../storage/scan.js';
import { hashRow, sameId } from './ids.js';
import type { MemoryCounter } from './memory.js';
import type { RowStore } from './row-store.js';

const EMPTY = -1;
const FIRST_SLOTS = 256;
const BYTES_PER_SLOT = 4;
/** A hash and a link. */
const BYTES_PER_ROW = 8;

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
    private readonly memory: MemoryCounter,
  ) {
    this.account(this.slots.length, 0);
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

  /** What the index would take of the budget if the store grew to so many rows, each with a key of its own. */
  bytesToHold(rows: number): number {
    return bytesOf(this.slotsFor(rows), this.capacityFor(rows)) - this.accounted;
  }

  /** Makes room for so many rows at once, so that nothing has to grow on the way. */
  reserve(rows: number): void {
    this.reserveRows(rows);
    const slots = this.slotsFor(rows);
    if (slots > this.slots.length) this.growSlots(slots);
  }

  release(): void {
    this.slots = new Int32Array(0);
    this.hashes = new Int32Array(0);
    this.chain = new Int32Array(0);
    this.account(0, 0);
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
    if (2 * this.keysHeld >= this.slots.length) this.growSlots(2 * this.slots.length);
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

  private growSlots(slots: number): void {
    this.account(slots, this.hashes.length);
    const grown = new Int32Array(slots).fill(EMPTY);
    const mask = slots - 1;
    for (const row of this.slots) {
      if (row === EMPTY) continue;
      let slot = (this.hashes[row] as number) & mask;
      while (grown[slot] !== EMPTY) slot = (slot + 1) & mask;
      grown[slot] = row;
    }
    this.slots = grown;
  }

  private slotsFor(keys: number): number {
    let slots = this.slots.length;
    while (2 * keys > slots) slots *= 2;
    return slots;
  }

  private capacityFor(rows: number): number {
    let capacity = this.hashes.length;
    while (capacity < rows) capacity = Math.max(FIRST_SLOTS, 2 * capacity);
    return capacity;
  }

  private reserveRows(rows: number): void {
    if (rows <= this.hashes.length) return;
    const capacity = this.capacityFor(rows);
    this.account(this.slots.length, capacity);
    const hashes = new Int32Array(capacity);
    hashes.set(this.hashes);
    this.hashes = hashes;
    const chain = new Int32Array(capacity);
    chain.set(this.chain);
    this.chain = chain;
  }

  /** Counts before allocating. */
  private account(slots: number, capacity: number): void {
    const bytes = bytesOf(slots, capacity);
    if (bytes > this.accounted) this.memory.take(bytes - this.accounted);
    else this.memory.give(this.accounted - bytes);
    this.accounted = bytes;
  }
}

function bytesOf(slots: number, capacity: number): number {
  return BYTES_PER_SLOT * slots + BYTES_PER_ROW * capacity;
}
