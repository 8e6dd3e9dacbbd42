/**
 * Keys found by hash: open addressing with linear probing. A table of one column keeps the id beside the
 * number in its slots, so that a look-up touches one place; of several columns, the hash.
 *
 * A large table is cut into segments by the top bits of the hash. Each grows by itself, and not all at the
 * same fill, so that no single key moves more than a small part of the table.
 */

import { BATCH_ROWS, type IdColumn } from '../../../storage/scan.js';
import { mixHalves } from '../ids.js';
import type { MemoryCounter } from '../memory.js';
import { KeyTable } from './key-table.js';

const FIRST_SLOTS = 32;
/** Beyond this the table is cut: to move so many slots takes a millisecond or two. */
const SPLIT_SLOTS = 1 << 17;
const SEGMENT_BITS = 6;
const SEGMENTS = 1 << SEGMENT_BITS;
const SEGMENT_SHIFT = 32 - SEGMENT_BITS;
const SEED = 0x9747b28c | 0;
const BYTES_PER_WORD = 4;
/** Low half, high half, number + 1. */
const WORDS_OF_ONE = 3;
/** Hash, number + 1. */
const WORDS_OF_MANY = 2;

/** Hashes of the rows of a batch, while they are looked up. */
const hashes = new Int32Array(BATCH_ROWS);

export class HashKeys extends KeyTable {
  /** Slots of each segment, of `words` words each; zeros where there is no key. */
  private segments: Uint32Array[] = [];
  /** By segment: slots - 1, the keys that it holds, and how many make it grow. */
  private masks = new Int32Array(1);
  private held = new Uint32Array(1);
  private heldMax = new Uint32Array(1);
  /** 0 while there is one segment. */
  private segmentMask = 0;
  private slotCount = 0;
  private readonly words: number;

  constructor(width: number, memory: MemoryCounter) {
    super(width, memory);
    this.words = width === 1 ? WORDS_OF_ONE : WORDS_OF_MANY;
    this.clear();
  }

  assign(columns: readonly IdColumn[], rows: number, into: Int32Array): void {
    if (this.width === 1) this.lookUpOne(columns, rows, into, true);
    else this.lookUpMany(columns, rows, into, true);
  }

  find(columns: readonly IdColumn[], rows: number, into: Int32Array): void {
    if (this.width === 1) this.lookUpOne(columns, rows, into, false);
    else this.lookUpMany(columns, rows, into, false);
  }

  override bytesToHold(keys: number): number {
    return super.bytesToHold(keys) + this.bytesOf(this.slotsFor(keys) - this.slotCount);
  }

  override release(): void {
    super.release();
    this.memory.give(this.bytesOf(this.slotCount));
    this.clear();
  }

  /** One empty slot, which is not counted; the first key takes more. */
  private clear(): void {
    this.segments = [new Uint32Array(this.words)];
    this.masks = new Int32Array(1);
    this.held = new Uint32Array(1);
    this.heldMax = new Uint32Array(1);
    this.segmentMask = 0;
    this.slotCount = 0;
  }

  private lookUpOne(columns: readonly IdColumn[], rows: number, into: Int32Array, append: boolean): void {
    const column = columns[0] as IdColumn;
    let lastLow = 0;
    let lastHigh = 0;
    let last = -2;
    for (let row = 0; row < rows; row++) {
      const low = column[2 * row] as number;
      const high = column[2 * row + 1] as number;
      if (low !== lastLow || high !== lastHigh || last === -2) {
        lastLow = low;
        lastHigh = high;
        const hash = mixHalves(SEED, low, high);
        const at = (hash >>> SEGMENT_SHIFT) & this.segmentMask;
        const slots = this.segments[at] as Uint32Array;
        const mask = this.masks[at] as number;
        let slot = hash & mask;
        let word = WORDS_OF_ONE * slot;
        while (slots[word + 2] !== 0 && (slots[word] !== low || slots[word + 1] !== high)) {
          slot = (slot + 1) & mask;
          word = WORDS_OF_ONE * slot;
        }
        last = (slots[word + 2] as number) - 1;
        if (last < 0 && append) {
          last = this.append(columns, row);
          this.insert(at, slot, hash, last);
        }
      }
      into[row] = last;
    }
  }

  private lookUpMany(columns: readonly IdColumn[], rows: number, into: Int32Array, append: boolean): void {
    hashes.fill(SEED, 0, rows);
    for (const column of columns) mixInto(hashes, column, rows);
    for (let row = 0; row < rows; row++) {
      const hash = hashes[row] as number;
      const unsigned = hash >>> 0;
      const at = (hash >>> SEGMENT_SHIFT) & this.segmentMask;
      const slots = this.segments[at] as Uint32Array;
      const mask = this.masks[at] as number;
      let slot = hash & mask;
      let number = (slots[2 * slot + 1] as number) - 1;
      while (number >= 0 && (slots[2 * slot] !== unsigned || !this.hasKey(columns, row, number))) {
        slot = (slot + 1) & mask;
        number = (slots[2 * slot + 1] as number) - 1;
      }
      if (number < 0 && append) {
        number = this.append(columns, row);
        this.insert(at, slot, hash, number);
      }
      into[row] = number;
    }
  }

