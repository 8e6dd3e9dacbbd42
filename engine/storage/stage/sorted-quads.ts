/**
 * Quads on their way into a stage: sorted by s, p, o, g, freed of repetitions, and handed on in slices
 * of at most 4,096 rows that ascend. Many quads at once are sorted at once, so that what lies behind is
 * passed over once for all of them.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { packedKey } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import type { QuadColumns } from '../seam/engine.js';
import { BATCH_ROWS } from '../seam/scan.js';
import type { IdHalves } from './term-map.js';

/** s, p, o, g. */
const WIDTH = 4;
const WIDTH_MASK = 0x0f;

export class SortedQuads {
  readonly #memory: ThreadMemory;
  /** Where single quads are gathered. */
  readonly #batch: RowColumns;
  readonly #numbers: number;
  readonly #scratch: number;
  /** The slice at hand; the columns of times are the stage's to fill. */
  readonly slice: RowColumns;

  constructor(memory: ThreadMemory) {
    this.#memory = memory;
    this.#batch = new RowColumns(memory);
    this.slice = new RowColumns(memory);
    this.#numbers = memory.allocate(4 * BATCH_ROWS);
    this.#scratch = memory.allocate(4 * BATCH_ROWS);
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
    return this.#slices(this.#batch, rows, this.#numbers, this.#scratch);
  }

  *of(quads: QuadColumns): Generator<number> {
    const { rows } = quads;
    if (rows <= BATCH_ROWS) {
      this.#fill(this.#batch, quads);
      yield* this.placed(rows);
      return;
    }
    const memory = this.#memory;
    const all = new RowColumns(memory, rows);
    const [numbers, scratch] = [memory.allocate(4 * rows), memory.allocate(4 * rows)];
    try {
      this.#fill(all, quads);
      yield* this.#slices(all, rows, numbers, scratch);
    } finally {
      all.release();
      memory.free(numbers, 4 * rows);
      memory.free(scratch, 4 * rows);
    }
  }

  #fill(columns: RowColumns, { rows, s, p, o, g }: QuadColumns): void {
    for (const [c, column] of [s, p, o, g].entries()) {
      this.#memory.wordsAt(columns.addresses[c] as number, 2 * rows).set(column.subarray(0, 2 * rows));
    }
  }

  *#slices(columns: RowColumns, rows: number, numbers: number, scratch: number): Generator<number> {
    if (rows === 0) return;
    const { kernels } = this.#memory;
    const words = this.#memory.wordsAt(numbers, rows);
    for (let i = 0; i < rows; i++) words[i] = i;
    kernels.sortPermutation(columns.list, numbers, rows, packedKey('SPOG'), WIDTH, scratch);
    const last = new Uint32Array(2 * WIDTH);
    for (let from = 0; from < rows; from += BATCH_ROWS) {
      const to = Math.min(rows, from + BATCH_ROWS);
      kernels.gatherRows(columns.list, numbers, from, to, WIDTH_MASK, this.slice.list);
      const kept = this.#dropRepeated(to - from, from === 0 ? null : last);
      if (kept === 0) continue;
      this.#copyKey(kept - 1, last);
      yield kept;
    }
  }

  /** Keeps the first of equal rows, in place; `before` is the row in front of the slice. */
  #dropRepeated(rows: number, before: Uint32Array | null): number {
    const { words } = this.#memory;
    const columns = this.slice.addresses.slice(0, WIDTH).map((address) => address >>> 2);
    let kept = before === null || !this.#equalsKey(0, before) ? 1 : 0;
    for (let row = 1; row < rows; row++) {
      let same = true;
      for (let c = 0; c < WIDTH && same; c++) {
        const at = (columns[c] as number) + 2 * row;
        // The row in front is where it was or has been moved forward unchanged; either way it equals its source.
        same = words[at] === words[at - 2] && words[at + 1] === words[at - 1];
      }
      if (same) continue;
      if (kept < row) {
        for (const column of columns) {
          words[column + 2 * kept] = words[column + 2 * row] as number;
          words[column + 2 * kept + 1] = words[column + 2 * row + 1] as number;
        }
      }
      kept++;
    }
    return kept;
  }

  #equalsKey(row: number, key: Uint32Array): boolean {
    const { words } = this.#memory;
    for (let c = 0; c < WIDTH; c++) {
      const at = ((this.slice.addresses[c] as number) >>> 2) + 2 * row;
      if (words[at] !== key[2 * c] || words[at + 1] !== key[2 * c + 1]) return false;
    }
    return true;
  }

  #copyKey(row: number, key: Uint32Array): void {
    const { words } = this.#memory;
    for (let c = 0; c < WIDTH; c++) {
      const at = ((this.slice.addresses[c] as number) >>> 2) + 2 * row;
      key[2 * c] = words[at] as number;
      key[2 * c + 1] = words[at + 1] as number;
    }
  }

  release(): void {
    this.#batch.release();
    this.slice.release();
    this.#memory.free(this.#numbers, 4 * BATCH_ROWS);
    this.#memory.free(this.#scratch, 4 * BATCH_ROWS);
  }
}
