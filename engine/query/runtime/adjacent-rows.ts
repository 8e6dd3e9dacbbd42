/** Tells new rows from repeated ones where equal rows come one after the other: each is compared with the row before it. */

import { keptInMemory, threadMemory, threadWords } from '../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { QueryBatch } from './batch.js';
import { listColumns } from './column-list.js';

const BYTES_PER_ID = 8;

const selection = keptInMemory((memory) => threadWords(memory.allocate(4 * BATCH_ROWS), BATCH_ROWS));

export class AdjacentRows {
  /** The row before, and whether there is one. */
  private last: Uint32Array | null = null;
  private readonly order: bigint;

  /** At most eight columns: the kernel takes their numbers as bytes of one word. */
  constructor(private readonly width: number) {
    this.order = Array.from({ length: width }, (_, column) => BigInt(column) << BigInt(8 * column)).reduce(
      (a, b) => a | b,
    );
  }

  /** Lists the rows that are new in `into`, ascending; gives their number. */
  select(columns: readonly IdColumn[], rows: number, into: Uint32Array): number {
    const { order, width } = this;
    this.last ??= this.makeLast();
    const { kernels } = threadMemory();
    const selected = selection();
    const list = listColumns(columns, rows);
    const { byteOffset: lastAt } = this.last;
    const count = kernels.selectDistinctRows(list, order, width, 0, rows, lastAt, selected.byteOffset);
    into.set(selected.subarray(0, count));
    return count;
  }

  /** Nothing was left undecided. */
  drain(): readonly QueryBatch[] {
    return [];
  }

  close(): void {
    if (this.last !== null) threadMemory().free(this.last.byteOffset, 4 * this.last.length);
    this.last = null;
  }

  private makeLast(): Uint32Array {
    const bytes = BYTES_PER_ID * (this.width + 1);
    return threadWords(threadMemory().allocate(bytes), bytes / 4).fill(0);
  }
}