  /** Puts a new key into the free slot that was found for it, or, where the segment is full, into a larger one. */
  private insert(at: number, slot: number, hash: number, number: number): void {
    if ((this.held[at] as number) < (this.heldMax[at] as number)) {
      this.held[at] = (this.held[at] as number) + 1;
      this.write(this.segments[at] as Uint32Array, slot, hash, number);
      return;
    }
    const grown = this.makeRoom(at, hash);
    const slots = this.segments[grown] as Uint32Array;
    this.write(slots, freeSlot(slots, this.words, this.masks[grown] as number, hash), hash, number);
    this.held[grown] = (this.held[grown] as number) + 1;
  }

  private write(slots: Uint32Array, slot: number, hash: number, number: number): void {
    const word = this.words * slot;
    slots[word + this.words - 1] = number + 1;
    if (this.words === WORDS_OF_MANY) {
      slots[word] = hash;
      return;
    }
    const keys = this.columns[0] as IdColumn;
    slots[word] = keys[2 * number] as number;
    slots[word + 1] = keys[2 * number + 1] as number;
  }

  /** Makes the segment larger, or many of one; gives the segment of the hash. */
  private makeRoom(at: number, hash: number): number {
    const slots = this.slotCount === 0 ? 0 : (this.masks[at] as number) + 1;
    if (this.segmentMask > 0 || slots < SPLIT_SLOTS) this.growSegment(at, slots);
    else this.split();
    return (hash >>> SEGMENT_SHIFT) & this.segmentMask;
  }

  private growSegment(at: number, slots: number): void {
    const grown = Math.max(FIRST_SLOTS, 2 * slots);
    this.memory.take(this.bytesOf(grown - slots));
    this.slotCount += grown - slots;
    const before = this.segments[at] as Uint32Array;
    const after = new Uint32Array(grown * this.words);
    this.segments[at] = after;
    this.masks[at] = grown - 1;
    this.heldMax[at] = this.segmentMask === 0 ? grown / 2 : heldMaxOf(grown, at);
    for (let word = 0; word < before.length; word += this.words) {
      if (before[word + this.words - 1] !== 0) this.move(before, word, after, grown - 1);
    }
  }

  /** Cuts the one segment into many, with twice as many slots in all. */
  private split(): void {
    const [before] = this.segments as [Uint32Array];
    this.memory.take(this.bytesOf(this.slotCount));
    this.slotCount *= 2;
    const slots = this.slotCount / SEGMENTS;
    this.segments = Array.from({ length: SEGMENTS }, () => new Uint32Array(slots * this.words));
    this.masks = new Int32Array(SEGMENTS).fill(slots - 1);
    this.held = new Uint32Array(SEGMENTS);
    this.heldMax = Uint32Array.from({ length: SEGMENTS }, (_, at) => heldMaxOf(slots, at));
    this.segmentMask = SEGMENTS - 1;
    for (let word = 0; word < before.length; word += this.words) {
      if (before[word + this.words - 1] === 0) continue;
      const at = this.hashAt(before, word) >>> SEGMENT_SHIFT;
      this.move(before, word, this.segments[at] as Uint32Array, slots - 1);
      this.held[at] = (this.held[at] as number) + 1;
    }
  }

  private move(before: Uint32Array, word: number, after: Uint32Array, mask: number): void {
    const { words } = this;
    const to = words * freeSlot(after, words, mask, this.hashAt(before, word));
    for (let at = 0; at < words; at++) after[to + at] = before[word + at] as number;
  }

  private hashAt(slots: Uint32Array, word: number): number {
    if (this.words === WORDS_OF_MANY) return (slots[word] as number) | 0;
    return mixHalves(SEED, slots[word] as number, slots[word + 1] as number);
  }

  /** Slots that surely hold so many keys: beyond the split, those of segments that have grown already. */
  private slotsFor(keys: number): number {
    let slots = FIRST_SLOTS;
    while (2 * keys > slots && slots <= SPLIT_SLOTS) slots *= 2;
    while (8 * keys > 3 * slots && slots > SPLIT_SLOTS) slots *= 2;
    return Math.max(slots, this.slotCount);
  }

  private bytesOf(slots: number): number {
    return slots * this.words * BYTES_PER_WORD;
  }
}

function mixInto(into: Int32Array, column: IdColumn, rows: number): void {
  for (let row = 0; row < rows; row++) {
    into[row] = mixHalves(into[row] as number, column[2 * row] as number, column[2 * row + 1] as number);
  }
}

function freeSlot(slots: Uint32Array, words: number, mask: number, hash: number): number {
  let slot = hash & mask;
  while (slots[words * slot + words - 1] !== 0) slot = (slot + 1) & mask;
  return slot;
}

/** At three quarters full at the latest, the first segments at half of that, so that they grow one after the other. */
function heldMaxOf(slots: number, segment: number): number {
  return Math.floor((3 * slots * (SEGMENTS + segment)) / (8 * SEGMENTS));
}
