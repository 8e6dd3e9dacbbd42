/**
 * A stable sort of many row numbers by a number for each row, in kernel memory: rows go into buckets by where their numbers lie
 * between the least and the greatest, and each bucket, which the cache holds, is sorted by digits (`kernels/as/sort-buckets.ts`).
 * Numbers that crowd together leave large buckets; these are left to who sorts any number of rows (`row-sort.ts`).
 */

import { threadMemory, threadWords } from '../../../kernels/thread-memory.js';
import { KernelColumns } from '../../runtime/kernel-columns.js';
import { inSlices, PENDING, type Work } from '../../runtime/operator.js';

/** What sorting a row takes meanwhile: its number and itself, twice. */
export const BUCKET_BYTES_PER_ROW = 24;
/** Fewer are sorted faster by digits alone. */
export const BUCKET_ROWS_MIN = 1 << 15;

const ROWS_PER_BUCKET = 4096;
const BUCKETS_MAX = 1024;
/** Rows of a bucket that are sorted in one go: about two milliseconds. */
const BUCKET_ROWS_MAX = 1 << 17;
const ROWS_PER_SLICE = 65_536;
const HISTOGRAM_BYTES = 16_384;
/** Least and greatest number. */
const FIGURE_BYTES = 16;
const BYTES_PER_WORD = 4;

/** The rows, listed in `order` (null: as they are numbered), by their `values`, among which no NaN is. */
export function* bucketSort(
  values: Float64Array,
  rows: number,
  order: Uint32Array | null,
  sortAnyMany: (order: Uint32Array) => Work<Uint32Array>,
): Work<Uint32Array> {
  const buckets = Math.min(BUCKETS_MAX, Math.ceil(rows / ROWS_PER_BUCKET));
  const area = new SortArea(rows, buckets);
  try {
    if (yield* area.read(values, order)) return order ?? ascendingRows(rows);
    yield* area.fill(buckets);
    const sorted = yield* area.sort(buckets);
    for (const [from, to] of area.large) {
      const part = yield* sortAnyMany(sorted.slice(from, to));
      sorted.set(part, from);
    }
    return sorted;
  } finally {
    area.release();
  }
}

function ascendingRows(rows: number): Uint32Array {
  const order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  return order;
}

class SortArea {
  /** Buckets with too many rows. */
  readonly large: (readonly [number, number])[] = [];
  private readonly ids = new KernelColumns(2);
  private readonly order: Uint32Array;
  private readonly bucketRows: Uint32Array;
  private readonly starts: Uint32Array;
  private readonly figures: Float64Array;
  private readonly histogramAt: number;
  private isListed = false;

  constructor(
    private readonly rows: number,
    buckets: number,
  ) {
    this.ids.resize(rows, 0);
    this.order = words(rows);
    this.bucketRows = words(rows);
    this.starts = words(buckets + 1);
    const at = threadMemory().allocate(FIGURE_BYTES);
    this.figures = threadMemory().doublesAt(at, 2);
    this.histogramAt = threadMemory().allocate(HISTOGRAM_BYTES);
  }

  /** Addresses of the numbers as they come, and as keys by bucket. */
  private get addresses(): readonly [number, number] {
    const [first, second] = this.ids.columns;
    return [(first as Uint32Array).byteOffset, (second as Uint32Array).byteOffset];
  }

  /** Takes the numbers in; true where the rows are in order already. */
  *read(values: Float64Array, order: Uint32Array | null): Work<boolean> {
    const { figures, rows } = this;
    const { kernels } = threadMemory();
    const [numbersAt] = this.addresses;
    const numbers = threadMemory().doublesAt(numbersAt, rows);
    figures[0] = Number.POSITIVE_INFINITY;
    figures[1] = Number.NEGATIVE_INFINITY;
    let isSorted = true;
    if (order !== null) {
      this.order.set(order);
      this.isListed = true;
    }
    yield* inSlices(rows, ROWS_PER_SLICE, (from, to) => {
      if (order === null) numbers.set(values.subarray(from, to), from);
      else for (let at = from; at < to; at++) numbers[at] = values[order[at] as number] as number;
      if (kernels.measureNumbers(numbersAt, from, to, figures.byteOffset) === 0) isSorted = false;
    });
    return isSorted;
  }

  /** Puts keys and rows into their buckets. */
  *fill(buckets: number): Work {
    const { kernels } = threadMemory();
    const { rows } = this;
    const [numbersAt, keysAt] = this.addresses;
    const [startsAt, orderAt, rowsAt] = [this.starts.byteOffset, this.order.byteOffset, this.bucketRows.byteOffset];
    const [least = 0, greatest = 0] = this.figures;
    const span = greatest - least;
    // Above zero, so that infinite numbers have a bucket too, where the others are all one or too far apart.
    const scale = span > 0 && Number.isFinite(span) ? Math.min(buckets / span, Number.MAX_VALUE) : Number.MIN_VALUE;
    const from0 = Number.isFinite(least) ? least : 0;
    const last = buckets - 1;
    this.starts.fill(0);
    yield* inSlices(rows, ROWS_PER_SLICE, (from, to) =>
      kernels.countBuckets(numbersAt, from, to, from0, scale, last, startsAt),
    );
    kernels.sumCounts(startsAt, buckets);
    const listAt = this.isListed ? orderAt : 0;
    yield* inSlices(rows, ROWS_PER_SLICE, (from, to) =>
      kernels.fillBuckets(numbersAt, listAt, from, to, from0, scale, last, startsAt, keysAt, rowsAt),
    );
  }

  /** Sorts the buckets. */
  *sort(buckets: number): Work<Uint32Array> {
    const { kernels } = threadMemory();
    const { starts, histogramAt } = this;
    const [spareAt, keysAt] = this.addresses;
    const [rowsAt, spareRowsAt] = [this.bucketRows.byteOffset, this.order.byteOffset];
    let from = 0;
    let slice = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      // The start of a bucket has moved on to its end.
      const to = starts[bucket] as number;
      const count = to - from;
      if (count > BUCKET_ROWS_MAX) this.large.push([from, to]);
      else if (count > 1) {
        const [ids, words] = [8 * from, BYTES_PER_WORD * from];
        kernels.sortBucket(keysAt + ids, rowsAt + words, spareAt + ids, spareRowsAt + words, count, histogramAt);
        slice += count;
      }
      from = to;
      if (slice < ROWS_PER_SLICE) continue;
      slice = 0;
      yield PENDING;
    }
    return this.bucketRows.slice();
  }

  release(): void {
    this.ids.release();
    for (const range of [this.order, this.bucketRows, this.starts]) {
      threadMemory().free(range.byteOffset, BYTES_PER_WORD * range.length);
    }
    threadMemory().free(this.figures.byteOffset, FIGURE_BYTES);
    threadMemory().free(this.histogramAt, HISTOGRAM_BYTES);
  }
}

function words(count: number): Uint32Array {
  return threadWords(threadMemory().allocate(BYTES_PER_WORD * count), count);
}
