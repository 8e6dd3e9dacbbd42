/**
 * A probe of a graph with a few rows more (`patch/patch.ts`). The rows that are added are few and sorted: those of the keys
 * are found by one pass over both, and mostly there are none. Batches of the graph between them are handed through as
 * they are; where an added row belongs into a batch, the rows around it are copied.
 */

import type { ThreadMemory } from '../../../kernels/memory.js';
import { ORDER_COLUMNS } from '../../runs/orders.js';
import { RowColumns } from '../../runs/writer.js';
import {
  BATCH_ROWS,
  COLUMNS,
  type Column,
  type IdColumn,
  type KeyPosition,
  NO_COLUMNS,
  type ProbeBatch,
  type ProbeCursor,
  type ProbeRequest,
} from '../../seam/scan.js';
import type { AddedTriples } from '../patch/added-triples.js';
import { addedRows, triplesAdded } from '../scan/layers.js';
import type { PatchedGraph, ScanView } from '../view.js';

const WORDS_BYTES = 4 * BATCH_ROWS;

/** Null where the place of an added row among those of its key can't be told by the columns that are wanted. */
export function spliceProbe(
  patched: PatchedGraph,
  request: ProbeRequest,
  held: Set<{ close(): void }>,
  base: () => ProbeCursor,
): ProbeCursor | null {
  if (addedRows(patched, request.pattern, request.order).rows === 0) return base();
  const rest = comparedColumns(request);
  return rest === null ? null : new SplicedProbe(patched, { ...request, rest }, held, base());
}

/** The columns by which rows of one key are in order, up to the last that is wanted; null when one of them is not. */
function comparedColumns({ order, pattern, keys, columns, counted }: ProbeRequest): readonly Column[] | null {
  if (counted === true) return [];
  const open = ORDER_COLUMNS[order].filter(
    (column) => column !== 'g' && pattern[column]?.kind !== 'id' && !(keys as readonly string[]).includes(column),
  );
  while (open.length > 0 && !columns.includes(open[open.length - 1] as Column)) open.pop();
  return open.every((column) => columns.includes(column)) ? open : null;
}

interface SplicedRequest extends ProbeRequest {
  readonly rest: readonly Column[];
}

class SplicedProbe implements ProbeCursor {
  readonly #view: ScanView;
  readonly #held: Set<{ close(): void }>;
  readonly #base: ProbeCursor;
  readonly #rest: readonly Column[];
  readonly #wanted: readonly Column[];
  readonly #added: AddedRows;
  readonly #counted: boolean;
  /** The batch of the graph at hand, and how far it was taken. */
  #batch: ProbeBatch | null = null;
  #at = 0;
  #ended = true;
  /** Made with the first row that is spliced in. */
  #out: SplicedBatch | null = null;
  #closed = false;

  constructor(patched: PatchedGraph, request: SplicedRequest, held: Set<{ close(): void }>, base: ProbeCursor) {
    const { order, pattern, keys, rest, counted = false, columns } = request;
    this.#view = patched.view;
    this.#held = held.add(this);
    this.#base = base;
    this.#rest = rest;
    this.#counted = counted;
    this.#wanted = counted ? [] : columns;
    this.#added = new AddedRows(triplesAdded(patched, pattern, order), keys);
  }

