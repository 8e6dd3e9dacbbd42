/**
 * Scans one run: finds the blocks of the key range in the directory, skips those that the zone maps
 * rule out or that are dead, leaves dead rows out, applies the tests that the zone map of a block
 * leaves open to the packed columns, and decodes what is wanted of the rows that passed. Batches come without selection.
 */

import { firstBlockNotBefore } from '../runs/directory.js';
import { keyColumns } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import type { PackedScan } from '../seam/packed-scan.js';
import { BATCH_ROWS } from '../seam/scan.js';
import type { ScanTest } from '../seam/scan-tests.js';
import { BlockTests, TX_TO, VALID_TO } from './block-tests.js';
import { keepRows, type RowSource, type SourceBatch } from './row-source.js';
import { PACKED_TESTS_MAX, RunBlocks } from './run-blocks.js';
import type { RunRead, RunScan } from './run-read.js';
import { blocksOfKeys, keyHalves } from './scan-plan.js';

const SELECTION_BYTES = 4 * BATCH_ROWS;
const DEAD_BYTES = 2 * BATCH_ROWS;
const NO_DEAD = new Uint16Array(0);

export class RunSource implements RowSource {
  readonly #scan: RunScan;
  readonly #read: RunRead;
  readonly #columns: RowColumns;
  readonly #selection: number;
  readonly #key: number;
  readonly #packed: number;
  /** Row numbers of the dead rows of a block, when the run has any. */
  readonly #dead: number;
  readonly #tests: BlockTests;
  #lower: Uint32Array;
  readonly #upper: Uint32Array | null;
  #block: number;
  readonly #end: number;
  /** True while the next block may begin with rows before the lower bound. */
  #atLower = true;
  #closed = false;

  constructor(scan: RunScan, read: RunRead) {
    this.#scan = scan;
    this.#read = read;
    const { memory } = scan;
    const { plan, directory } = read;
    read.use?.pin();
    this.#columns = new RowColumns(memory);
    this.#selection = memory.allocate(SELECTION_BYTES);
    this.#key = memory.allocate(32);
    this.#packed = keyColumns(plan.order).reduce((packed, column, i) => packed | (column << (8 * i)), 0);
    this.#dead = read.dead === null ? 0 : memory.allocate(DEAD_BYTES);
    this.#tests = new BlockTests(memory, directory, read.tests);
    this.#lower = keyHalves(plan.lower.values);
    this.#upper = plan.upper === null ? null : keyHalves(plan.upper.values);
    ({ from: this.#block, to: this.#end } = blocksOfKeys(directory, plan));
  }

  seek(values: readonly bigint[]): void {
    const key = keyHalves(values);
    if (compareKeys(key, this.#lower) <= 0) return;
    this.#lower = key;
    this.#atLower = true;
    this.#block = firstBlockNotBefore(this.#read.directory, key, key.length / 2, this.#block);
  }

  next(): SourceBatch | null {
    while (this.#block < this.#end) {
      const block = this.#block++;
      const dead = this.#read.dead?.of(block) ?? NO_DEAD;
      const tests = dead.length === this.#read.directory.rows[block] ? null : this.#tests.open(block);
      if (tests === null) {
        this.#atLower = false;
        continue;
      }
      const batch = this.#readBlock(block, tests, dead);
      if (batch) return batch;
    }
    return null;
  }

  packed(): PackedScan | null {
    const { openAfter, tests } = this.#read;
    return openAfter === null && tests.length <= PACKED_TESTS_MAX ? new RunBlocks(this.#scan, this.#read) : null;
  }

  #readBlock(block: number, tests: readonly ScanTest[], dead: Uint16Array): SourceBatch | null {
    const { counters, blocks, transaction } = this.#scan;
    const rows = this.#read.directory.rows[block] as number;
    const address = blocks.load(this.#read.run.firstBlock + block, transaction);
    counters.blocksRead++;
    this.#read.use?.noteBlock();
    const from = this.#atLower && this.#lower.length > 0 ? this.#bound(address, this.#lower, 0, rows) : 0;
    this.#atLower = false;
    const last = block === this.#end - 1 && this.#upper !== null;
    const to = last ? this.#bound(address, this.#upper as Uint32Array, from, rows) : rows;
    if (to <= from) return null;
    counters.rowsScanned += to - from;
    const selected = this.#tests.select({ address, block, from, to, tests }, dead, this.#dead, this.#selection);
    return selected === 0 ? null : this.#batch(address, block, from, to, selected);
  }

  #bound(address: number, key: Uint32Array, from: number, to: number): number {
    const { memory } = this.#scan;
    memory.words.set(key, this.#key >>> 2);
    return memory.kernels.lowerBound(address, this.#packed, key.length / 2, this.#key, from, to);
  }

  /** The wanted columns of the selected rows; where most rows passed, those of all are decoded and moved together. */
  #batch(address: number, block: number, from: number, to: number, selected: number): SourceBatch {
    const { kernels } = this.#scan.memory;
    const { wanted, openAfter } = this.#read;
    const { addresses, list } = this.#columns;
    const count = to - from;
    const whole = 2 * selected > count;
    const decode = (column: number): void => {
      const out = addresses[column] as number;
      if (whole) kernels.decodeColumn(address, column, from, to, out);
      else kernels.decodeRows(address, column, from, this.#selection, selected, out);
    };
    for (const column of wanted) decode(column);
    const rows = whole ? count : selected;
    if (this.#tests.closesLater(block, wanted, openAfter)) {
      for (const column of [TX_TO, VALID_TO]) if (!wanted.includes(column)) decode(column);
      kernels.closeAsOf(addresses[TX_TO] as number, addresses[VALID_TO] as number, 0, rows, openAfter);
    }
    const batch = { columns: addresses, list, rows, selection: selected === rows ? 0 : this.#selection, selected };
    return selected === rows ? batch : this.#densely(batch);
  }

  /** Moves the rows that count together. */
  #densely(batch: SourceBatch): SourceBatch {
    const { wanted, openAfter } = this.#read;
    const columns = openAfter === null ? wanted : new Set([...wanted, TX_TO, VALID_TO]);
    return keepRows(this.#scan.memory, batch, columns, batch.selection, batch.selected);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const { memory } = this.#scan;
    this.#read.use?.unpin();
    this.#columns.release();
    memory.free(this.#selection, SELECTION_BYTES);
    memory.free(this.#key, 32);
    if (this.#dead !== 0) memory.free(this.#dead, DEAD_BYTES);
  }
}

/** Compares key prefixes of possibly different depth; a shorter one that agrees is the lesser. */
export function compareKeys(a: Uint32Array, b: Uint32Array): number {
  const depth = Math.min(a.length, b.length) / 2;
  for (let d = 0; d < depth; d++) {
    const high = (a[2 * d + 1] as number) - (b[2 * d + 1] as number);
    if (high !== 0) return high;
    const low = (a[2 * d] as number) - (b[2 * d] as number);
    if (low !== 0) return low;
  }
  return a.length - b.length;
}
