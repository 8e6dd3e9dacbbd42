/**
 * A stable merge sort of row numbers by any comparison: runs of 1,024 rows are sorted first and then merged, bottom up.
 * A slice is a bounded number of comparisons, so that a sort of millions of strings does not hold the thread.
 */

import { PENDING, type Work } from '../../runtime/operator.js';
import { ascending } from './row-sort.js';

const RUN_ROWS = 1024;
const COMPARISONS_PER_SLICE = 16_384;

type Compare = (a: number, b: number) => number;

export function* mergeSort(rows: number, compare: Compare): Work<Uint32Array> {
  let order: Uint32Array = ascending(rows);
  for (let from = 0; from < rows; from += RUN_ROWS) {
    order.subarray(from, from + RUN_ROWS).sort(compare);
    if (from + RUN_ROWS < rows) yield PENDING;
  }
  let spare: Uint32Array = new Uint32Array(rows <= RUN_ROWS ? 0 : rows);
  for (let width = RUN_ROWS; width < rows; width *= 2) {
    for (let start = 0; start < rows; start += 2 * width) {
      const middle = Math.min(start + width, rows);
      const pair = { first: start, middle, second: middle, end: Math.min(middle + width, rows), to: start };
      while (pair.to < pair.end) {
        mergeSome(order, spare, pair, compare);
        yield PENDING;
      }
    }
    [order, spare] = [spare, order];
  }
  return order;
}

/** Two neighbouring runs: the next row of each, where each ends, and where the next one goes. */
interface RunPair {
  first: number;
  readonly middle: number;
  second: number;
  readonly end: number;
  to: number;
}

/** Merges a slice of two runs. */
function mergeSome(order: Uint32Array, spare: Uint32Array, pair: RunPair, compare: Compare): void {
  const { middle, end } = pair;
  let { first, second } = pair;
  const until = Math.min(end, pair.to + COMPARISONS_PER_SLICE);
  for (let to = pair.to; to < until; to++) {
    const takesFirst =
      second >= end || (first < middle && compare(order[first] as number, order[second] as number) <= 0);
    spare[to] = order[takesFirst ? first++ : second++] as number;
  }
  pair.first = first;
  pair.second = second;
  pair.to = until;
}
