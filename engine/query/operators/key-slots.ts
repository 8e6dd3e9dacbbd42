/**
 * Numbers for keys: each key that is new gets the next number, from 0. Three forms, chosen by the keys:
 *
 *  - `DirectSlots`: one key column whose ids lie close together; the number stands at `id - least`.
 *  - `KeySlots`: one key column otherwise; open addressing by linear probing with the key in the slot.
 *  - `HashSlots`: several key columns; the same with the hash in the slot, and the key is compared with
 *    that of the first row.
 *
 * The loops take whole columns. Slots grow by four, and beyond a size once, to what all rows may need.
 */

import type { IdColumn } from '../../storage/scan.js';
import type { QueryBatch } from './batch.js';
import { hashRow, sameId } from './ids.js';
import type { MemoryCounter } from './memory.js';

export const NO_GROUP = -1;
export const BYTES_PER_WORD = 4;

/** A slot: low half, high half and number + 1 of one key; hash and number + 1 of several. */
const KEY_SLOT_WORDS = 3;
const HASH_SLOT_WORDS = 2;
const FIRST_SLOTS = 16;
const GROWTH = 4;
/** Beyond this a table grows once, to its last size: to move so many slots takes a millisecond. */
const GROWN_SLOTS_MAX = 1 << 17;
/** The slots before they grew stand beside the new ones for a moment. */
const GROWING = 1 + 1 / GROWTH;

export interface Slots {
  /** Numbers given. */
  readonly groups: number;
  /** Writes the numbers of rows `[from, to)` of the store, in order. */
  assign(from: number, to: number, into: Int32Array): void;
  /** Writes the numbers of the first `rows` rows of other columns; NO_GROUP for a key that has none. */
  probe(columns: readonly IdColumn[], keys: readonly number[], rows: number, into: Int32Array): void;
}

/** The most bytes that slots take for so many rows with `keys` key columns. */
export function slotBytes(rows: number, keys: number): number {
  const words = keys === 1 ? KEY_SLOT_WORDS : HASH_SLOT_WORDS;
  // The first rows of several keys.
  const listed = keys === 1 ? 0 : rows;
  return BYTES_PER_WORD * (GROWING * words * slotsFor(rows) + listed);
}

/** Slots that hold so many keys at two thirds full, a power of two. */
function slotsFor(keys: number): number {
  let slots = FIRST_SLOTS;
  while (2 * slots < 3 * keys) slots *= 2;
  return slots;
}

/** A multiplicative hash whose top bits count. */
function mixKey(low: number, high: number): number {
  const mixed = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
}

export class DirectSlots implements Slots {
  groups = 0;
  private readonly slots: Int32Array;

  constructor(
    private readonly column: IdColumn,
    private readonly least: number,
    /** High half of all keys. */
    private readonly high: number,
    span: number,
    memory: MemoryCounter,
  ) {
    memory.take(BYTES_PER_WORD * span);
    this.slots = new Int32Array(span);
  }

  assign(from: number, to: number, into: Int32Array): void {
    const { column, slots, least } = this;
    let { groups } = this;
    for (let row = from; row < to; row++) {
      const at = (column[2 * row] as number) - least;
      let held = slots[at] as number;
      if (held === 0) {
        held = ++groups;
        slots[at] = held;
      }
      into[row] = held - 1;
    }
    this.groups = groups;
  }

  probe(columns: readonly IdColumn[], keys: readonly number[], rows: number, into: Int32Array): void {
    const { slots, least, high } = this;
    const column = columns[keys[0] as number] as IdColumn;
    const span = slots.length;
    for (let row = 0; row < rows; row++) {
      const at = (column[2 * row] as number) - least;
      into[row] = column[2 * row + 1] === high && at >= 0 && at < span ? (slots[at] as number) - 1 : NO_GROUP;
    }
  }
}

/** Slots that grow with the keys. */
class GrowingSlots {
  groups = 0;
  protected slots = new Uint32Array(0);
  /** 32 less the binary logarithm of the slots. */
  protected shift = 0;
  /** At so many keys the slots grow. */
  protected groupsMax = 0;

  constructor(
    private readonly words: number,
    private readonly rowsMax: number,
    protected readonly memory: MemoryCounter,
  ) {
    this.open(Math.min(FIRST_SLOTS, slotsFor(rowsMax)));
  }

  private open(slots: number): void {
    this.memory.take(BYTES_PER_WORD * this.words * slots);
    this.slots = new Uint32Array(this.words * slots);
    this.shift = Math.clz32(slots) + 1;
    this.groupsMax = Math.floor((2 * slots) / 3);
  }

