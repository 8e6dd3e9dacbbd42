/**
 * Quads on their way into a stage: sorted by s, p, o, g, freed of repetitions, and handed on in slices
 * of at most 4,096 rows that ascend. Many quads at once are sorted at once, so that what lies behind is
 * passed over once for all of them.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { INSTANT_BIAS, type Instant } from '../ids/layout.js';
import { packedKey } from '../runs/orders.js';
import { sortRows } from '../runs/sort-rows.js';
import { RowColumns } from '../runs/writer.js';
import type { QuadColumns } from '../seam/engine.js';
import { BATCH_ROWS, type IdColumn } from '../seam/scan.js';
import type { IdHalves } from './term-map.js';

/** s, p, o, g. */
const WIDTH = 4;
const WIDTH_MASK = 0x0f;
const VALID_FROM = 6;
const DATED_MASK = WIDTH_MASK | (1 << VALID_FROM);
/** A quad and a flag, carried from slice to slice. */
const LAST_BYTES = 8 * (WIDTH + 1);

export class SortedQuads {
  readonly #memory: ThreadMemory;
  /** Where single quads are gathered. */
  readonly #batch: RowColumns;
  readonly #numbers: number;
  readonly #selection: number;
  /** The last quad of a slice, to compare the next one with. */
  readonly #last: number;
  /** The slice at hand; the columns of times are the stage's to fill, but for beginnings that came with the quads. */
  readonly slice: RowColumns;

  constructor(memory: ThreadMemory) {
    this.#memory = memory;
    this.#batch = new RowColumns(memory);
    this.slice = new RowColumns(memory);
    this.#numbers = memory.allocate(4 * BATCH_ROWS);
    this.#selection = memory.allocate(4 * BATCH_ROWS);
    this.#last = memory.allocate(LAST_BYTES);
  }

  /** Puts one quad to a row below 4,096. */
  place(row: number, ids: readonly IdHalves[]): void {
    const { words } = this.#memory;
    for (let c = 0; c < WIDTH; c++) {
      const id = ids[c] as IdHalves;
      const at = ((this.#batch.addresses[c] as number) >>> 2) + 2 * row;
      words[at] = id.low;
      words[at + 1] = id.high;
    }
  }

  /** The quads that were put to the first `rows` rows. Gives the length of each slice. */
  placed(rows: number): Generator<number> {
    return this.#slices(this.#batch, rows, this.#numbers);
  }

  *of(quads: QuadColumns, validFrom?: IdColumn): Generator<number> {
    const { rows } = quads;
    const mask = validFrom === undefined ? WIDTH_MASK : DATED_MASK;
    if (rows <= BATCH_ROWS) {
      this.#fill(this.#batch, quads, validFrom);
      yield* this.#slices(this.#batch, rows, this.#numbers, mask);
      return;
    }
    const memory = this.#memory;
    const all = new RowColumns(memory, rows);
    const numbers = memory.allocate(4 * rows);
    try {
      this.#fill(all, quads, validFrom);
      yield* this.#slices(all, rows, numbers, mask);
    } finally {
      all.release();
      memory.free(numbers, 4 * rows);
    }
  }

  /** The least beginning that came with the rows of the slice, but for those that are marked. */
  firstBegin(rows: number, marked: Uint8Array): Instant {
    const { words } = this.#memory;
    const at = (this.slice.addresses[VALID_FROM] as number) >>> 2;
    let first = Number.POSITIVE_INFINITY;
    for (let i = 0; i < rows; i++) {
      if (marked[i] === 1) continue;
      first = Math.min(first, (words[at + 2 * i + 1] as number) * 2 ** 32 + (words[at + 2 * i] as number));
    }
    return first - INSTANT_BIAS;
  }

  #fill(columns: RowColumns, { rows, s, p, o, g }: QuadColumns, validFrom: IdColumn | undefined): void {
    const put = (c: number, column: IdColumn): void =>
      this.#memory.wordsAt(columns.addresses[c] as number, 2 * rows).set(column.subarray(0, 2 * rows));
    for (const [c, column] of [s, p, o, g].entries()) put(c, column);
    if (validFrom !== undefined) put(VALID_FROM, validFrom);
  }

  *#slices(columns: RowColumns, rows: number, numbers: number, mask: number = WIDTH_MASK): Generator<number> {
    if (rows === 0) return;
    const { kernels } = this.#memory;
    const selection = this.#selection;
    const words = this.#memory.wordsAt(numbers, rows);
    for (let i = 0; i < rows; i++) words[i] = i;
    sortRows(this.#memory, columns, numbers, rows, packedKey('SPOG'), WIDTH);
    this.#memory.wordsAt(this.#last, LAST_BYTES / 4).fill(0);
    for (let from = 0; from < rows; from += BATCH_ROWS) {
      const count = Math.min(BATCH_ROWS, rows - from);
      const { list, addresses } = this.slice;
      kernels.gatherRows(columns.list, numbers, from, from + count, mask, list);
      const kept = kernels.selectDistinctRows(list, packedKey('SPOG'), WIDTH, 0, count, this.#last, selection);
      if (kept === 0) continue;
      if (kept < count) {
        for (const [c, address] of addresses.entries()) {
          if ((mask & (1 << c)) !== 0) kernels.gatherColumn(address, selection, kept, address);
        }
      }
      yield kept;
    }
  }

  release(): void {
    this.#batch.release();
    this.slice.release();
    this.#memory.free(this.#numbers, 4 * BATCH_ROWS);
    this.#memory.free(this.#selection, 4 * BATCH_ROWS);
    this.#memory.free(this.#last, LAST_BYTES);
  }
}

/** Quads that are picked out of slices, as columns of their own. */
export class QuadList {
  readonly #memory: ThreadMemory;
  readonly #columns: readonly IdColumn[];
  #count = 0;

  /** `rows`: most quads that it takes. */
  constructor(memory: ThreadMemory, rows: number) {
    this.#memory = memory;
    this.#columns = Array.from({ length: WIDTH }, () => new Uint32Array(2 * rows));
  }

  /** Takes those of the first `rows` rows that are marked. */
  take(from: RowColumns, rows: number, marked: Uint8Array): void {
    const { words } = this.#memory;
    for (let row = 0; row < rows; row++) {
      if (marked[row] === 0) continue;
      for (let c = 0; c < WIDTH; c++) {
        const at = ((from.addresses[c] as number) >>> 2) + 2 * row;
        const column = this.#columns[c] as IdColumn;
        column[2 * this.#count] = words[at] as number;
        column[2 * this.#count + 1] = words[at + 1] as number;
      }
      this.#count++;
    }
  }

  columns(): QuadColumns {
    const [s, p, o, g] = this.#columns as readonly [IdColumn, IdColumn, IdColumn, IdColumn];
    return { rows: this.#count, s, p, o, g };
  }
}
