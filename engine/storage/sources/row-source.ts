/**
 * A stream of sorted batches in kernel memory: what run cursors, merges and filters pass to each
 * other below the seam. A batch is valid until the next call of the source that gave it.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { PackedScan } from '../seam/packed-scan.js';
import { BATCH_ROWS } from '../seam/scan.js';

export interface SourceBatch {
  readonly rows: number;
  /** Addresses of the eight columns; those that were not asked for hold nothing. */
  readonly columns: readonly number[];
  /** Address of the list of column addresses, for kernels. */
  readonly list: number;
  /** Address of u32 row numbers, or 0 when all rows count. */
  readonly selection: number;
  /** Rows that count. */
  readonly selected: number;
}

export interface RowSource {
  next(): SourceBatch | null;
  /** Of a source that looks keys up: begins with the keys `[from, to)` of those that were loaded last; they may go back. */
  begin?(from: number, to: number): void;
  /** Skips rows before a key prefix in the source's order; never goes back. */
  seek(values: readonly bigint[]): void;
  /** All rows as packed blocks, before any were read; null or absent where they are not stored that way. */
  packed?(): PackedScan | null;
  close(): void;
}

export const EMPTY_SOURCE: RowSource = {
  next: () => null,
  seek: () => undefined,
  close: () => undefined,
};

/** Moves the rows that a selection lists to the front of the columns; returns a batch of those alone. */
export function keepRows(
  memory: ThreadMemory,
  batch: SourceBatch,
  columns: Iterable<number>,
  selection: number,
  kept: number,
): SourceBatch {
  if (kept === batch.rows) return batch;
  for (const column of columns) {
    const address = batch.columns[column] as number;
    memory.kernels.gatherColumn(address, selection, kept, address);
  }
  return { ...batch, rows: kept, selection: 0, selected: kept };
}

/** The rows of another source but those that a filter takes out. */
export abstract class FilterSource implements RowSource {
  protected readonly memory: ThreadMemory;
  protected readonly input: RowSource;
  /** Address for the numbers of the rows of a batch that stay. */
  protected readonly selection: number;

  constructor(memory: ThreadMemory, input: RowSource) {
    this.memory = memory;
    this.input = input;
    this.selection = memory.allocate(4 * BATCH_ROWS);
  }

  begin(from: number, to: number): void {
    this.input.begin?.(from, to);
  }

  next(): SourceBatch | null {
    for (let batch = this.input.next(); batch !== null; batch = this.input.next()) {
      const left = this.filter(batch);
      if (left !== null) return left;
    }
    return null;
  }

  /** What is left of a batch; null = nothing. */
  protected abstract filter(batch: SourceBatch): SourceBatch | null;

  seek(values: readonly bigint[]): void {
    this.input.seek(values);
  }

  close(): void {
    this.input.close();
    this.memory.free(this.selection, 4 * BATCH_ROWS);
  }
}