  begin(keys: readonly IdColumn[], count: number): void {
    if (this.#closed) return;
    this.#base.begin(keys, count);
    this.#view.scan.counters.rowsScanned += this.#added.find(keys, count);
    if (this.#counted) this.#added.count();
    this.#batch = null;
    this.#ended = false;
  }

  next(): ProbeBatch | null {
    if (this.#closed) return null;
    if (this.#batch === null && !this.#ended) {
      this.#batch = this.#base.next();
      this.#at = 0;
      this.#ended = this.#batch === null;
    }
    const batch = this.#batch;
    const added = this.#added;
    if (batch === null) return added.left === 0 ? null : this.#splice();
    if (this.#at > 0 || (added.left > 0 && batch.rows > 0 && this.#isBefore(batch, batch.rows - 1)))
      return this.#splice();
    this.#batch = null;
    return batch;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#held.delete(this);
    this.#base.close();
    this.#out?.release();
  }

  /** True when the next added row comes before a row of a batch, or into its count. */
  #isBefore({ keys, columns }: ProbeBatch, row: number): boolean {
    const added = this.#added;
    const [key, own] = [keys[row] as number, added.key];
    if (own !== key) return own < key;
    if (this.#counted) return true;
    for (const column of this.#rest) {
      const order = added.compare(column, columns[column] as IdColumn, row);
      if (order !== 0) return order < 0;
    }
    return true;
  }

  #splice(): ProbeBatch {
    this.#out ??= new SplicedBatch(this.#view.context.memory, this.#wanted, this.#counted);
    const [out, added] = [this.#out, this.#added];
    out.begin();
    while (out.room > 0) {
      const batch = this.#batch;
      if (batch !== null) {
        const to = added.left === 0 ? batch.rows : this.#placeIn(batch);
        this.#at += out.copy(batch, this.#at, to);
        if (this.#at === batch.rows) {
          this.#batch = null;
          break;
        }
        if (out.room === 0) break;
        if (this.#counted && batch.keys[this.#at] === added.key) {
          out.putCount(added.key, added.rowsOfKey + ((batch.counts as Uint32Array)[this.#at] as number));
          this.#at++;
          added.pass();
          if (this.#at === batch.rows) {
            this.#batch = null;
            break;
          }
          continue;
        }
      } else if (added.left === 0 || !this.#ended) break;
      if (this.#counted) out.putCount(added.key, added.rowsOfKey);
      else out.put(added);
      added.pass();
    }
    return out.batch();
  }

  /** The first row of a batch, from the one at hand on, that the next added row comes before. */
  #placeIn(batch: ProbeBatch): number {
    let [low, high] = [this.#at, batch.rows];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(batch, middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** The added rows of the keys at hand, by key; of a count one for each key. */
class AddedRows {
  readonly #triples: AddedTriples;
  readonly #columns: readonly IdColumn[];
  /** Of each row that was found the number of its key, and its own. */
  #keys: number[] = [];
  #rows: number[] = [];
  /** How many rows each key has. */
  #counts: number[] = [];
  #at = 0;

  constructor(triples: AddedTriples, keys: readonly KeyPosition[]) {
    this.#triples = triples;
    this.#columns = keys.map((position) => triples.columns[position]);
  }

  /** Finds the rows of keys; how many. Both ascend, so that whichever is behind gallops on to the other. */
  find(keys: readonly IdColumn[], count: number): number {
    this.#at = 0;
    if (this.#keys.length > 0) [this.#keys, this.#rows] = [[], []];
    const { rows } = this.#triples;
    for (let [row, key] = [0, 0]; row < rows && key < count; ) {
      const order = compareIds(this.#columns, row, keys, key);
      if (order < 0) row = gallop(this.#columns, row, rows, keys, key);
      else if (order > 0) key = gallop(keys, key, count, this.#columns, row);
      else {
        this.#keys.push(key);
        this.#rows.push(row++);
      }
    }
    return this.#keys.length;
  }

  /** Leaves each key once, with the number of its rows. */
  count(): void {
    const keys: number[] = [];
    this.#counts = [];
    for (const key of this.#keys) {
      if (key !== keys.at(-1)) {
        keys.push(key);
        this.#counts.push(0);
      }
      this.#counts[keys.length - 1] = (this.#counts.at(-1) as number) + 1;
    }
    this.#keys = keys;
  }

  get left(): number {
    return this.#keys.length - this.#at;
  }

  get key(): number {
    return this.#keys[this.#at] as number;
  }

  get rowsOfKey(): number {
    return this.#counts[this.#at] as number;
  }

  low(column: Column): number {
    return this.#triples.columns[column as KeyPosition][2 * (this.#rows[this.#at] as number)] as number;
  }

  high(column: Column): number {
    return this.#triples.columns[column as KeyPosition][2 * (this.#rows[this.#at] as number) + 1] as number;
  }

  compare(column: Column, ids: IdColumn, row: number): number {
    const high = this.high(column) - (ids[2 * row + 1] as number);
    return high !== 0 ? high : this.low(column) - (ids[2 * row] as number);
  }

  pass(): void {
    this.#at++;
  }
}

function compareIds(a: readonly IdColumn[], i: number, b: readonly IdColumn[], j: number): number {
  for (let column = 0; column < a.length; column++) {
    const [left, right] = [a[column] as IdColumn, b[column] as IdColumn];
    const high = (left[2 * i + 1] as number) - (right[2 * j + 1] as number);
    if (high !== 0) return high;
    const low = (left[2 * i] as number) - (right[2 * j] as number);
    if (low !== 0) return low;
  }
  return 0;
}

/** The first entry of ascending columns, behind one that is below an entry of others, that is not below it. */
function gallop(
  from: readonly IdColumn[],
  at: number,
  end: number,
  others: readonly IdColumn[],
  other: number,
): number {
  let [low, high] = [at + 1, at + 1];
  for (let step = 1; high < end && compareIds(from, high, others, other) < 0; step *= 2) {
    low = high + 1;
    high += step;
  }
  high = Math.min(high, end);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareIds(from, middle, others, other) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A batch that is put together. */
class SplicedBatch {
  readonly #memory: ThreadMemory;
  readonly #rows: RowColumns;
  readonly #wanted: readonly Column[];
  readonly #columns: Record<Column, IdColumn | null> = { ...NO_COLUMNS };
  readonly #words: number;
  readonly #keys: Uint32Array;
  readonly #counts: Uint32Array | null;
  #filled = 0;

  constructor(memory: ThreadMemory, wanted: readonly Column[], counted: boolean) {
    this.#memory = memory;
    this.#wanted = wanted;
    this.#rows = new RowColumns(memory);
    this.#words = memory.allocate(2 * WORDS_BYTES);
    this.#keys = memory.wordsAt(this.#words, BATCH_ROWS);
    this.#counts = counted ? memory.wordsAt(this.#words + WORDS_BYTES, BATCH_ROWS) : null;
    for (const column of wanted) {
      this.#columns[column] = memory.wordsAt(this.#rows.addresses[COLUMNS.indexOf(column)] as number, 2 * BATCH_ROWS);
    }
  }

  begin(): void {
    this.#filled = 0;
  }

  get room(): number {
    return BATCH_ROWS - this.#filled;
  }

  /** Copies rows `[from, to)` as far as there is room; how many. */
  copy({ columns, keys, counts }: ProbeBatch, from: number, to: number): number {
    const rows = Math.min(to - from, this.room);
    if (rows <= 0) return 0;
    for (const column of this.#wanted) {
      const ids = (columns[column] as IdColumn).subarray(2 * from, 2 * (from + rows));
      (this.#columns[column] as IdColumn).set(ids, 2 * this.#filled);
    }
    this.#keys.set(keys.subarray(from, from + rows), this.#filled);
    if (counts !== null) this.#counts?.set(counts.subarray(from, from + rows), this.#filled);
    this.#filled += rows;
    return rows;
  }

  put(added: AddedRows): void {
    for (const column of this.#wanted) {
      const ids = this.#columns[column] as IdColumn;
      ids[2 * this.#filled] = added.low(column);
      ids[2 * this.#filled + 1] = added.high(column);
    }
    this.#keys[this.#filled++] = added.key;
  }

  putCount(key: number, count: number): void {
    (this.#counts as Uint32Array)[this.#filled] = count;
    this.#keys[this.#filled++] = key;
  }

  batch(): ProbeBatch {
    return { rows: this.#filled, columns: this.#columns, keys: this.#keys, counts: this.#counts };
  }

  release(): void {
    this.#rows.release();
    this.#memory.free(this.#words, 2 * WORDS_BYTES);
  }
}
