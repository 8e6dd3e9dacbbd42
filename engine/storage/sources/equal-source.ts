/** The rows of a source that have one value in a column: those that one transaction opened, or closed. */

import type { ThreadMemory } from '../../kernels/memory.js';
import { FilterSource, keepRows, type RowSource, type SourceBatch } from './row-source.js';

export class EqualSource extends FilterSource {
  readonly #column: number;
  readonly #value: bigint;
  readonly #columns: readonly number[];

  /** The input gives dense batches in which the columns are decoded, the tested one among them. */
  constructor(memory: ThreadMemory, input: RowSource, column: number, value: bigint, columns: readonly number[]) {
    super(memory, input);
    this.#column = column;
    this.#value = value;
    this.#columns = columns;
  }

  protected filter(batch: SourceBatch): SourceBatch | null {
    const { memory, selection } = this;
    const values = batch.columns[this.#column] as number;
    const kept = memory.kernels.selectRange(values, 0, batch.rows, this.#value, this.#value + 1n, selection);
    return kept === 0 ? null : keepRows(memory, batch, this.#columns, selection, kept);
  }
}
