/**
 * Probes where rows come from several runs, or a delta or a stage stands above them, or rows of several
 * graphs become one, or tests are left: the sources of a scan, each confined to the keys, through the same
 * merges and filters, which are made once and serve any number of `begin`s. Rows that come out in the order of the scan
 * are in the order of the keys, and are numbered by walking along both. Some keys at a time, so that a call stays bounded.
 */

import { invariant } from '../../../base/errors.js';
import type { ThreadMemory } from '../../../kernels/memory.js';
import { keyColumns } from '../../runs/orders.js';
import {
  BATCH_ROWS,
  COLUMNS,
  type Column,
  type IdColumn,
  type ProbeBatch,
  type ProbeCursor,
  type ProbeRequest,
} from '../../seam/scan.js';
import { keepRows, type RowSource, type SourceBatch } from '../../sources/row-source.js';
import type { ScanView } from '../view.js';
import { KeyPrefix, ProbeKeys } from './probe-keys.js';
import { prefixOf } from './probe-plan.js';
import { ProbeSources } from './probe-sources.js';

/** Keys that are looked up together. */
const KEYS_AT_ONCE = 1024;
const NUMBERS_BYTES = 4 * BATCH_ROWS;
const NO_COLUMNS = Object.fromEntries(COLUMNS.map((name) => [name, null])) as Record<Column, IdColumn | null>;

const NO_IDS = new Uint32Array(0);

export class MergedProbe implements ProbeCursor {
  readonly #memory: ThreadMemory;
  readonly #request: ProbeRequest;
  readonly #held: Set<{ close(): void }>;
  readonly #wanted: readonly number[];
  readonly #keys: ProbeKeys;
  /** In the order of the request. */
  readonly #prefix: KeyPrefix;
  readonly #sources: ProbeSources;
  readonly #open: (sources: ProbeSources) => RowSource;
  readonly #numbers: number;
  /** Entries of a count: keys and counts. The last one may grow until another key comes. */
  readonly #counted: { readonly keys: Uint32Array; readonly counts: Uint32Array } | null;
  #entries = 0;
  /** Entries that the last batch gave. */
  #given = 0;
  /** Made when keys are first looked up. */
  #source: RowSource | null = null;
  /** True while rows of the keys `[from, to)` may be left. */
  #active = false;
  /** Columns of the source's last batch, and what was given for them. */
  #addresses: readonly number[] | null = null;
  #columns: Readonly<Record<Column, IdColumn | null>> = NO_COLUMNS;
  /** The keys `[from, to)` are being looked up. */
  #from = 0;
  #to = 0;
  #closed = false;

  /** `open` makes the source of the rows, sorted, from those that look keys up. */
  constructor(
    view: ScanView,
    request: ProbeRequest,
    held: Set<{ close(): void }>,
    open: (sources: ProbeSources) => RowSource,
  ) {
    const { memory } = view.context;
    this.#memory = memory;
    this.#request = request;
    this.#held = held.add(this);
    this.#wanted = request.counted === true ? [] : request.columns.map((column) => COLUMNS.indexOf(column));
    this.#keys = new ProbeKeys(memory, request.keys.length);
    this.#prefix = new KeyPrefix(this.#keys, prefixOf(request.order, request.pattern, request.keys));
    this.#sources = new ProbeSources(view, request, this.#keys, this.#wanted);
    this.#open = open;
    this.#numbers = memory.allocate(NUMBERS_BYTES);
    const entries = (): Uint32Array => new Uint32Array(BATCH_ROWS + 1);
    this.#counted = request.counted === true ? { keys: entries(), counts: entries() } : null;
  }

