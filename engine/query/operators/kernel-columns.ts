/**
 * Columns of ids in the kernel memory of the thread, in one range of it: kernels write into them, and
 * operators hand them on. Whoever makes them gives them up when it is closed.
 */

import { threadMemory, threadWords } from '../../kernels/thread-memory.js';
import type { IdColumn } from '../../storage/scan.js';

const BYTES_PER_ID = 8;
const FIRST_ROWS = 16;

export class KernelColumns {
  columns: readonly IdColumn[] = [];
  /** Rows that there is room for; columns follow each other at `stride` bytes from `address` on. */
  capacity = 0;
  address = 0;

  constructor(
    readonly width: number,
    private readonly rowsMax = Number.POSITIVE_INFINITY,
  ) {}

  get stride(): number {
    return BYTES_PER_ID * this.capacity;
  }

  addressOf(column: number): number {
    return this.address + column * this.stride;
  }

  /** Room for so many rows; what the columns held is gone when they had less. */
  reserve(rows: number): void {
    if (rows <= this.capacity) return;
    let capacity = Math.max(FIRST_ROWS, this.capacity);
    while (capacity < rows) capacity *= 2;
    this.release();
    this.capacity = Math.min(capacity, Math.max(rows, this.rowsMax));
    if (this.width === 0) return;
    this.address = threadMemory().allocate(this.width * this.stride);
    const columns: IdColumn[] = [];
    for (let column = 0; column < this.width; column++) {
      columns.push(threadWords(this.addressOf(column), 2 * this.capacity));
    }
    this.columns = columns;
  }

  release(): void {
    if (this.capacity > 0 && this.width > 0) threadMemory().free(this.address, this.width * this.stride);
    this.columns = [];
    this.capacity = 0;
  }
}
