/**
 * Pairs of rows before they are rows: the numbers of a row on either side, in two arrays that all joins of a
 * thread share, since they are filled and read within one step. The columns of the output are then gathered
 * one at a time. The kernels are those of `kernels/as/row-pairs.ts`.
 */

import type { ThreadMemory } from '../../../kernels/memory.js';
import { KernelInput, keptInMemory, threadMemory, threadWords } from '../../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';

/** A pair without a row on the second side. */
export const NO_ROW = -1;

export interface RowPairs {
  /** `first[i]` goes with `second[i]`. */
  readonly first: Int32Array;
  readonly second: Int32Array;
  /** Where a kernel goes on, while it is called. */
  readonly cursor: Uint32Array;
}

const firstInput = new KernelInput(2 * BATCH_ROWS);
const secondInput = new KernelInput(2 * BATCH_ROWS);

/** The pairs of the thread; good for one query. */
export const rowPairs = keptInMemory(
  (memory): RowPairs => ({
    first: numbers(memory, BATCH_ROWS),
    second: numbers(memory, BATCH_ROWS),
    cursor: threadWords(memory.allocate(16), 4),
  }),
);

function numbers(memory: ThreadMemory, count: number): Int32Array {
  const words = threadWords(memory.allocate(4 * count), count);
  return new Int32Array(words.buffer, words.byteOffset, count);
}

/**
 * Keeps the pairs whose ids in two columns are the same, at rows of either side; with `loose` an unbound id
 * agrees with anything. Columns of more than a batch lie in kernel memory.
 */
export function keepEqual(
  a: IdColumn,
  rowsOfA: Int32Array,
  lengthOfA: number,
  b: IdColumn,
  rowsOfB: Int32Array,
  lengthOfB: number,
  count: number,
  loose = false,
): number {
  if (count === 0) return 0;
  const { first, second } = rowPairs();
  const at = firstInput.addressOf(a, 2 * lengthOfA);
  const other = secondInput.addressOf(b, 2 * lengthOfB);
  const { kernels } = threadMemory();
  const [rowsAt, othersAt] = [rowsOfA.byteOffset, rowsOfB.byteOffset];
  return kernels.keepPairs(at, rowsAt, other, othersAt, loose ? 1 : 0, count, first.byteOffset, second.byteOffset);
}
