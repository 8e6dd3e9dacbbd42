/** Row numbers sorted by the key columns of their rows, rows of equal keys in the sequence in which they came. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { RowColumns } from './writer.js';

/** From so many rows on a sort by digits beats one by merges (decision 5). */
const BY_DIGITS_FROM = 1024;
/** Scratch of `radixSortPermutation`: fixed, and a row. */
const DIGITS_BYTES = 16_384;
const DIGITS_ROW_BYTES = 20;

/** Sorts the `count` u32 at `numbers` by the first `depth` columns of a packed key. */
export function sortRows(
  memory: ThreadMemory,
  rows: RowColumns,
  numbers: number,
  count: number,
  key: bigint,
  depth: number,
): void {
  if (count < 2) return;
  const byDigits = count >= BY_DIGITS_FROM;
  const bytes = byDigits ? DIGITS_BYTES + DIGITS_ROW_BYTES * count : 4 * count;
  const scratch = memory.allocate(bytes);
  const { radixSortPermutation, sortPermutation } = memory.kernels;
  (byDigits ? radixSortPermutation : sortPermutation)(rows.list, numbers, count, key, depth, scratch);
  memory.free(scratch, bytes);
}
