/**
 * A hash index over the rows of a row store: open addressing with linear probing over row numbers,
 * at most half full, and a chain through the rows of equal keys. The hash of each row is kept, so
 * that a probe rarely touches the columns of a row that does not match.
 *
 * A large index is cut into segments by the top bits of the hash. Each grows by itself, and not all at
 * the same fill, so that no single insertion moves more than a small part of the index.
 */

import type { IdColumn } from '../../storage/seam/scan.js';
import { hashRow, sameId } from './ids.js';
import type { MemoryCounter } from './memory.js';
import type { RowStore } from './row-store.js';

const EMPTY = -1;
const FIRST_SLOTS = 256;
/** Beyond this the index is cut: to move so many slots takes a few milliseconds. */
const SPLIT_SLOTS = 1 << 17;
const SEGMENT_BITS = 6;
const SEGMENTS = 1 << SEGMENT_BITS;
const SEGMENT_SHIFT = 32 - SEGMENT_BITS;
const BYTES_PER_SLOT = 4;
/** A hash and a link. */
const BYTES_PER_ROW = 8;

export class RowIndex {
  /** By segment: slot -> first row of a key */
  private segments: Int32Array[] = [new Int32Array(FIRST_SLOTS).fill(EMPTY)];
  /** By segment: keys that it holds, and how many make it grow. */
  private held = new Uint32Array(1);
  private heldMax = new Uint32Array(1).fill(FIRST_SLOTS / 2);
  /** 0 while there is one segment. */
  private segmentMask = 0;
  private slotCount = FIRST_SLOTS;
  private hashes = new Int32Array(0);
  /** row -> next row of the same key */
  private chain = new Int32Array(0);
  private accounted = 0;

  constructor(
    private readonly store: RowStore,
    /** Columns of the store that make the key. */
    private readonly keys: readonly number[],
    private readonly memory: MemoryCounter,
  ) {
    this.account(this.slotCount, 0);
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
    if (this.segmentMask === 0 && this.slotsFor(rows) > SPLIT_SLOTS) this.split();
    const slots = this.slotsFor(rows) / this.segments.length;
    this.segments.forEach((segment, at) => {
      if (slots > segment.length) this.growSegment(at, slots);
    });
  }

  release(): void {
    this.segments = [];
    this.slotCount = 0;
    this.hashes = new Int32Array(0);
    this.chain = new Int32Array(0);
    this.account(0, 0);
  }

  private findHashed(columns: readonly IdColumn[], keys: readonly number[], row: number, hash: number): number {
    const slots = this.segments[(hash >>> SEGMENT_SHIFT) & this.segmentMask] as Int32Array;
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const candidate = slots[slot] as number;
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
    this.hashes[row] = hash;
    this.chain[row] = EMPTY;
    const at = this.segmentFor(hash);
    const slots = this.segments[at] as Int32Array;
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const candidate = slots[slot] as number;
      if (candidate === EMPTY) {
        slots[slot] = row;
        this.held[at] = (this.held[at] as number) + 1;
        return;
      }
      if (this.hashes[candidate] === hash && this.sameKey(this.store.columns, this.keys, row, candidate)) {
        this.chain[row] = this.chain[candidate] as number;
        this.chain[candidate] = row;
        return;
      }
    }
  }

  /** The segment of a hash, with room for one more key. */
  private segmentFor(hash: number): number {
    const at = (hash >>> SEGMENT_SHIFT) & this.segmentMask;
    if ((this.held[at] as number) < (this.heldMax[at] as number)) return at;
    const { length } = this.segments[at] as Int32Array;
    if (this.segmentMask > 0 || length < SPLIT_SLOTS) {
      this.growSegment(at, 2 * length);
      return at;
    }
    this.split();
    return (hash >>> SEGMENT_SHIFT) & this.segmentMask;
  }

  private growSegment(at: number, slots: number): void {
    const before = this.segments[at] as Int32Array;
    this.account(this.slotCount + slots - before.length, this.hashes.length);
    this.slotCount += slots - before.length;
    const grown = new Int32Array(slots).fill(EMPTY);
    for (const row of before) if (row !== EMPTY) this.place(grown, row);
    this.segments[at] = grown;
    this.heldMax[at] = this.segmentMask === 0 ? slots / 2 : heldMaxOf(slots, at);
  }

  /** Cuts the one segment into many, with as many slots as before in all. */
  private split(): void {
    const [before] = this.segments as [Int32Array];
    const slots = before.length / SEGMENTS;
    this.segments = Array.from({ length: SEGMENTS }, () => new Int32Array(2 * slots).fill(EMPTY));
    this.account(2 * before.length, this.hashes.length);
    this.slotCount = 2 * before.length;
    this.segmentMask = SEGMENTS - 1;
    this.held = new Uint32Array(SEGMENTS);
    this.heldMax = Uint32Array.from({ length: SEGMENTS }, (_, at) => heldMaxOf(2 * slots, at));
    for (const row of before) {
      if (row === EMPTY) continue;
      const at = ((this.hashes[row] as number) >>> SEGMENT_SHIFT) & this.segmentMask;
      this.place(this.segments[at] as Int32Array, row);
      this.held[at] = (this.held[at] as number) + 1;
    }
  }

  private place(slots: Int32Array, row: number): void {
    const mask = slots.length - 1;
    let slot = (this.hashes[row] as number) & mask;
    while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
    slots[slot] = row;
  }

  /** Slots that surely hold so many keys: beyond the split, those of segments that have grown already. */
  private slotsFor(keys: number): number {
    let slots = FIRST_SLOTS;
    while (2 * keys > slots && slots < SPLIT_SLOTS) slots *= 2;
    if (2 * keys > slots) while (3 * keys > slots) slots *= 2;
    return Math.max(slots, this.slotCount);
  }

  private capacityFor(rows: number): number {
    let capacity = this.hashes.length;
    while (capacity < rows) capacity = Math.max(FIRST_SLOTS, 2 * capacity);
    return capacity;
  }

  private reserveRows(rows: number): void {
    if (rows <= this.hashes.length) return;
    const capacity = this.capacityFor(rows);
    this.account(this.slotCount, capacity);
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

/** At half full at the latest, the first segments at a third, so that they grow one after the other. */
function heldMaxOf(slots: number, segment: number): number {
  return Math.floor((slots * (2 * SEGMENTS + segment)) / (6 * SEGMENTS));
}

function bytesOf(slots: number, capacity: number): number {
  return BYTES_PER_SLOT * slots + BYTES_PER_ROW * capacity;
}
