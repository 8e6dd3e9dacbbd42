/**
 * Writes one run: takes batches of sorted rows in kernel memory, packs each into a block, and keeps
 * the directory. Blocks go to a sink: into the file, or to the thread that owns the file.
 */

import { PADDING_BYTES, type ThreadMemory } from '../../kernels/memory.js';
import { BATCH_ROWS, COLUMNS, type Order } from '../seam/scan.js';
import { DIRECTORY_BLOCKS, encodeDirectory, RunDirectory } from './directory.js';
import { keyColumns } from './orders.js';

export const BLOCK_BYTES_MAX = 208 + 8 * (BATCH_ROWS + 160) * 9;
/** Scratch that `encodeBlock` needs. */
export const BLOCK_SCRATCH_BYTES = 8192 + 8 * BATCH_ROWS;

/** Of the list of a batch's columns. */
const LIST_BYTES = 4 * COLUMNS.length;
const TX_FROM = COLUMNS.indexOf('txFrom');

/** Where packed blocks go. The bytes are valid during the call only. */
export type BlockSink = (number: number, bytes: Uint8Array) => void;

/** A run that has been written, with its directory's stored values still to be put. */
export interface WrittenRun {
  readonly rows: number;
  readonly firstBlock: number;
  readonly blocks: number;
  readonly bytes: number;
  readonly sum: string;
  /** Least and greatest txFrom. */
  readonly txMin: number;
  readonly txMax: number;
  readonly directory: readonly Uint8Array[];
}

/**
 * Eight u64 columns of a batch in one range of kernel memory, with the address list that kernels take. Between
 * columns there is room for what kernels may store behind the last row.
 */
export class RowColumns {
  readonly list: number;
  readonly addresses: readonly number[];
  readonly rows: number;
  readonly #memory: ThreadMemory;
  readonly #bytes: number;

  constructor(memory: ThreadMemory, rows = BATCH_ROWS) {
    this.#memory = memory;
    this.rows = rows;
    const stride = 8 * rows + PADDING_BYTES;
    this.#bytes = COLUMNS.length * stride + LIST_BYTES;
    const first = memory.allocate(this.#bytes);
    this.list = first + COLUMNS.length * stride;
    const addresses: number[] = [];
    const { words } = memory;
    for (let column = 0; column < COLUMNS.length; column++) {
      addresses.push(first + column * stride);
      words[(this.list >>> 2) + column] = first + column * stride;
    }
    this.addresses = addresses;
  }

  release(): void {
    this.#memory.free(this.addresses[0] as number, this.#bytes);
  }
}

/** Sum of the checksums of rows `[from, to)`; sums wrap. */
export function sumOfRows(memory: ThreadMemory, list: number, from: number, to: number): bigint {
  const sum = memory.allocate(8);
  memory.wordsAt(sum, 2).fill(0);
  memory.kernels.sumRows(list, from, to, sum);
  const total = memory.bigsAt(sum, 1)[0] as bigint;
  memory.free(sum, 8);
  return total;
}

export class RunWriter {
  readonly #memory: ThreadMemory;
  readonly #sink: BlockSink;
  readonly #keyColumns: readonly number[];
  readonly #block: number;
  readonly #scratch: number;
  readonly #extremes: number;
  readonly #sum: number;
  readonly #rows: number[] = [];
  /** Per block, 24 u64 values as halves: first key, last key, least, greatest. */
  readonly #entries: Uint32Array[] = [];
  readonly #firstBlock: number;
  #bytes = 0;
  #total = 0;

  /** Blocks are numbered from `firstBlock` on; the caller has set enough numbers aside. */
  constructor(memory: ThreadMemory, sink: BlockSink, order: Order, firstBlock: number) {
    this.#memory = memory;
    this.#sink = sink;
    this.#firstBlock = firstBlock;
    this.#keyColumns = keyColumns(order);
    this.#block = memory.allocate(BLOCK_BYTES_MAX);
    this.#scratch = memory.allocate(BLOCK_SCRATCH_BYTES);
    this.#extremes = memory.allocate(16 * COLUMNS.length);
    this.#sum = memory.allocate(8);
    memory.wordsAt(this.#sum, 2).fill(0);
  }

  get rows(): number {
    return this.#total;
  }

  /** Packs rows `[0, rows)` of the columns, at most 4,096, sorted and after all rows before. */
  append(columns: RowColumns, rows: number): void {
    const kernels = this.#memory.kernels;
    const length = kernels.encodeBlock(columns.list, rows, this.#block, this.#scratch, this.#extremes);
    kernels.sumRows(columns.list, 0, rows, this.#sum);
    this.#sink(this.#firstBlock + this.#rows.length, this.#memory.bytesAt(this.#block, length));
    this.#bytes += length;
    this.#total += rows;
    this.#rows.push(rows);
    this.#entries.push(this.#entry(columns, rows));
  }

  #entry(columns: RowColumns, rows: number): Uint32Array {
    const words = this.#memory.words;
    const entry = new Uint32Array(48);
    this.#keyColumns.forEach((column, i) => {
      const at = (columns.addresses[column] as number) >>> 2;
      const last = at + 2 * (rows - 1);
      entry[2 * i] = words[at] as number;
      entry[2 * i + 1] = words[at + 1] as number;
      entry[8 + 2 * i] = words[last] as number;
      entry[8 + 2 * i + 1] = words[last + 1] as number;
    });
    const extremes = this.#extremes >>> 2;
    for (let c = 0; c < COLUMNS.length; c++) {
      for (let half = 0; half < 2; half++) {
        entry[16 + 2 * c + half] = words[extremes + 4 * c + half] as number;
        entry[32 + 2 * c + half] = words[extremes + 4 * c + 2 + half] as number;
      }
    }
    return entry;
  }

  /** The run's figures and directory. The writer is spent. */
  finish(): WrittenRun {
    const blocks = this.#rows.length;
    const directory = new RunDirectory(blocks);
    directory.rows.set(this.#rows);
    directory.arrays.forEach((array, a) => {
      for (let b = 0; b < blocks; b++) {
        const entry = this.#entries[b] as Uint32Array;
        array[2 * b] = entry[2 * a] as number;
        array[2 * b + 1] = entry[2 * a + 1] as number;
      }
    });
    const values: Uint8Array[] = [];
    for (let from = 0; from < blocks; from += DIRECTORY_BLOCKS) {
      values.push(encodeDirectory(directory, from, Math.min(blocks, from + DIRECTORY_BLOCKS)));
    }
    const sum = this.#memory.bigsAt(this.#sum, 1)[0] as bigint;
    this.release();
    const transactions = (halves: Uint32Array | undefined): number[] =>
      Array.from({ length: blocks }, (_, b) => (halves?.[2 * b] as number) + (halves?.[2 * b + 1] as number) * 2 ** 32);
    return {
      rows: this.#total,
      firstBlock: this.#firstBlock,
      blocks,
      bytes: this.#bytes,
      sum: sum.toString(16),
      txMin: transactions(directory.least[TX_FROM]).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
      txMax: transactions(directory.greatest[TX_FROM]).reduce((a, b) => Math.max(a, b), 0),
      directory: values,
    };
  }

  release(): void {
    this.#memory.free(this.#block, BLOCK_BYTES_MAX);
    this.#memory.free(this.#scratch, BLOCK_SCRATCH_BYTES);
    this.#memory.free(this.#extremes, 16 * COLUMNS.length);
    this.#memory.free(this.#sum, 8);
  }
}
