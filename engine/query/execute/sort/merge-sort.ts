/**
 * A stable merge sort of row numbers by any comparison: runs of 1,024 rows are sorted first and then merged, bottom up.
 * A slice is a bounded number of comparisons, so that a sort of millions of strings does not hold the thread.
 */

import { PENDING, type Work } from '../../runtime/operator.js';
import { ascending } from './row-sort.js';

const RUN_ROWS = 1024;
const COMPARISONS_PER_SLICE = 16_384;

export function* mergeSort(rows: number, compare: (a: number, b: number) => number): Work<Uint32Array> {
  let order = ascending(rows);
  for (let from = 0; from < rows; from += RUN_ROWS) {
    order.subarray(from, from + RUN_ROWS).sort(compare);
    if (from + RUN_ROWS < rows) yield PENDING;
  }
  let spare: Uint32Array<ArrayBufferLike> = new Uint32Array(rows <= RUN_ROWS ? 0 : rows);
  let left = COMPARISONS_PER_SLICE;
  for (let width = RUN_ROWS; width < rows; width *= 2) {
    for (let start = 0; start < rows; start += 2 * width) {
      const middle = Math.min(start + width, rows);
      const end = Math.min(start + 2 * width, rows);
      let [a, b] = [start, middle];
      for (let to = start; to < end; to++) {
        const takesFirst = b >= end || (a < middle && compare(order[a] as number, order[b] as number) <= 0);
        spare[to] = order[takesFirst ? a++ : b++] as number;
        if (--left > 0) continue;
        left = COMPARISONS_PER_SLICE;
        yield PENDING;
      }
    }
    [order, spare] = [spare, order];
  }
  return order;
}
