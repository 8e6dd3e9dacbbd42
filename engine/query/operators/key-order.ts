/**
 * The distinct keys of a batch in ascending order, and the rows of each. Rows that come sorted, as most do, are
 * found to be so in one pass; others go through a radix sort (least significant digit first) that
 * touches only the digits in which the keys differ. A few rows are sorted by insertion.
 */

import type { IdColumn } from '../../storage/scan.js';
import { compareIds } from './ids.js';

const INSERTION_ROWS_MAX = 24;
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

const histogram = new Uint32Array(DIGITS);

export class KeyOrder {
  /** Rows by key; rows of one key in their own sequence. */
  order = new Uint32Array(0);
  /** Rows of key k: `order[starts[k]..starts[k + 1])`. */
  starts = new Uint32Array(1);
  /** Distinct keys. */
  count = 0;
  /** The keys, a column for each key column of the batch. */
  keys: readonly IdColumn[] = [];
  /** True when row and key number are the same: rows come sorted, each with a key of its own. */
  identity = false;
  private own: IdColumn[] = [];
  private other = new Uint32Array(0);

  /** Takes the key columns of a batch; `keys` may be views of them. */
  set(columns: readonly IdColumn[], rows: number): void {
    this.reserve(rows, columns.length);
    const disorder = firstDisorder(columns, rows);
    this.identity = disorder === rows;
    if (this.identity) {
      this.count = rows;
      this.keys = columns;
      return;
    }
    for (let row = 0; row < rows; row++) this.order[row] = row;
    if (!isSorted(columns, disorder, rows)) this.sort(columns, rows);
    this.group(columns, rows);
  }

  private reserve(rows: number, width: number): void {
    if (rows > this.order.length) {
      let size = Math.max(16, this.order.length);
      while (size < rows) size *= 2;
      this.order = new Uint32Array(size);
      this.starts = new Uint32Array(size + 1);
      this.own = [];
    }
    if (this.own.length === width) return;
    this.own = Array.from({ length: width }, () => new Uint32Array(2 * this.order.length));
  }

  private sort(columns: readonly IdColumn[], rows: number): void {
    if (rows <= INSERTION_ROWS_MAX) {
      insertionSort(this.order, columns, rows);
      return;
    }
    if (this.other.length < this.order.length) this.other = new Uint32Array(this.order.length);
    for (let key = columns.length - 1; key >= 0; key--) {
      const column = columns[key] as IdColumn;
      this.sortHalf(column, 0, rows);
      this.sortHalf(column, 1, rows);
    }
  }

  /** Stable passes over the digits of one half of a column. */
  private sortHalf(column: IdColumn, half: 0 | 1, rows: number): void {
    const first = column[half] as number;
    let differing = 0;
    for (let row = 1; row < rows; row++) differing |= (column[2 * row + half] as number) ^ first;
    while (differing !== 0) {
      // The digit begins at the lowest bit that differs.
      const shift = 31 - Math.clz32(differing & -differing);
      digitPass(column, half, shift, this.order, this.other, rows);
      [this.order, this.other] = [this.other, this.order];
      differing = shift + DIGIT_BITS >= 32 ? 0 : differing & ~((1 << (shift + DIGIT_BITS)) - 1);
    }
  }

  private group(columns: readonly IdColumn[], rows: number): void {
    const { order, starts, own } = this;
    let count = 0;
    for (let at = 0; at < rows; at++) {
      const row = order[at] as number;
      if (at > 0 && compareKeys(columns, order[at - 1] as number, row) === 0) continue;
      starts[count] = at;
      for (let key = 0; key < columns.length; key++) {
        const from = columns[key] as IdColumn;
        const to = own[key] as IdColumn;
        to[2 * count] = from[2 * row] as number;
        to[2 * count + 1] = from[2 * row + 1] as number;
      }
      count++;
    }
    starts[count] = rows;
    this.count = count;
    this.keys = own;
  }
}

function compareKeys(columns: readonly IdColumn[], a: number, b: number): number {
  for (let key = 0; key < columns.length; key++) {
    const column = columns[key] as IdColumn;
    const order = compareIds(column, a, column, b);
    if (order !== 0) return order;
  }
  return 0;
}

/** The first row whose key is not above that of the row before; `rows` when there is none. */
function firstDisorder(columns: readonly IdColumn[], rows: number): number {
  for (let row = 1; row < rows; row++) if (compareKeys(columns, row - 1, row) >= 0) return row;
  return rows;
}

function isSorted(columns: readonly IdColumn[], from: number, rows: number): boolean {
  for (let row = from; row < rows; row++) if (compareKeys(columns, row - 1, row) > 0) return false;
  return true;
}

function insertionSort(order: Uint32Array, columns: readonly IdColumn[], rows: number): void {
  for (let at = 1; at < rows; at++) {
    const row = order[at] as number;
    let to = at;
    for (; to > 0 && compareKeys(columns, order[to - 1] as number, row) > 0; to--) order[to] = order[to - 1] as number;
    order[to] = row;
  }
}

/** One stable counting sort of rows by the digit that begins at a bit of one half of their ids. */
function digitPass(
  column: IdColumn,
  half: 0 | 1,
  shift: number,
  from: Uint32Array,
  to: Uint32Array,
  rows: number,
): void {
  histogram.fill(0);
  for (let row = 0; row < rows; row++) {
    const digit = ((column[2 * row + half] as number) >>> shift) & (DIGITS - 1);
    histogram[digit] = (histogram[digit] as number) + 1;
  }
  let sum = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = histogram[digit] as number;
    histogram[digit] = sum;
    sum += count;
  }
  for (let at = 0; at < rows; at++) {
    const row = from[at] as number;
    const digit = ((column[2 * row + half] as number) >>> shift) & (DIGITS - 1);
    const place = histogram[digit] as number;
    histogram[digit] = place + 1;
    to[place] = row;
  }
}