  begin(keys: readonly IdColumn[], count: number): void {
    if (this.#closed) return;
    this.#active = false;
    this.#keys.load(keys, count);
    this.#prefix.begin();
    this.#sources.begin();
    this.#from = 0;
    this.#to = 0;
    this.#entries = 0;
    this.#given = 0;
  }

  next(): ProbeBatch | null {
    if (!this.#active) {
      if (this.#closed || this.#to >= this.#keys.count) return this.#lastEntry();
      this.#from = this.#to;
      this.#to = Math.min(this.#keys.count, this.#from + KEYS_AT_ONCE);
      this.#source ??= this.#open(this.#sources);
      this.#source.begin?.(this.#from, this.#to);
      this.#active = true;
    }
    const batch = (this.#source as RowSource).next();
    if (batch === null) {
      this.#active = false;
      return this.#to < this.#keys.count ? this.#entryBatch() : this.#lastEntry();
    }
    const rows = this.#densely(batch);
    this.#from = this.#memory.kernels.numberRows(batch.list, rows, this.#prefix.address, this.#from, this.#numbers);
    invariant(this.#from <= this.#to, 'a probe finds rows of the keys that it looks up');
    const numbers = this.#memory.wordsAt(this.#numbers, rows);
    if (this.#counted !== null) return this.#count(numbers);
    return { rows, columns: this.#columnsOf(batch.columns), keys: numbers, counts: null };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#held.delete(this);
    this.#active = false;
    this.#source?.close();
    this.#entries = 0;
    this.#prefix.release();
    this.#sources.release();
    this.#keys.release();
    this.#memory.free(this.#numbers, NUMBERS_BYTES);
  }

  /** Moves the rows that count together. */
  #densely(batch: SourceBatch): number {
    if (batch.selection === 0) return batch.rows;
    const columns = new Set([...this.#wanted, ...keyColumns(this.#request.order)]);
    return keepRows(this.#memory, batch, columns, batch.selection, batch.selected).rows;
  }

  /** Views of whole columns: kernel memory never moves, and most batches lie where the last one did. */
  #columnsOf(addresses: readonly number[]): Readonly<Record<Column, IdColumn | null>> {
    if (addresses === this.#addresses) return this.#columns;
    const columns = { ...NO_COLUMNS };
    for (const column of this.#wanted) {
      columns[COLUMNS[column] as Column] = this.#memory.wordsAt(addresses[column] as number, 2 * BATCH_ROWS);
    }
    this.#addresses = addresses;
    this.#columns = columns;
    return columns;
  }

  /** Adds rows to the entries; gives those that are full. */
  #count(numbers: Uint32Array): ProbeBatch {
    const { keys, counts } = this.#counted as { keys: Uint32Array; counts: Uint32Array };
    this.#keepLast();
    for (let row = 0; row < numbers.length; row++) {
      const key = numbers[row] as number;
      if (this.#entries === 0 || keys[this.#entries - 1] !== key) {
        keys[this.#entries] = key;
        counts[this.#entries++] = 0;
      }
      counts[this.#entries - 1] = (counts[this.#entries - 1] as number) + 1;
    }
    return this.#entryBatch();
  }

  /** Leaves of the entries that were given the last one, which was not. */
  #keepLast(): void {
    if (this.#counted === null || this.#given === 0) return;
    const { keys, counts } = this.#counted;
    keys.copyWithin(0, this.#given, this.#entries);
    counts.copyWithin(0, this.#given, this.#entries);
    this.#entries -= this.#given;
    this.#given = 0;
  }

  /** All entries but the last; nothing when rows are asked for. */
  #entryBatch(): ProbeBatch {
    this.#keepLast();
    const rows = Math.max(0, this.#entries - 1);
    this.#given = rows;
    return this.#batchOf(rows);
  }

  /** What is left at the end. */
  #lastEntry(): ProbeBatch | null {
    this.#keepLast();
    const rows = this.#entries;
    if (rows === 0) return null;
    this.#given = rows;
    return this.#batchOf(rows);
  }

  #batchOf(rows: number): ProbeBatch {
    const { keys, counts } = this.#counted ?? { keys: NO_IDS, counts: null };
    const columns = this.#addresses === null ? this.#emptyColumns() : this.#columns;
    return { rows, columns, keys, counts };
  }

  /** Of a batch that comes before the first row. */
  #emptyColumns(): Readonly<Record<Column, IdColumn | null>> {
    const columns = { ...NO_COLUMNS };
    for (const column of this.#wanted) columns[COLUMNS[column] as Column] = NO_IDS;
    return columns;
  }
}
