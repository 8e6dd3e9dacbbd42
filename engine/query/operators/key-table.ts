/**
 * Which rows of a store have which key. Rows of equal keys make a group; groups are numbered from 0 in
 * the order in which their first rows stand, and a probe turns a column of keys into group numbers.
 *
 *  1. One key whose ids lie close together: the group stands at `id - least` in an array.
 *  2. One key otherwise: open addressing by linear probing, with the key in the slot.
 *  3. Several keys: the same with the hash in the slot; the key is compared in the rows.
 *
 * Where no key comes twice, a row is its own group (`unique`). Otherwise `rowsOf` has the rows of group g
 * at `starts[g] .. starts[g + 1]`, in the order of the store. Without keys there is one group and no list.
 */

import type { IdColumn } from '../../storage/scan.js';
import type { QueryBatch } from './batch.js';
import { hashRow, sameId } from './ids.js';
import type { MemoryCounter } from './memory.js';

export const NO_GROUP = -1;
const NO_ROWS = new Int32Array(0);
const NO_SLOTS = new Uint32Array(0);

/** Entries of the array by id, per row of the store: as large as the slots would be. */
const DIRECT_SPAN_PER_ROW = 6;
const DIRECT_SPAN_MIN = 256;
/** A slot: low half, high half and group + 1 of one key; hash and group + 1 of several. */
const SLOT_WORDS = 3;
const HASH_SLOT_WORDS = 2;
const FIRST_SLOTS = 16;
const GROWTH = 4;
/** Beyond this a table grows once, to its last size: to move so many slots takes a millisecond. */
const GROWN_SLOTS_MAX = 1 << 17;
const BYTES_PER_WORD = 4;

type Form = 'direct' | 'one' | 'several' | 'none';

export class KeyTable {
  groups = 0;
  starts: Int32Array = NO_ROWS;
  rowsOf: Int32Array = NO_ROWS;
  private form: Form = 'none';
  private phase: 'range' | 'assign' | 'count' | 'place' | 'done' = 'range';
  /** Rows that the phase at hand has done. */
  private done = 0;
  private slots: Uint32Array = NO_SLOTS;
  /** 32 less the binary logarithm of the slots. */
  private shift = 0;
  private groupsMax = 0;
  /** row -> group, while the table is made */
  private groupOf: Int32Array = NO_ROWS;
  /** First row of each group, for several keys. */
  private firstRows: Int32Array = NO_ROWS;
  private least = new Uint32Array(2);
  private greatest = new Uint32Array(2);
  private accountedBytes = 0;

  constructor(
    private readonly store: QueryBatch,
    private readonly keys: readonly number[],
    private readonly memory: MemoryCounter,
  ) {}

  /** No key comes twice: the number of a group is that of its row. */
  get unique(): boolean {
    return this.form !== 'none' && this.starts.length === 0;
  }

  /** How many rows a group has. */
  rowsIn(group: number): number {
    if (this.keys.length === 0) return this.store.rows;
    return this.unique ? 1 : (this.starts[group + 1] as number) - (this.starts[group] as number);
  }

  /** The row of a group that stands at `index`. */
  rowAt(group: number, index: number): number {
    if (this.keys.length === 0) return index;
    return this.unique ? group : (this.rowsOf[(this.starts[group] as number) + index] as number);
  }

  /** Least and greatest key, as halves, where there is one key and a row. */
  get range(): { readonly least: Uint32Array; readonly greatest: Uint32Array } | null {
    return this.keys.length === 1 && this.store.rows > 0 ? { least: this.least, greatest: this.greatest } : null;
  }

