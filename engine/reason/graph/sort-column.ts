/** A column of 64-bit keys in ascending order, with the rows that they stood in; equal keys keep their sequence. */

import { threadMemory, useThreadMemory } from '../../kernels/thread-memory.js';
import type { IdColumn } from '../../storage/seam/scan.js';

const HISTOGRAM_BYTES = 16_384;

/** What `take` is given is valid during its call. */
export function withSortedColumn<Result>(
  column: IdColumn,
  take: (keys: IdColumn, rows: Uint32Array) => Result,
): Result {
  const count = column.length / 2;
  const leave = useThreadMemory();
  const memory = threadMemory();
  const sizes = [8 * count, 4 * count, 8 * count, 4 * count, HISTOGRAM_BYTES];
  const areas = sizes.map((size) => memory.allocate(size));
  try {
    const [keys, rows, keys2, rows2, histogram] = areas as [number, number, number, number, number];
    memory.wordsAt(keys, 2 * count).set(column);
    const numbers = memory.wordsAt(rows, count);
    for (let row = 0; row < count; row++) numbers[row] = row;
    const isInSecond = memory.kernels.sortPairs(keys, rows, keys2, rows2, count, histogram, 0);
    return take(memory.wordsAt(isInSecond ? keys2 : keys, 2 * count), memory.wordsAt(isInSecond ? rows2 : rows, count));
  } finally {
    for (const [at, address] of areas.entries()) memory.free(address, sizes[at] as number);
    leave();
  }
}
