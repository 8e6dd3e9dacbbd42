/**
 * Scans one run: finds the blocks of the key range in the directory, skips those that the zone maps
 * rule out, decodes the columns that are wanted, and applies the tests that are left.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { BlockReader } from '../runs/block-reader.js';
import {
  compareHalves,
  firstBlockFrom,
  firstBlockNotBefore,
  type Halves,
  type RunDirectory,
} from '../runs/directory.js';
import type { RunRecord } from '../runs/manifest.js';
import { keyColumns } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, type ScanCounters } from '../scan.js';
import type { RowSource, SourceBatch } from './row-source.js';
import { keyHalves, type RowTest, type ScanPlan } from './scan-plan.js';

export interface RunScan {
  readonly memory: ThreadMemory;
  readonly blocks: BlockReader;
  readonly counters: ScanCounters;
  readonly transaction: ReadTransaction;
}

const SELECTION_BYTES = 4 * BATCH_ROWS;

export class RunSource implements RowSource {
  readonly #scan: RunScan;
  readonly #run: RunRecord;
  readonly #directory: RunDirectory;
  readonly #tests: readonly RowTest[];
  readonly #wanted: readonly number[];
  readonly #columns: RowColumns;
  readonly #selection: number;
  readonly #key: number;
  readonly #packed: number;
  readonly #dense: boolean;
  #bounds: number;
  #boundBytes: number;
  #lower: Uint32Array;
  readonly #upper: Uint32Array | null;
  #block: number;
  readonly #end: number;
  /** True while the next block may begin with rows before the lower bound. */
  #atLower = true;
  #closed = false;

  /** `wanted`: numbers of the columns to decode; `dense`: batches come without selection. */
  constructor(
    scan: RunScan,
    run: RunRecord,
    directory: RunDirectory,
    plan: ScanPlan,
    tests: readonly RowTest[],
    wanted: readonly number[],
    dense: boolean,
  ) {
    this.#scan = scan;
    this.#run = run;
    this.#directory = directory;
    this.#tests = tests;
    this.#dense = dense;
    this.#wanted = [...new Set([...wanted, ...tests.map((test) => test.column)])];
    const { memory } = scan;
    this.#columns = new RowColumns(memory);
    this.#selection = memory.allocate(SELECTION_BYTES);
    this.#key = memory.allocate(32);
    this.#packed = keyColumns(plan.order).reduce((packed, column, i) => packed | (column << (8 * i)), 0);
    const most = Math.max(1, ...tests.map((test) => (test.kind === 'ranges' ? test.ranges.length : 1)));
    this.#boundBytes = 16 * most;
    this.#bounds = memory.allocate(this.#boundBytes);
    this.#lower = keyHalves(plan.lower.values);
    this.#upper = plan.upper === null ? null : keyHalves(plan.upper.values);
    this.#block = firstBlockNotBefore(directory, this.#lower, this.#lower.length / 2);
    this.#end =
      this.#upper === null ? directory.blocks : firstBlockFrom(directory, this.#upper, this.#upper.length / 2);
  }

  seek(values: readonly bigint[]): void {
    const key = keyHalves(values);
    if (compareKeys(key, this.#lower) <= 0) return;
    this.#lower = key;
    this.#atLower = true;
    this.#block = firstBlockNotBefore(this.#directory, key, key.length / 2, this.#block);
  }

  next(): SourceBatch | null {
    while (this.#block < this.#end) {
      const block = this.#block++;
      if (this.#ruledOut(block)) {
        this.#atLower = false;
        continue;
      }
      const batch = this.#read(block);
      if (batch) return batch;
    }
    return null;
  }

  /** True when the zone map says that no row of the block passes a test. */
  #ruledOut(block: number): boolean {
    for (const test of this.#tests) {
      const least = this.#directory.least[test.column] as Halves;
      const greatest = this.#directory.greatest[test.column] as Halves;
      if (test.kind === 'equal') {
        const low = Number(test.id & 0xffffffffn);
        const high = Number(test.id >> 32n);
        if (compareHalves(least, block, low, high) > 0 || compareHalves(greatest, block, low, high) < 0) return true;
        continue;
      }
      const from = bigAt(least, block);
      const to = bigAt(greatest, block);
      if (!test.ranges.some((range) => range.from <= to && range.to > from)) return true;
    }
    return false;
  }

  #read(block: number): SourceBatch | null {
    const { memory, counters } = this.#scan;
    const rows = this.#directory.rows[block] as number;
    const address = this.#scan.blocks.load(this.#run.firstBlock + block, this.#scan.transaction);
    counters.blocksRead++;
    const from = this.#atLower && this.#lower.length > 0 ? this.#bound(address, this.#lower, 0, rows) : 0;
    this.#atLower = false;
    const last = block === this.#end - 1 && this.#upper !== null;
    const to = last ? this.#bound(address, this.#upper as Uint32Array, from, rows) : rows;
    if (to <= from) return null;
    const count = to - from;
    counters.rowsScanned += count;
    for (const column of this.#wanted) {
      memory.kernels.decodeColumn(address, column, from, to, this.#columns.addresses[column] as number);
    }
    return this.#select(block, count);
  }

  #bound(address: number, key: Uint32Array, from: number, to: number): number {
    const { memory } = this.#scan;
    memory.words.set(key, this.#key >>> 2);
    return memory.kernels.lowerBound(address, this.#packed, key.length / 2, this.#key, from, to);
  }

  #select(block: number, count: number): SourceBatch | null {
    let selected = count;
    let selection = 0;
    for (const test of this.#tests) {
      if (this.#alwaysPasses(test, block)) continue;
      selected = this.#apply(test, selection, selected);
      selection = this.#selection;
      if (selected === 0) return null;
    }
    if (selected === count) selection = 0;
    const batch = { columns: this.#columns.addresses, list: this.#columns.list };
    if (selection !== 0 && this.#dense) {
      for (const column of this.#wanted) {
        const at = this.#columns.addresses[column] as number;
        this.#scan.memory.kernels.gatherColumn(at, selection, selected, at);
      }
      return { ...batch, rows: selected, selection: 0, selected };
    }
    return { ...batch, rows: count, selection, selected };
  }

  #alwaysPasses(test: RowTest, block: number): boolean {
    const from = bigAt(this.#directory.least[test.column] as Halves, block);
    const to = bigAt(this.#directory.greatest[test.column] as Halves, block);
    if (test.kind === 'equal') return from === test.id && to === test.id;
    return test.ranges.some((range) => range.from <= from && range.to > to);
  }

  #apply(test: RowTest, from: number, count: number): number {
    const { memory } = this.#scan;
    const values = this.#columns.addresses[test.column] as number;
    const kernels = memory.kernels;
    if (test.kind === 'equal') return kernels.selectEqual(values, from, count, test.id, this.#selection);
    const bounds = memory.bigsAt(this.#bounds, 2 * test.ranges.length);
    test.ranges.forEach((range, i) => {
      bounds[2 * i] = range.from;
      // The greatest id is kept for open times, so a bound of 2^64 loses nothing.
      bounds[2 * i + 1] = range.to >= 1n << 64n ? (1n << 64n) - 1n : range.to;
    });
    return kernels.selectRanges(values, from, count, this.#bounds, test.ranges.length, this.#selection);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const { memory } = this.#scan;
    this.#columns.release();
    memory.free(this.#selection, SELECTION_BYTES);
    memory.free(this.#key, 32);
    memory.free(this.#bounds, this.#boundBytes);
  }
}

function bigAt(halves: Halves, i: number): bigint {
  return (BigInt(halves[2 * i + 1] as number) << 32n) | BigInt(halves[2 * i] as number);
}

/** Compares key prefixes of possibly different depth; a shorter one that agrees is the lesser. */
function compareKeys(a: Uint32Array, b: Uint32Array): number {
  const depth = Math.min(a.length, b.length) / 2;
  for (let d = 0; d < depth; d++) {
    const high = (a[2 * d + 1] as number) - (b[2 * d + 1] as number);
    if (high !== 0) return high;
    const low = (a[2 * d] as number) - (b[2 * d] as number);
    if (low !== 0) return low;
  }
  return a.length - b.length;
}
