/** The rows of a source that have one value in a column: those that one transaction opened, or closed. */

import type { ThreadMemory } from '../../kernels/memory.js';
import { BATCH_ROWS } from '../seam/scan.js';
import { keepRows, type RowSource, type SourceBatch } from './row-source.js';

const SELECTION_BYTES = 4 * BATCH_ROWS;

export class EqualSource implements RowSource {
  readonly #memory: ThreadMemory;
  readonly #input: RowSource;
  readonly #column: number;
  readonly #value: bigint;
  readonly #columns: readonly number[];
  readonly #selection: number;

  /** The input gives dense batches in which the columns are decoded, the tested one among them. */
  constructor(memory: ThreadMemory, input: RowSource, column: number, value: bigint, columns: readonly number[]) {
    this.#memory = memory;
    this.#input = input;
    this.#column = column;
    this.#value = value;
    this.#columns = columns;
    this.#selection = memory.allocate(SELECTION_BYTES);
  }

  begin(from: number, to: number): void {
    this.#input.begin?.(from, to);
  }

  next(): SourceBatch | null {
    for (let batch = this.#input.next(); batch !== null; batch = this.#input.next()) {
      const [values, to] = [batch.columns[this.#column] as number, this.#selection];
      const kept = this.#memory.kernels.selectRange(values, 0, batch.rows, this.#value, this.#value + 1n, to);
      if (kept > 0) return keepRows(this.#memory, batch, this.#columns, to, kept);
    }
    return null;
  }

  seek(values: readonly bigint[]): void {
    this.#input.seek(values);
  }

  close(): void {
    this.#input.close();
    this.#memory.free(this.#selection, SELECTION_BYTES);
  }
}
