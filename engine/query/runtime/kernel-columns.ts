/**
 * Columns of ids in the kernel memory of the thread, in one range of it, behind a list of their addresses:
 * kernels write into them, and operators hand them on. Whoever makes them gives them up when it is closed.
 */

import { invariant } from '../../base/errors.js';
import { threadMemory, threadWords } from '../../kernels/thread-memory.js';
import type { IdColumn } from '../../storage/seam/scan.js';

const BYTES_PER_ID = 8;
const FIRST_ROWS = 16;
const NO_IDS: IdColumn = new Uint32Array(0);
const NO_NUMBERS: Int32Array = new Int32Array(0);

export class KernelColumns {
  columns: readonly IdColumn[];
  /** Rows that there is room for. */
  capacity = 0;
  /** Address of the addresses of the columns. */
  listAt = 0;

  constructor(
    readonly width: number,
    private readonly rowsMax = Number.POSITIVE_INFINITY,
  ) {
    this.columns = Array(width).fill(NO_IDS);
  }

  /** Room for so many rows; what the columns held is gone when they had less. */
  reserve(rows: number): void {
    if (rows <= this.capacity) return;
    let capacity = Math.max(FIRST_ROWS, this.capacity);
    while (capacity < rows) capacity *= 2;
    this.release();
    this.resize(Math.min(capacity, Math.max(rows, this.rowsMax)), 0);
  }

  /** Room for just so many rows, of which the first `kept` stay. */
  resize(capacity: number, kept: number): void {
    const { width, listAt, capacity: before, columns: old } = this;
    invariant(kept <= before && kept <= capacity, 'kept rows were there, and have room');
    if (width === 0) {
      this.capacity = capacity;
      return;
    }
    const memory = threadMemory();
    this.listAt = memory.allocate(bytesOf(width, capacity));
    this.capacity = capacity;
    const list = threadWords(this.listAt, width);
    const columns: IdColumn[] = [];
    let address = this.listAt + headOf(width);
    for (let column = 0; column < width; column++) {
      list[column] = address;
      const made = threadWords(address, 2 * capacity);
      if (kept > 0) made.set((old[column] as IdColumn).subarray(0, 2 * kept));
      columns.push(made);
      address += BYTES_PER_ID * capacity;
    }
    this.columns = columns;
    if (before > 0) memory.free(listAt, bytesOf(width, before));
  }

  release(): void {
    if (this.capacity > 0 && this.width > 0) threadMemory().free(this.listAt, bytesOf(this.width, this.capacity));
    this.columns = Array(this.width).fill(NO_IDS);
    this.capacity = 0;
    this.listAt = 0;
  }
}

function headOf(width: number): number {
  return BYTES_PER_ID * Math.ceil(width / 2);
}

function bytesOf(width: number, capacity: number): number {
  return headOf(width) + width * BYTES_PER_ID * capacity;
}

/** Numbers of rows in kernel memory; what they are is gone when there is to be room for more. */
export class KernelNumbers {
  words: Int32Array = NO_NUMBERS;

  constructor(private readonly rowsMax: number) {}

  reserve(rows: number): void {
    if (rows <= this.words.length) return;
    let room = Math.max(FIRST_ROWS, this.words.length);
    while (room < rows) room *= 2;
    room = Math.min(room, Math.max(rows, this.rowsMax));
    this.release();
    const { buffer, byteOffset } = threadWords(threadMemory().allocate(4 * room), room);
    this.words = new Int32Array(buffer, byteOffset, room);
  }

  release(): void {
    if (this.words.length > 0) threadMemory().free(this.words.byteOffset, 4 * this.words.length);
    this.words = NO_NUMBERS;
  }
}
