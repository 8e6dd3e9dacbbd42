/** Packs sorted rows that come in batches of any size into one run: its blocks are full but for the last. */

import { invariant } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { BATCH_ROWS, COLUMNS, type Order } from '../seam/scan.js';
import type { FileSink } from './file-sink.js';
import type { RunRecord } from './manifest.js';
import { RowColumns, RunWriter, type WrittenRun } from './writer.js';

/** What a run is called, and which rows it has. */
export type AboutRun = Pick<RunRecord, 'id' | 'kind' | 'span'>;

/** Puts the directory of a run into the file; gives what the manifest says of the run. */
export function recordRun(sink: FileSink, { directory, ...written }: WrittenRun, about: AboutRun): RunRecord {
  const [first] = directory.map((bytes) => sink.directory(bytes));
  return { ...about, ...written, directory: first as number };
}

export class PackedRun {
  readonly #memory: ThreadMemory;
  readonly #sink: FileSink;
  readonly #writer: RunWriter;
  readonly #columns: RowColumns;
  readonly #rowsMax: number;
  #filled = 0;
  #ended = false;

  /** `rows`: how many there will be at the most. */
  constructor(memory: ThreadMemory, sink: FileSink, order: Order, rows: number) {
    this.#memory = memory;
    this.#sink = sink;
    this.#rowsMax = rows;
    this.#writer = new RunWriter(memory, sink.row, order, sink.reserveRows(Math.ceil(rows / BATCH_ROWS)));
    this.#columns = new RowColumns(memory);
  }

  /** Rows that it took. */
  get rows(): number {
    return this.#writer.rows + this.#filled;
  }

  /** Takes the first `rows` rows of columns, or those that a list of u32 numbers names. */
  take(columns: readonly number[], rows: number, list = 0): void {
    const { bytes, kernels } = this.#memory;
    for (let at = 0; at < rows; ) {
      const count = Math.min(rows - at, BATCH_ROWS - this.#filled);
      for (let c = 0; c < COLUMNS.length; c++) {
        const from = columns[c] as number;
        const to = (this.#columns.addresses[c] as number) + 8 * this.#filled;
        if (list === 0) bytes.copyWithin(to, from + 8 * at, from + 8 * (at + count));
        else kernels.gatherColumn(from, list + 4 * at, count, to);
      }
      this.#filled += count;
      at += count;
      if (this.#filled === BATCH_ROWS) this.#flush();
    }
  }

  #flush(): void {
    invariant(this.rows <= this.#rowsMax, `a run that was to have ${this.#rowsMax} rows gets no more`);
    this.#writer.append(this.#columns, this.#filled);
    this.#filled = 0;
  }

  /** What is written of it; a run without rows has no place in the manifest. Frees everything. */
  finish(about: AboutRun): RunRecord {
    if (this.#filled > 0) this.#flush();
    this.#ended = true;
    this.#columns.release();
    return recordRun(this.#sink, this.#writer.finish(), about);
  }

  /** Gives it up, unless it is finished. */
  release(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#columns.release();
    this.#writer.release();
  }
}