  /** The most bytes that the table may take for so many rows. */
  bytesToHold(rows: number): number {
    if (this.keys.length === 0) return 0;
    const words = this.keys.length === 1 ? SLOT_WORDS : HASH_SLOT_WORDS;
    const direct = this.keys.length === 1 ? Math.max(DIRECT_SPAN_MIN, DIRECT_SPAN_PER_ROW * rows) : 0;
    // Group, first row, start and place of each row; the slots before they grew the last time.
    return BYTES_PER_WORD * (Math.max(1.25 * words * slotsFor(rows), direct) + 4 * rows + 1);
  }

  /** Groups some more of the rows, once the store has all of them; true when done. */
  work(rowsMax: number): boolean {
    let left = rowsMax;
    while (this.phase !== 'done' && left > 0) {
      const to = Math.min(this.store.rows, this.done + left);
      left -= Math.max(1, to - this.done);
      this.doRows(this.done, to);
      this.done = to;
      if (to === this.store.rows) this.endPhase();
    }
    return this.phase === 'done';
  }

  private doRows(from: number, to: number): void {
    switch (this.phase) {
      case 'range':
        if (this.keys.length === 1) this.widenRange(this.keyColumn(0), from, to);
        return;
      case 'assign':
        this.assign(from, to);
        return;
      case 'count':
        for (let row = from; row < to; row++) {
          const at = (this.groupOf[row] as number) + 1;
          this.starts[at] = (this.starts[at] as number) + 1;
        }
        return;
      case 'place':
        // The entry of a group moves on to the start of the next one while its rows are placed.
        for (let row = from; row < to; row++) {
          const group = this.groupOf[row] as number;
          const at = this.starts[group] as number;
          this.rowsOf[at] = row;
          this.starts[group] = at + 1;
        }
        return;
      case 'done':
        return;
    }
  }

  private endPhase(): void {
    this.done = 0;
    switch (this.phase) {
      case 'range':
        this.choose();
        this.phase = this.form === 'none' ? 'done' : 'assign';
        return;
      case 'assign':
        if (this.groups === this.store.rows) {
          this.endGrouping();
          return;
        }
        this.take(BYTES_PER_WORD * (this.groups + 1 + this.store.rows));
        this.starts = new Int32Array(this.groups + 1);
        this.rowsOf = new Int32Array(this.store.rows);
        this.phase = 'count';
        return;
      case 'count':
        for (let group = 0; group < this.groups; group++) {
          this.starts[group + 1] = (this.starts[group + 1] as number) + (this.starts[group] as number);
        }
        this.phase = 'place';
        return;
      default:
        this.starts.copyWithin(1, 0, this.groups);
        this.starts[0] = 0;
        this.endGrouping();
    }
  }

  private endGrouping(): void {
    this.give(BYTES_PER_WORD * this.groupOf.length);
    this.groupOf = NO_ROWS;
    this.phase = 'done';
  }

  private widenRange(column: IdColumn, from: number, to: number): void {
    let [leastLow, leastHigh] = this.least as unknown as [number, number];
    let [greatestLow, greatestHigh] = this.greatest as unknown as [number, number];
    if (from === 0 && to > 0) {
      leastLow = greatestLow = column[0] as number;
      leastHigh = greatestHigh = column[1] as number;
    }
    for (let row = from; row < to; row++) {
      const low = column[2 * row] as number;
      const high = column[2 * row + 1] as number;
      if (high < leastHigh || (high === leastHigh && low < leastLow)) {
        leastLow = low;
        leastHigh = high;
      } else if (high > greatestHigh || (high === greatestHigh && low > greatestLow)) {
        greatestLow = low;
        greatestHigh = high;
      }
    }
    this.least.set([leastLow, leastHigh]);
    this.greatest.set([greatestLow, greatestHigh]);
  }