  protected grow(): void {
    const { words, slots: before } = this;
    const wanted = (GROWTH * before.length) / words;
    const last = slotsFor(this.rowsMax);
    this.open(wanted > GROWN_SLOTS_MAX ? last : Math.min(last, wanted));
    const { slots, shift } = this;
    for (let from = 0; from < before.length; from += words) {
      const held = before[from + words - 1] as number;
      if (held === 0) continue;
      const low = before[from] as number;
      const hash = words === HASH_SLOT_WORDS ? low : mixKey(low, before[from + 1] as number);
      let at = words * (hash >>> shift);
      while (slots[at + words - 1] !== 0) at = at + words === slots.length ? 0 : at + words;
      slots[at] = low;
      slots[at + 1] = before[from + 1] as number;
      slots[at + words - 1] = held;
    }
    this.memory.give(BYTES_PER_WORD * before.length);
  }
}

export class KeySlots extends GrowingSlots implements Slots {
  constructor(
    private readonly column: IdColumn,
    rowsMax: number,
    memory: MemoryCounter,
  ) {
    super(KEY_SLOT_WORDS, rowsMax, memory);
  }

  assign(from: number, to: number, into: Int32Array): void {
    for (let row = from; row < to; ) {
      if (this.groups === this.groupsMax) this.grow();
      row = this.assignSome(row, to, into);
    }
  }

  /** Ends early when the slots have to grow. */
  private assignSome(from: number, to: number, into: Int32Array): number {
    const { column, slots, shift, groupsMax } = this;
    const end = slots.length;
    let { groups } = this;
    let row = from;
    for (; row < to && groups < groupsMax; row++) {
      const low = column[2 * row] as number;
      const high = column[2 * row + 1] as number;
      let at = KEY_SLOT_WORDS * (mixKey(low, high) >>> shift);
      let held = slots[at + 2] as number;
      while (held !== 0 && (slots[at] !== low || slots[at + 1] !== high)) {
        at += KEY_SLOT_WORDS;
        if (at === end) at = 0;
        held = slots[at + 2] as number;
      }
      if (held === 0) {
        held = ++groups;
        slots[at] = low;
        slots[at + 1] = high;
        slots[at + 2] = held;
      }
      into[row] = held - 1;
    }
    this.groups = groups;
    return row;
  }

  probe(columns: readonly IdColumn[], keys: readonly number[], rows: number, into: Int32Array): void {
    const { slots, shift } = this;
    const column = columns[keys[0] as number] as IdColumn;
    const end = slots.length;
    for (let row = 0; row < rows; row++) {
      const low = column[2 * row] as number;
      const high = column[2 * row + 1] as number;
      let at = KEY_SLOT_WORDS * (mixKey(low, high) >>> shift);
      let held = slots[at + 2] as number;
      while (held !== 0 && (slots[at] !== low || slots[at + 1] !== high)) {
        at += KEY_SLOT_WORDS;
        if (at === end) at = 0;
        held = slots[at + 2] as number;
      }
      into[row] = held - 1;
    }
  }
}

export class HashSlots extends GrowingSlots implements Slots {
  /** First row of each key. */
  private readonly firstRows: Int32Array;

  constructor(
    private readonly store: QueryBatch,
    private readonly keys: readonly number[],
    memory: MemoryCounter,
  ) {
    super(HASH_SLOT_WORDS, store.rows, memory);
    memory.take(BYTES_PER_WORD * store.rows);
    this.firstRows = new Int32Array(store.rows);
  }

  assign(from: number, to: number, into: Int32Array): void {
    const { store, keys } = this;
    for (let row = from; row < to; row++) {
      if (this.groups === this.groupsMax) this.grow();
      const hash = hashRow(store.columns, keys, row) >>> 0;
      const at = this.slotOf(store.columns, keys, row, hash);
      if (this.slots[at + 1] === 0) {
        this.slots[at] = hash;
        this.firstRows[this.groups++] = row;
        this.slots[at + 1] = this.groups;
      }
      into[row] = (this.slots[at + 1] as number) - 1;
    }
  }

  probe(columns: readonly IdColumn[], keys: readonly number[], rows: number, into: Int32Array): void {
    for (let row = 0; row < rows; row++) {
      const at = this.slotOf(columns, keys, row, hashRow(columns, keys, row) >>> 0);
      into[row] = (this.slots[at + 1] as number) - 1;
    }
  }

  /** The slot that holds the key of a row, or the empty one where it would stand. */
  private slotOf(columns: readonly IdColumn[], keys: readonly number[], row: number, hash: number): number {
    const { slots, firstRows } = this;
    let at = HASH_SLOT_WORDS * (hash >>> this.shift);
    for (;;) {
      const held = slots[at + 1] as number;
      if (held === 0) return at;
      if (slots[at] === hash && this.sameKey(columns, keys, row, firstRows[held - 1] as number)) return at;
      at += HASH_SLOT_WORDS;
      if (at === slots.length) at = 0;
    }
  }

  private sameKey(columns: readonly IdColumn[], keys: readonly number[], row: number, mine: number): boolean {
    for (let key = 0; key < keys.length; key++) {
      const own = this.store.columns[this.keys[key] as number] as IdColumn;
      if (!sameId(columns[keys[key] as number] as IdColumn, row, own, mine)) return false;
    }
    return true;
  }
}
