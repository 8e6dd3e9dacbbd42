/**
 * Rows in kernel memory in the sequence in which they came, and sorted on demand in any order: the
 * asserted rows of the delta or of a stage, and likewise their tombstones (full rows of what was closed).
 * Rows are only ever appended; their times may be set in place.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { keyColumns, ORDERS, PACKED_KEY_DEPTH, packedKey } from '../runs/orders.js';
import { sortRows } from '../runs/sort-rows.js';
import { RowColumns } from '../runs/writer.js';
import { COLUMNS, type Order } from '../seam/scan.js';

const ROWS_FIRST = 1024;
const NO_VALUE = (1n << 64n) - 1n;
/** Columns of the key of an order, txFrom last. */
const KEY_SEQUENCES = new Map(ORDERS.map((order) => [order, [...keyColumns(order), 4]]));
/** From this share of new rows on everything is sorted anew. */
const SORT_ALL_SHARE = 0.25;
/** Rows that `find` keeps apart, so that a small transaction does not merge its rows with all those before it. */
const TAIL_ROWS_MAX = 1024;

/**
 * Row numbers of a memtable, sorted by the key of an order, in kernel memory. It never changes: a memtable that grows makes
 * a new one. Cursors pin the one that they read; it is freed when it is replaced and nobody reads it any more.
 */
export class Permutation {
  readonly address: number;
  readonly count: number;
  readonly #memory: ThreadMemory;
  #pins = 1;

  constructor(memory: ThreadMemory, count: number) {
    this.#memory = memory;
    this.count = count;
    this.address = memory.allocate(4 * Math.max(1, count));
  }

  pin(): this {
    this.#pins++;
    return this;
  }

  unpin(): void {
    if (--this.#pins === 0) this.#memory.free(this.address, 4 * Math.max(1, this.count));
  }
}

export class Memtable {
  readonly memory: ThreadMemory;
  #columns: RowColumns;
  #count = 0;
  readonly #sorted = new Map<Order, Permutation>();
  /** By column: the least value of its first so many rows. */
  readonly #least = new Map<number, { readonly count: number; readonly value: bigint }>();
  /** By column: the value that its first so many rows all have; null = they differ. */
  readonly #uniform = new Map<number, { readonly count: number; readonly value: bigint | null }>();
  /** In SPOG the rows from `from` on, which `#sorted` does not have yet. */
  #tail: { readonly from: number; readonly rows: Permutation } | null = null;

  constructor(memory: ThreadMemory, rows = ROWS_FIRST) {
    this.memory = memory;
    this.#columns = new RowColumns(memory, rows);
  }

  get count(): number {
    return this.#count;
  }

  /** Kernel memory that the rows and their orders take. */
  get bytes(): number {
    return 64 * this.#columns.rows + 4 * this.#count * this.#sorted.size;
  }

  /** Valid until rows are appended. */
  get columns(): RowColumns {
    return this.#columns;
  }