  private choose(): void {
    const { rows } = this.store;
    if (rows === 0 || this.keys.length === 0) return;
    this.take(BYTES_PER_WORD * rows);
    this.groupOf = new Int32Array(rows);
    if (this.keys.length > 1) {
      this.form = 'several';
      this.take(BYTES_PER_WORD * rows);
      this.firstRows = new Int32Array(rows);
      this.openSlots(Math.min(FIRST_SLOTS, slotsFor(rows)), HASH_SLOT_WORDS);
      return;
    }
    const span = (this.greatest[0] as number) - (this.least[0] as number) + 1;
    const dense = this.greatest[1] === this.least[1] && span <= Math.max(DIRECT_SPAN_MIN, DIRECT_SPAN_PER_ROW * rows);
    this.form = dense ? 'direct' : 'one';
    if (!dense) {
      this.openSlots(Math.min(FIRST_SLOTS, slotsFor(rows)), SLOT_WORDS);
      return;
    }
    this.take(BYTES_PER_WORD * span);
    this.slots = new Uint32Array(span);
  }

  private openSlots(slots: number, words: number): void {
    this.take(BYTES_PER_WORD * words * slots);
    this.slots = new Uint32Array(words * slots);
    this.shift = Math.clz32(slots) + 1;
    this.groupsMax = Math.floor((2 * slots) / 3);
  }

  /** Numbers the groups of rows `[from, to)`; each loop ends early where the table has to grow. */
  private assign(from: number, to: number): void {
    for (let row = from; row < to; ) {
      if (this.form === 'direct') row = this.assignDirect(row, to);
      else {
        if (this.groups === this.groupsMax) this.grow();
        row = this.form === 'one' ? this.assignOne(row, to) : this.assignSeveral(row, to);
      }
    }
  }

  private assignDirect(from: number, to: number): number {
    const { slots, groupOf } = this;
    const column = this.keyColumn(0);
    const least = this.least[0] as number;
    let { groups } = this;
    for (let row = from; row < to; row++) {
      const at = (column[2 * row] as number) - least;
      const held = slots[at] as number;
      if (held === 0) slots[at] = ++groups;
      groupOf[row] = held === 0 ? groups - 1 : held - 1;
    }
    this.groups = groups;
    return to;
  }

  private assignOne(from: number, to: number): number {
    const { slots, groupOf, shift, groupsMax } = this;
    const column = this.keyColumn(0);
    const end = slots.length;
    let { groups } = this;
    let row = from;
    for (; row < to && groups < groupsMax; row++) {
      const low = column[2 * row] as number;
      const high = column[2 * row + 1] as number;
      let at = SLOT_WORDS * (mixKey(low, high) >>> shift);
      let held = slots[at + 2] as number;
      while (held !== 0 && (slots[at] !== low || slots[at + 1] !== high)) {
        at += SLOT_WORDS;
        if (at === end) at = 0;
        held = slots[at + 2] as number;
      }
      if (held === 0) {
        slots[at] = low;
        slots[at + 1] = high;
        held = ++groups;
        slots[at + 2] = held;
      }
      groupOf[row] = held - 1;
    }
    this.groups = groups;
    return row;
  }

  private assignSeveral(from: number, to: number): number {
    const { slots, groupOf, firstRows, shift, groupsMax, store, keys } = this;
    const end = slots.length;
    let { groups } = this;
    let row = from;
    for (; row < to && groups < groupsMax; row++) {
      const hash = hashRow(store.columns, keys, row) >>> 0;
      let at = HASH_SLOT_WORDS * (hash >>> shift);
      let held = slots[at + 1] as number;
      while (held !== 0 && (slots[at] !== hash || !this.sameKey(store.columns, keys, row, firstRows[held - 1] as number))) {
        at += HASH_SLOT_WORDS;
        if (at === end) at = 0;
        held = slots[at + 1] as number;
      }
      if (held === 0) {
        firstRows[groups] = row;
        held = ++groups;
        slots[at] = hash;
        slots[at + 1] = held;
      }
      groupOf[row] = held - 1;
    }
    this.groups = groups;
    return row;
  }

