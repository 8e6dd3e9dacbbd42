/**
 * Scans one run with rows that are added to it (`insertions.ts`). Stretches of the run between two of those, or between dead rows,
 * are decoded where they belong in the batch, so that nothing is compared and no row is moved. Batches are full but for the
 * last, and dense.
 */

import type { ThreadMemory } from '../../../kernels/memory.js';
import { firstBlockNotBefore } from '../../runs/directory.js';
import { keyColumns } from '../../runs/orders.js';
import { RowColumns } from '../../runs/writer.js';
import { BATCH_ROWS } from '../../seam/scan.js';
import type { RowSource, SourceBatch } from '../../sources/row-source.js';
import type { RunScan } from '../../sources/run-read.js';
import { compareKeys } from '../../sources/run-source.js';
import { blocksOfKeys, keyHalves, type ScanPlan } from '../../sources/scan-plan.js';
import type { OpenRun } from '../../sources/visible-run.js';
import { keyRange } from '../memtable-source.js';
import type { Insertions } from './insertions.js';

/** What is read: all rows of the key range of a plan, which has no further tests. */
export interface SplicedRead extends OpenRun {
  readonly plan: ScanPlan;
  readonly insertions: Insertions;
  /** Numbers of the columns to decode. */
  readonly wanted: readonly number[];
}

const KEY_BYTES = 32;
const NO_DEAD = new Uint16Array(0);

export class SplicedRunSource implements RowSource {
  readonly #scan: RunScan;
  readonly #memory: ThreadMemory;
  readonly #read: SplicedRead;
  readonly #columns: RowColumns;
  readonly #key: number;
  readonly #packed: number;
  #lower: Uint32Array;
  readonly #upper: Uint32Array | null;
  /** The next row of the run. */
  #block: number;
  #row = 0;
  readonly #end: number;
  /** True while the block may begin with rows before the lower bound. */
  #atLower = true;
  /** The next row that is added, and the end of those of the key range. */
  #added: number;
  readonly #addedTo: number;
  /** Of the batch at hand. */
  #filled = 0;
  #closed = false;

  constructor(scan: RunScan, read: SplicedRead) {
    const { plan, directory, insertions } = read;
    const { memory } = scan;
    this.#scan = scan;
    this.#memory = memory;
    this.#read = read;
    read.use?.pin();
    this.#columns = new RowColumns(memory);
    this.#key = memory.allocate(KEY_BYTES);
    this.#packed = keyColumns(plan.order).reduce((packed, column, i) => packed | (column << (8 * i)), 0);
    this.#lower = keyHalves(plan.lower.values);
    this.#upper = plan.upper === null ? null : keyHalves(plan.upper.values);
    ({ from: this.#block, to: this.#end } = blocksOfKeys(directory, plan));
    ({ from: this.#added, to: this.#addedTo } = keyRange(insertions.set, insertions.sorted, plan));
  }

  next(): SourceBatch | null {
    this.#filled = 0;
    while (this.#block < this.#end && this.#filled < BATCH_ROWS) this.#takeBlock();
    if (this.#block >= this.#end) while (this.#added < this.#addedTo && this.#filled < BATCH_ROWS) this.#putAdded();
    const rows = this.#filled;
    if (rows === 0) return null;
    this.#scan.counters.rowsScanned += rows;
    const { addresses, list } = this.#columns;
    return { rows, columns: addresses, list, selection: 0, selected: rows };
  }

  /** Takes what is left of the block, as far as there is room. */
  #takeBlock(): void {
    const { directory, insertions, dead: deadRows, run, use } = this.#read;
    const { counters, blocks, transaction } = this.#scan;
    const block = this.#block;
    const address = blocks.load(run.firstBlock + block, transaction);
    if (this.#row === 0) {
      counters.blocksRead++;
      use?.noteBlock();
    }
    const rows = directory.rows[block] as number;
    const from =
      this.#atLower && this.#lower.length > 0 ? this.#bound(address, this.#lower, this.#row, rows) : this.#row;
    this.#atLower = false;
    const last = block === this.#end - 1 && this.#upper !== null;
    const to = last ? this.#bound(address, this.#upper as Uint32Array, from, rows) : rows;
    const dead = deadRows?.of(block) ?? NO_DEAD;
    let nextDead = firstNotBelow(dead, from);
    this.#row = from;
    while (this.#filled < BATCH_ROWS) {
      const deadAt = nextDead < dead.length ? Math.min(to, dead[nextDead] as number) : to;
      const isAdded = this.#added < this.#addedTo && (insertions.blocks[this.#added] as number) <= block;
      const addedAt = isAdded ? Math.min(to, insertions.rows[this.#added] as number) : to;
      this.#decode(address, Math.min(deadAt, addedAt));
      if (this.#filled === BATCH_ROWS) return;
      if (isAdded && addedAt <= deadAt) this.#putAdded();
      else if (this.#row < to) {
        this.#row++;
        nextDead++;
      } else break;
    }
    if (this.#row < to) return;
    this.#block++;
    this.#row = 0;
  }

  /** Decodes the rows up to `to`, as far as there is room. */
  #decode(address: number, to: number): void {
    const from = this.#row;
    const rows = Math.min(to - from, BATCH_ROWS - this.#filled);
    if (rows <= 0) return;
    const { kernels } = this.#memory;
    const { addresses } = this.#columns;
    for (const column of this.#read.wanted) {
      kernels.decodeColumn(address, column, from, from + rows, (addresses[column] as number) + 8 * this.#filled);
    }
    this.#row += rows;
    this.#filled += rows;
  }

  #putAdded(): void {
    const { insertions, wanted } = this.#read;
    const { set, sorted } = insertions;
    const { words } = this.#memory;
    const row = words[(sorted.address >>> 2) + this.#added++] as number;
    const at = 2 * this.#filled++;
    for (const column of wanted) {
      const word = ((this.#columns.addresses[column] as number) >>> 2) + at;
      words[word] = set.low(column, row);
      words[word + 1] = set.high(column, row);
    }
  }

  #bound(address: number, key: Uint32Array, from: number, to: number): number {
    this.#memory.words.set(key, this.#key >>> 2);
    return this.#memory.kernels.lowerBound(address, this.#packed, key.length / 2, this.#key, from, to);
  }

  seek(values: readonly bigint[]): void {
    if (this.#closed) return;
    const { directory, insertions, plan } = this.#read;
    const key = keyHalves(values);
    const block = firstBlockNotBefore(directory, key, key.length / 2, this.#block);
    this.#memory.words.set(key, this.#key >>> 2);
    const { set, sorted } = insertions;
    const added = set.lowerBound(plan.order, sorted, this.#key, values.length, this.#added);
    this.#added = Math.min(added, this.#addedTo);
    if (compareKeys(key, this.#lower) <= 0) return;
    this.#lower = key;
    this.#atLower = true;
    if (block > this.#block) [this.#block, this.#row] = [block, 0];
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#read.use?.unpin();
    this.#columns.release();
    this.#memory.free(this.#key, KEY_BYTES);
  }
}

/** The first entry of an ascending list that is not below a row. */
function firstNotBelow(list: Uint16Array, row: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as number) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