  /** Room for `rows` more behind the last row; fill the columns there, then call `grow`. */
  reserve(rows: number): RowColumns {
    if (this.#count + rows <= this.#columns.rows) return this.#columns;
    const larger = new RowColumns(this.memory, Math.max(2 * this.#columns.rows, this.#count + rows));
    copyRows(this.memory, this.#columns, 0, larger, 0, this.#count);
    this.#columns.release();
    this.#columns = larger;
    return larger;
  }

  grow(rows: number): void {
    this.#count += rows;
  }

  append(from: RowColumns, at: number, rows: number): void {
    const to = this.reserve(rows);
    copyRows(this.memory, from, at, to, this.#count, rows);
    this.#count += rows;
  }

  /** Value of one column of one row, as halves. */
  low(column: number, row: number): number {
    return this.memory.words[((this.#columns.addresses[column] as number) >>> 2) + 2 * row] as number;
  }

  high(column: number, row: number): number {
    return this.memory.words[((this.#columns.addresses[column] as number) >>> 2) + 2 * row + 1] as number;
  }

  set(column: number, row: number, low: number, high: number): void {
    const at = ((this.#columns.addresses[column] as number) >>> 2) + 2 * row;
    this.memory.words[at] = low;
    this.memory.words[at + 1] = high;
    this.#least.delete(column);
    this.#uniform.delete(column);
  }

  /** The least value of a column, looked for among rows that are new; none is greater than 2^64 - 1, which no rows have. */
  least(column: number): bigint {
    const known = this.#least.get(column);
    if (known?.count === this.#count) return known.value;
    let value = known?.value ?? NO_VALUE;
    const values = this.memory.bigsAt(this.#columns.addresses[column] as number, this.#count);
    for (let row = known?.count ?? 0; row < values.length; row++) {
      const one = values[row] as bigint;
      if (one < value) value = one;
    }
    this.#least.set(column, { count: this.#count, value });
    return value;
  }

  /** The value that a column has in all rows, as times have that one transaction wrote; null = they differ, or there are none. */
  uniform(column: number): bigint | null {
    const count = this.#count;
    const known = this.#uniform.get(column);
    if (known?.count === count || known?.value === null) return known.value;
    const words = this.memory.wordsAt(this.#columns.addresses[column] as number, 2 * count);
    const [low, high] = [words[0] as number, words[1] as number];
    let row = known?.count ?? 0;
    while (row < count && words[2 * row] === low && words[2 * row + 1] === high) row++;
    const value = row < count || count === 0 ? null : (BigInt(high) << 32n) | BigInt(low);
    this.#uniform.set(column, { count, value });
    return value;
  }

  /** All rows in an order, rows of one quad by transaction. Pin it to keep it over an append. */
  sorted(order: Order): Permutation {
    const known = this.#sorted.get(order);
    if (known !== undefined && known.count === this.#count) return known;
    const made = this.#sort(order, known);
    known?.unpin();
    this.#sorted.set(order, made);
    return made;
  }

  /** The rows from `from` on in an order; `known` has the first of them. */
  #sort(order: Order, known: Permutation | undefined, from = 0): Permutation {
    const { memory } = this;
    const made = new Permutation(memory, this.#count - from);
    const before = from + (known?.count ?? 0);
    const added = this.#count - before;
    const all = known === undefined || added > SORT_ALL_SHARE * made.count;
    const fresh = all ? made.address : memory.allocate(4 * added);
    const count = all ? made.count : added;
    const first = all ? from : before;
    const words = memory.wordsAt(fresh, count);
    for (let i = 0; i < count; i++) words[i] = first + i;
    sortRows(memory, this.#columns, fresh, count, packedKey(order), PACKED_KEY_DEPTH);
    if (!all && known !== undefined) {
      memory.kernels.mergePermutation(
        this.#columns.list,
        known.address,
        known.count,
        fresh,
        added,
        packedKey(order),
        PACKED_KEY_DEPTH,
        made.address,
      );
      memory.free(fresh, 4 * added);
    }
    return made;
  }

  /** First position in an order whose key is not before the `depth` u64 at `key`. */
  lowerBound(order: Order, permutation: Permutation, key: number, depth: number, from = 0): number {
    return this.memory.kernels.lowerBoundRows(
      this.#columns.list,
      permutation.address,
      permutation.count,
      packedKey(order),
      depth,
      key,
      from,
    );
  }

  /** The newest row with the `depth` leading values of SPOG at `key`, or -1; among those that `known` lists, where it is given. */
  find(key: number, depth: number, known?: Permutation): number {
    if (this.#count === 0) return -1;
    if (known !== undefined) return this.#findIn(known, key, depth);
    const most = this.#sorted.get('SPOG');
    if (most === undefined || this.#count - most.count > TAIL_ROWS_MAX) {
      return this.#findIn(this.sorted('SPOG'), key, depth);
    }
    // Rows of the tail are newer.
    const newer = most.count === this.#count ? -1 : this.#findIn(this.#tailFrom(most.count), key, depth);
    return newer >= 0 ? newer : this.#findIn(most, key, depth);
  }

  #tailFrom(from: number): Permutation {
    const known = this.#tail?.from === from ? this.#tail.rows : undefined;
    if (known !== undefined && from + known.count === this.#count) return known;
    const rows = this.#sort('SPOG', known, from);
    this.#tail?.rows.unpin();
    this.#tail = { from, rows };
    return rows;
  }

  #findIn(sorted: Permutation, key: number, depth: number): number {
    const { memory } = this;
    const position = memory.kernels.findRow(
      this.#columns.list,
      sorted.address,
      sorted.count,
      packedKey('SPOG'),
      depth,
      key,
    );
    return position < 0 ? -1 : (memory.words[(sorted.address >>> 2) + position] as number);
  }

  /** A copy with nothing shared. */
  clone(): Memtable {
    const copy = new Memtable(this.memory, Math.max(ROWS_FIRST, this.#count));
    copy.append(this.#columns, 0, this.#count);
    return copy;
  }

  release(): void {
    for (const permutation of this.#sorted.values()) permutation.unpin();
    this.#tail?.rows.unpin();
    this.#tail = null;
    this.#sorted.clear();
    this.#columns.release();
  }
}

export function copyRows(
  memory: ThreadMemory,
  from: RowColumns,
  at: number,
  to: RowColumns,
  target: number,
  rows: number,
): void {
  for (let c = 0; c < COLUMNS.length; c++) {
    const start = (from.addresses[c] as number) + 8 * at;
    memory.bytes.copyWithin((to.addresses[c] as number) + 8 * target, start, start + 8 * rows);
  }
}

/** Writes the key columns of a row to `key`, as u64 in the order's sequence, txFrom last. */
export function writeKey(
  memory: ThreadMemory,
  order: Order,
  columns: readonly number[],
  row: number,
  key: number,
): void {
  const words = memory.words;
  const sequence = KEY_SEQUENCES.get(order) as number[];
  for (let d = 0; d < sequence.length; d++) {
    const at = ((columns[sequence[d] as number] as number) >>> 2) + 2 * row;
    words[(key >>> 2) + 2 * d] = words[at] as number;
    words[(key >>> 2) + 2 * d + 1] = words[at + 1] as number;
  }
}
