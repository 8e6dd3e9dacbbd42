/**
 * Which rows of a store have which key. Rows of equal keys make a group; groups are numbered from 0 in
 * the order of their first rows, and a probe turns columns of keys into group numbers (`key-slots.ts`).
 *
 * Where no key comes twice, a row is its own group (`unique`). Otherwise `rowsOf` has the rows of group g
 * at `starts[g] .. starts[g + 1]`, in the order of the store. Without keys there is one group and no list.
 */

import type { IdColumn } from '../../storage/scan.js';
import type { QueryBatch } from './batch.js';
import { BYTES_PER_WORD, DirectSlots, HashSlots, KeySlots, NO_GROUP, type Slots, slotBytes } from './key-slots.js';
import type { MemoryCounter } from './memory.js';

const NO_ROWS = new Int32Array(0);
/** Entries of the array by id, per row of the store: as large as other slots would be. */
const DIRECT_SPAN_PER_ROW = 6;
const DIRECT_SPAN_MIN = 256;

export class KeyTable implements MemoryCounter {
  starts: Int32Array = NO_ROWS;
  rowsOf: Int32Array = NO_ROWS;
  private slots: Slots | null = null;
  private phase: 'range' | 'assign' | 'count' | 'place' | 'done' = 'range';
  /** Rows that the phase at hand has done. */
  private done = 0;
  /** row -> group, while the table is made */
  private groupOf: Int32Array = NO_ROWS;
  private readonly least = new Uint32Array(2);
  private readonly greatest = new Uint32Array(2);
  private accountedBytes = 0;

  constructor(
    private readonly store: QueryBatch,
    private readonly keys: readonly number[],
    private readonly memory: MemoryCounter,
  ) {}

  /** No key comes twice: the number of a group is that of its row. */
  get unique(): boolean {
    return this.slots !== null && this.starts.length === 0;
  }

  /** Distinct keys. */
  get groups(): number {
    return this.slots?.groups ?? 0;
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
    const direct = this.keys.length === 1 ? Math.max(DIRECT_SPAN_MIN, DIRECT_SPAN_PER_ROW * rows) : 0;
    // Group, start and place of each row.
    return Math.max(slotBytes(rows, this.keys.length), BYTES_PER_WORD * direct) + BYTES_PER_WORD * (3 * rows + 1);
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
        this.slots?.assign(from, to, this.groupOf);
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
        this.phase = this.slots === null ? 'done' : 'assign';
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
      this.slots = new HashSlots(this.store, this.keys, this);
      return;
    }
    const column = this.keyColumn(0);
    const [least, high] = this.least as unknown as [number, number];
    const [greatest, greatestHigh] = this.greatest as unknown as [number, number];
    const span = greatest - least + 1;
    const dense = high === greatestHigh && span <= Math.max(DIRECT_SPAN_MIN, DIRECT_SPAN_PER_ROW * rows);
    this.slots = dense ? new DirectSlots(column, least, high, span, this) : new KeySlots(column, rows, this);
  }

  /** The group of each of the first `rows` rows of the columns that hold the keys; NO_GROUP where there is none. */
  probe(columns: readonly IdColumn[], keys: readonly number[], rows: number, into: Int32Array): void {
    if (this.slots !== null) this.slots.probe(columns, keys, rows, into);
    // Without keys all rows go together.
    else into.fill(this.store.rows > 0 && keys.length === 0 ? 0 : NO_GROUP, 0, rows);
  }

  release(): void {
    this.phase = 'done';
    this.slots = null;
    this.groupOf = NO_ROWS;
    this.starts = NO_ROWS;
    this.rowsOf = NO_ROWS;
    this.give(this.accountedBytes);
  }

  private keyColumn(key: number): IdColumn {
    return this.store.columns[this.keys[key] as number] as IdColumn;
  }

  /** Counts before allocating. */
  take(bytes: number): void {
    this.memory.take(bytes);
    this.accountedBytes += bytes;
  }

  give(bytes: number): void {
    this.memory.give(bytes);
    this.accountedBytes -= bytes;
  }
}