  private sameKey(columns: readonly IdColumn[], keys: readonly number[], row: number, mine: number): boolean {
    for (let key = 0; key < keys.length; key++) {
      const own = this.store.columns[this.keys[key] as number] as IdColumn;
      if (!sameId(columns[keys[key] as number] as IdColumn, row, own, mine)) return false;
    }
    return true;
  }

  private grow(): void {
    const words = this.form === 'one' ? SLOT_WORDS : HASH_SLOT_WORDS;
    const before = this.slots;
    const last = slotsFor(this.store.rows);
    const wanted = (GROWTH * before.length) / words;
    this.openSlots(wanted > GROWN_SLOTS_MAX ? last : Math.min(last, wanted), words);
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
    this.give(BYTES_PER_WORD * before.length);
  }

  /** The group of each of the first `rows` rows of the columns that hold the keys; NO_GROUP where there is none. */
  probe(columns: readonly IdColumn[], keys: readonly number[], rows: number, into: Int32Array): void {
    switch (this.form) {
      case 'none':
        // Without keys all rows go together.
        into.fill(this.store.rows > 0 && keys.length === 0 ? 0 : NO_GROUP, 0, rows);
        return;
      case 'direct':
        this.probeDirect(columns[keys[0] as number] as IdColumn, rows, into);
        return;
      case 'one':
        this.probeOne(columns[keys[0] as number] as IdColumn, rows, into);
        return;
      case 'several':
        this.probeSeveral(columns, keys, rows, into);
    }
  }

  private probeDirect(column: IdColumn, rows: number, into: Int32Array): void {
    const { slots } = this;
    const least = this.least[0] as number;
    const high = this.least[1] as number;
    const span = slots.length;
    for (let row = 0; row < rows; row++) {
      const at = (column[2 * row] as number) - least;
      into[row] = column[2 * row + 1] === high && at >= 0 && at < span ? (slots[at] as number) - 1 : NO_GROUP;
    }
  }

  private probeOne(column: IdColumn, rows: number, into: Int32Array): void {
    const { slots, shift } = this;
    const end = slots.length;
    for (let row = 0; row < rows; row++) {
      const low = column[2 * row] as number;
      const high = column[2 * row + 1] as number;
      let at = SLOT_WORDS * (mixKey(low, high) >>> shift);
      let held = slots[at + 2] as number;
      while (held !== 0 && (slots[at] !== low || slots[at + 1] !== high)) {
        at += SLOT_WORDS;
        if (at === end) at = 0;
        held = slots[at + 2] as number;
      }
      into[row] = held - 1;
    }
  }

  private probeSeveral(columns: readonly IdColumn[], keys: readonly number[], rows: number, into: Int32Array): void {
    const { slots, shift, firstRows } = this;
    const end = slots.length;
    for (let row = 0; row < rows; row++) {
      const hash = hashRow(columns, keys, row) >>> 0;
      let at = HASH_SLOT_WORDS * (hash >>> shift);
      let held = slots[at + 1] as number;
      while (held !== 0 && (slots[at] !== hash || !this.sameKey(columns, keys, row, firstRows[held - 1] as number))) {
        at += HASH_SLOT_WORDS;
        if (at === end) at = 0;
        held = slots[at + 1] as number;
      }
      into[row] = held - 1;
    }
  }

  release(): void {
    this.form = 'none';
    this.phase = 'done';
    this.groups = 0;
    this.slots = NO_SLOTS;
    this.groupOf = NO_ROWS;
    this.firstRows = NO_ROWS;
    this.starts = NO_ROWS;
    this.rowsOf = NO_ROWS;
    this.give(this.accountedBytes);
  }

  private keyColumn(key: number): IdColumn {
    return this.store.columns[this.keys[key] as number] as IdColumn;
  }

  /** Counts before allocating. */
  private take(bytes: number): void {
    this.memory.take(bytes);
    this.accountedBytes += bytes;
  }

  private give(bytes: number): void {
    this.memory.give(bytes);
    this.accountedBytes -= bytes;
  }
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
