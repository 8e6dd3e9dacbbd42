/** Puts the rows of batches together to blocks that are full but for the last, whatever the batches are. */

import type { ThreadMemory } from '../../kernels/memory.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, COLUMNS } from '../seam/scan.js';
import type { SourceBatch } from './row-source.js';

export class BlockFiller {
  readonly #memory: ThreadMemory;
  readonly #columns: RowColumns;
  readonly #take: (columns: RowColumns, rows: number) => void;
  #filled = 0;

  /** `take` is given the rows of each block. */
  constructor(memory: ThreadMemory, take: (columns: RowColumns, rows: number) => void) {
    this.#memory = memory;
    this.#columns = new RowColumns(memory);
    this.#take = take;
  }

  /** Takes the rows of a batch that count; every column is decoded. */
  add({ columns, selection, selected }: SourceBatch): void {
    const { bytes, kernels } = this.#memory;
    for (let at = 0; at < selected; ) {
      const count = Math.min(selected - at, BATCH_ROWS - this.#filled);
      for (let c = 0; c < COLUMNS.length; c++) {
        const from = columns[c] as number;
        const to = (this.#columns.addresses[c] as number) + 8 * this.#filled;
        if (selection === 0) bytes.copyWithin(to, from + 8 * at, from + 8 * (at + count));
        else kernels.gatherColumn(from, selection + 4 * at, count, to);
      }
      this.#filled += count;
      at += count;
      if (this.#filled === BATCH_ROWS) this.flush();
    }
  }

  /** Hands out what there is, though the block is not full. */
  flush(): void {
    if (this.#filled > 0) this.#take(this.#columns, this.#filled);
    this.#filled = 0;
  }

  release(): void {
    this.#columns.release();
  }
}
