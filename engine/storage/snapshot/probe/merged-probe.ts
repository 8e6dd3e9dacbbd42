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
  NO_COLUMNS,
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
  readonly #openSource: (sources: ProbeSources) => RowSource;
  readonly #numbers: number;
  /** Entries of a count: keys and counts. */
  readonly #counted: { readonly keys: Uint32Array; readonly counts: Uint32Array } | null;
  /** The entry behind them: it may grow until another key comes. */
  #open = { key: 0, count: 0 };
  /** Made when keys are first looked up. */
  #source: RowSource | null = null;
  /** True while rows of the keys `[from, to)` may be left. */
  #active = false;
  /** Columns of the source's last batch, and what was given for them. */
  #addresses: readonly number[] | null = null;
  readonly #columns: Record<Column, IdColumn | null> = { ...NO_COLUMNS };
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
    this.#openSource = open;
    this.#numbers = memory.allocate(NUMBERS_BYTES);
    // Of a batch that comes before the first row.
    for (const column of this.#wanted) this.#columns[COLUMNS[column] as Column] = NO_IDS;
    const entries = (): Uint32Array => new Uint32Array(BATCH_ROWS);
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
    this.#open.count = 0;
  }

  next(): ProbeBatch | null {
    if (!this.#active) {
      if (this.#closed || this.#to >= this.#keys.count) return this.#end();
      this.#from = this.#to;
      this.#to = Math.min(this.#keys.count, this.#from + KEYS_AT_ONCE);
      this.#source ??= this.#openSource(this.#sources);
      this.#source.begin?.(this.#from, this.#to);
      this.#active = true;
    }
    const batch = (this.#source as RowSource).next();
    if (batch === null) {
      this.#active = false;
      return this.#to < this.#keys.count ? this.#batchOf(0) : this.#end();
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
    this.#open.count = 0;
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
  #columnsOf(addresses: readonly number[]): ProbeBatch['columns'] {
    if (addresses === this.#addresses) return this.#columns;
    for (const column of this.#wanted) {
      const ids = this.#memory.wordsAt(addresses[column] as number, 2 * BATCH_ROWS);
      this.#columns[COLUMNS[column] as Column] = ids;
    }
    this.#addresses = addresses;
    return this.#columns;
  }

  /** Counts rows; gives the entries of the keys that are behind. */
  #count(numbers: Uint32Array): ProbeBatch {
    let entries = 0;
    for (const key of numbers) {
      if (key !== this.#open.key) {
        entries = this.#close(entries);
        this.#open.key = key;
      }
      this.#open.count++;
    }
    return this.#batchOf(entries);
  }

  /** Puts the open entry behind others, unless it is empty; how many there are then. */
  #close(entries: number): number {
    const { keys, counts } = this.#counted as { keys: Uint32Array; counts: Uint32Array };
    if (this.#open.count === 0) return entries;
    keys[entries] = this.#open.key;
    counts[entries] = this.#open.count;
    this.#open.count = 0;
    return entries + 1;
  }

  /** What is left behind the last row. */
  #end(): ProbeBatch | null {
    return this.#open.count === 0 ? null : this.#batchOf(this.#close(0));
  }

  #batchOf(rows: number): ProbeBatch {
    const { keys, counts } = this.#counted ?? { keys: NO_IDS, counts: null };
    return { rows, columns: this.#columns, keys, counts };
  }
}
