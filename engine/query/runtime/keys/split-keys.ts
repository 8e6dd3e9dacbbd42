/**
 * Keys of many rows in the sequence of the parts that the top bits of their hash make (radix partitioning; Manegold, Boncz
 * and Kersten 2002). A table of as many segments (`HashKeys.cut`) that takes or finds them in this sequence works on one
 * segment after the other, each in the cache and in few pages, instead of waiting for memory at every key.
 * The bits of slots within a segment are the lowest of the hash, and so no bit serves twice.
 */

import { threadMemory, threadWords } from '../../../kernels/thread-memory.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import { listColumns } from '../column-list.js';
import { KernelColumns } from '../kernel-columns.js';
import type { MemoryCounter } from '../memory.js';
import { inSlices, type Work } from '../operator.js';

/** More parts make the split slower than what they save. */
const PART_BITS = 8;
/** Unless there are so many keys that a part of them would not fit into the cache. */
const PART_BITS_MAX = 10;
const KEYS_PER_PART_MAX = 1 << 15;
const HASH_BITS = 32;
const BYTES_PER_WORD = 4;
const BYTES_PER_ID = 8;
const NO_WORDS: Uint32Array = new Uint32Array(0);

/** The top bits by which so many keys are split. */
export function partBitsFor(keys: number): number {
  return Math.min(PART_BITS_MAX, Math.max(PART_BITS, Math.ceil(Math.log2(keys / KEYS_PER_PART_MAX))));
}

export class SplitKeys {
  /** Of the key at each place, its row. */
  rowsOf: Uint32Array = NO_WORDS;
  /** Of the key at each place, its number in a table, once that is known; before, hashes by row. */
  numbers: Uint32Array = NO_WORDS;
  private readonly keys: KernelColumns;
  private capacity = 0;

  constructor(
    private readonly width: number,
    private readonly bits: number,
    private readonly memory: MemoryCounter,
  ) {
    this.keys = new KernelColumns(width);
  }

  /** What so many rows take. */
  static bytesFor(rows: number, width: number): number {
    return rows * (2 * BYTES_PER_WORD + width * BYTES_PER_ID);
  }

  /** Address of the list of the keys. */
  get listAt(): number {
    return this.keys.listAt;
  }

  /** Room for so many rows, counted before it is taken. */
  reserve(rows: number): void {
    if (rows <= this.capacity) return;
    this.release();
    this.memory.take(SplitKeys.bytesFor(rows, this.width));
    this.capacity = rows;
    this.keys.resize(rows, 0);
    this.rowsOf = words(rows);
    this.numbers = words(rows);
  }

  /** Splits the first `rows` rows of columns in kernel memory, for which there is room. */
  *split(columns: readonly IdColumn[], keys: readonly number[], rows: number, sliceRows: number): Work {
    const { kernels } = threadMemory();
    const { width } = this;
    const [hashesAt, rowsAt, shift] = [this.numbers.byteOffset, this.rowsOf.byteOffset, HASH_BITS - this.bits];
    const parts = 2 ** this.bits;
    const starts = words(parts + 1);
    try {
      starts.fill(0);
      const startsAt = starts.byteOffset;
      yield* inSlices(rows, sliceRows, (from, to) =>
        kernels.countParts(listColumns(columns, rows, keys), width, from, to, shift, startsAt, hashesAt),
      );
      kernels.sumCounts(startsAt, parts);
      yield* inSlices(rows, sliceRows, (from, to) => {
        const list = listColumns(columns, rows, keys);
        kernels.splitRows(list, width, from, to, shift, startsAt, hashesAt, this.keys.listAt, rowsAt);
      });
    } finally {
      threadMemory().free(starts.byteOffset, BYTES_PER_WORD * starts.length);
    }
  }

  release(): void {
    if (this.capacity === 0) return;
    this.keys.release();
    freeWords(this.rowsOf);
    freeWords(this.numbers);
    this.rowsOf = NO_WORDS;
    this.numbers = NO_WORDS;
    this.memory.give(SplitKeys.bytesFor(this.capacity, this.width));
    this.capacity = 0;
  }
}

function words(count: number): Uint32Array {
  return threadWords(threadMemory().allocate(BYTES_PER_WORD * count), count);
}

function freeWords(range: Uint32Array): void {
  threadMemory().free(range.byteOffset, BYTES_PER_WORD * range.length);
}
