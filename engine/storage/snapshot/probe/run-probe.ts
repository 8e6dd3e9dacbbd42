/**
 * Looks sorted keys up in one run:
 *
 *  1. The directory says which block may hold the next key; keys between two blocks are passed over, so
 *     that n keys in m blocks read m blocks, each once.
 *  2. One kernel call finds the rows of all keys that fall into the block, on its packed columns.
 *  3. Dead rows and rows that fail a test are left out; of the others the wanted columns are decoded, behind
 *     those of the blocks before, until a batch is full.
 */

import { invariant } from '../../../base/errors.js';
import { PADDING_BYTES, type ThreadMemory } from '../../../kernels/memory.js';
import { compareKey, firstBlockAbove, gallopNotBefore, type RunDirectory } from '../../runs/directory.js';
import { RowColumns } from '../../runs/writer.js';
import { BATCH_ROWS } from '../../seam/scan.js';
import type { ScanTest } from '../../seam/scan-tests.js';
import { BlockTests, TX_TO, VALID_TO } from '../../sources/block-tests.js';
import type { RowSource, SourceBatch } from '../../sources/row-source.js';
import type { RunScan } from '../../sources/run-read.js';
import { KeyPrefix, type ProbeKeys } from './probe-keys.js';
import type { ProbedRun } from './probe-plan.js';

/** Blocks that one call of `read` looks into. */
const BLOCKS_PER_CALL = 128;
/** With room for what kernels may store behind the last row. */
const NUMBERS_BYTES = 4 * BATCH_ROWS + PADDING_BYTES;
const DEAD_BYTES = 2 * BATCH_ROWS;
const STATE_BYTES = 64;
const NO_TESTS: readonly ScanTest[] = [];

export class RunProbe implements RowSource {
  #columns: RowColumns | null = null;
  /** Address of the key numbers of the rows that `read` gave, u32 each; 0 before `prepare`. */
  numbers = 0;
  /** Address of the entries of `count` beside `numbers`, u32 each. */
  rows = 0;
  readonly #scan: RunScan;
  readonly #memory: ThreadMemory;
  readonly #run: ProbedRun;
  readonly #directory: RunDirectory;
  readonly #prefix: KeyPrefix;
  readonly #wanted: readonly number[];
  #kept = 0;
  #dead = 0;
  #state = 0;
  /** Of the numbers and all that lies behind them. */
  #bytes = 0;
  readonly #tests: BlockTests;
  #key = 0;
  #to = 0;
  #block = 0;
  /** The row of the block to go on from; -1 = the next key is not in it. */
  #row = -1;
  #deadCount = 0;
  #open: readonly ScanTest[] = NO_TESTS;
  #closed = false;

  /** `wanted`: numbers of the columns to decode. */
  constructor(scan: RunScan, run: ProbedRun, keys: ProbeKeys, wanted: readonly number[]) {
    const { memory } = scan;
    this.#scan = scan;
    this.#memory = memory;
    this.#run = run;
    this.#directory = run.directory;
    this.#prefix = new KeyPrefix(keys, run.prefix);
    this.#wanted = wanted;
    this.#tests = new BlockTests(memory, run.directory, run.tests);
    run.use?.pin();
  }

  /** Takes the memory that rows need. A probe that finds no key of a run in its directory never needs it. */
  prepare(): this {
    if (this.numbers !== 0) return this;
    const { tests, dead: deadRows } = this.#run;
    this.#columns = new RowColumns(this.#memory);
    const kept = tests.length === 0 ? 0 : NUMBERS_BYTES;
    const dead = deadRows === null ? 0 : DEAD_BYTES;
    this.#bytes = 2 * NUMBERS_BYTES + STATE_BYTES + kept + dead;
    this.numbers = this.#memory.allocate(this.#bytes);
    this.rows = this.numbers + NUMBERS_BYTES;
    this.#state = this.rows + NUMBERS_BYTES;
    this.#kept = this.#state + STATE_BYTES;
    this.#dead = dead === 0 ? 0 : this.#kept + kept;
    return this;
  }

  /** Of a probe that is prepared. */
  get columns(): RowColumns {
    return this.#columns as RowColumns;
  }

  /** Looks up keys `[from, to)` of those that were loaded last. */
  begin(from: number, to: number): void {
    this.#prefix.begin();
    this.#key = from;
    this.#to = to;
    this.#block = 0;
    this.#row = -1;
  }

  get ended(): boolean {
    return this.#key >= this.#to;
  }

  /** Reads rows of the next keys, up to a batch; how many. 0 with more to come: the bound of one call was met. */
  read(): number {
    let rows = 0;
    for (let blocks = 0; rows < BATCH_ROWS && blocks < BLOCKS_PER_CALL; blocks++) {
      if (this.#row < 0 && !this.#place()) break;
      rows += this.#readBlock(rows);
      if (this.ended) break;
    }
    invariant(rows <= BATCH_ROWS, 'a probe gives at most a batch of rows');
    return rows;
  }

  /** Counts living rows of the next keys, for runs without tests: entries of `numbers` and, beside them, `rows`. */
  count(): number {
    let entries = 0;
    for (let blocks = 0; !this.ended; blocks++) {
      if (this.#row < 0) {
        if (blocks >= BLOCKS_PER_CALL && !this.#isLast(entries)) break;
        if (!this.#place()) break;
      }
      entries = this.#countBlock(entries);
      if (this.#row >= 0) break;
      if (this.#isLast(entries)) this.#passWhole(entries);
    }
    return entries;
  }

  /** Tells where the living rows of the next keys are: blocks, ascending, and rows in them. */
  locate(take: (block: number, rows: Uint32Array) => void): void {
    const { kernels } = this.#memory;
    const { address: prefix } = this.#prefix;
    while (!this.ended) {
      if (this.#row < 0 && !this.#place()) return;
      const [block, address] = [this.#block, this.#load()];
      const { numbers, rows } = this;
      let found = kernels.probeRows(
        address,
        prefix,
        this.#row,
        this.#key,
        this.#to,
        BATCH_ROWS,
        rows,
        numbers,
        this.#state,
      );
      this.#advance();
      if (this.#deadCount > 0) found = kernels.dropDeadRows(this.#dead, this.#deadCount, rows, numbers, found);
      if (found > 0) take(block, this.#memory.wordsAt(rows, found));
    }
  }

  next(): SourceBatch | null {
    while (!this.ended) {
      const rows = this.read();
      if (rows === 0) continue;
      const { addresses, list } = this.columns;
      return { rows, columns: addresses, list, selection: 0, selected: rows };
    }
    return null;
  }

  /** Finds the block of the next key that has one; false when no key is left that has. */
  #place(): boolean {
    const { depth } = this.#prefix;
    for (; this.#key < this.#to; this.#key++) {
      const key = this.#prefix.halvesOf(this.#key);
      this.#block = gallopNotBefore(this.#directory, key, depth, this.#block);
      if (this.#block === this.#directory.blocks) break;
      if (compareKey(this.#directory.first, this.#block, key, depth) > 0) continue;
      if (this.#lookInto(this.#block)) return true;
      // Nothing in this block counts; the key may have rows in the next one.
      this.#block++;
      this.#key--;
    }
    this.#key = this.#to;
    return false;
  }

  /** Takes up a block; false when the zone map or its dead rows say that it has nothing to give. */
  #lookInto(block: number): boolean {
    const dead = this.#run.dead?.of(block);
    this.#deadCount = dead?.length ?? 0;
    if (this.#deadCount === this.#directory.rows[block]) return false;
    if (this.#run.tests.length > 0) {
      const open = this.#tests.open(block);
      if (open === null) return false;
      this.#open = open;
    }
    this.prepare();
    if (dead !== undefined && dead.length > 0) {
      new Uint16Array(this.#memory.memory.buffer, this.#dead, dead.length).set(dead);
    }
    this.#scan.counters.blocksRead++;
    this.#run.use?.noteBlock();
    this.#row = 0;
    return true;
  }

  #load(): number {
    return this.#scan.blocks.load(this.#run.run.firstBlock + this.#block, this.#scan.transaction);
  }

  /** Takes over where a kernel stopped. */
  #advance(): void {
    const { words } = this.#memory;
    this.#key = words[this.#state >>> 2] as number;
    this.#row = words[(this.#state >>> 2) + 1] as number;
    if (this.#row !== this.#directory.rows[this.#block]) return;
    this.#block++;
    this.#row = -1;
  }

  /** Decodes rows of the block behind the first `filled` of the batch; returns how many. */
  #readBlock(filled: number): number {
    const { kernels } = this.#memory;
    const address = this.#load();
    const block = this.#block;
    const numbers = this.numbers + 4 * filled;
    const found = kernels.probeRows(
      address,
      this.#prefix.address,
      this.#row,
      this.#key,
      this.#to,
      BATCH_ROWS - filled,
      this.rows,
      numbers,
      this.#state,
    );
    this.#advance();
    if (found === 0) return 0;
    this.#scan.counters.rowsScanned += found;
    let rows = found;
    if (this.#deadCount > 0) {
      rows = kernels.dropDeadRows(this.#dead, this.#deadCount, this.rows, numbers, rows);
    }
    for (const test of this.#open) {
      if (rows === 0) return 0;
      const listed = { first: 0, address: this.rows, count: rows };
      const passed = this.#tests.apply(test, address, block, listed, this.#kept);
      if (passed === rows) continue;
      kernels.keepKeys(this.rows, numbers, this.#kept, passed);
      this.#memory.bytes.copyWithin(this.rows, this.#kept, this.#kept + 4 * passed);
      rows = passed;
    }
    if (rows > 0) this.#decode(address, block, rows, filled);
    return rows;
  }

  #decode(address: number, block: number, rows: number, filled: number): void {
    const { words, kernels } = this.#memory;
    const { addresses } = this.columns;
    const at = this.rows >>> 2;
    const first = words[at] as number;
    const together = (words[at + rows - 1] as number) - first === rows - 1;
    const { openAfter } = this.#run;
    const closed = this.#tests.closesLater(block, this.#wanted, openAfter);
    for (let column = 0; column < addresses.length; column++) {
      if (!this.#wanted.includes(column) && !(closed && (column === TX_TO || column === VALID_TO))) continue;
      const out = (addresses[column] as number) + 8 * filled;
      if (together) kernels.decodeColumn(address, column, first, first + rows, out);
      else kernels.decodeRows(address, column, 0, this.rows, rows, out);
    }
    if (!closed || openAfter === null) return;
    kernels.closeAsOf(addresses[TX_TO] as number, addresses[VALID_TO] as number, filled, rows, openAfter);
  }

  #countBlock(entries: number): number {
    const filled = this.#memory.kernels.probeCounts(
      this.#load(),
      this.#prefix.address,
      this.#row,
      this.#key,
      this.#to,
      this.#dead,
      this.#deadCount,
      entries,
      BATCH_ROWS,
      this.numbers,
      this.rows,
      this.#state,
    );
    this.#advance();
    return filled;
  }

  /** True when the last entry is of the next key, which then goes on in the next block. */
  #isLast(entries: number): boolean {
    return entries > 0 && this.#memory.words[(this.numbers >>> 2) + entries - 1] === this.#key;
  }

  /** Adds blocks that hold nothing but rows of the last entry's key, without reading them. */
  #passWhole(entries: number): void {
    const { rowsBefore } = this.#directory;
    const dead = this.#run.dead;
    const from = this.#block;
    const to = firstBlockAbove(this.#directory, this.#prefix.halvesOf(this.#key), this.#prefix.depth, from);
    if (to === from) return;
    const died = dead === null ? 0 : dead.before(to) - dead.before(from);
    const { words } = this.#memory;
    const at = (this.rows >>> 2) + entries - 1;
    words[at] = (words[at] as number) + (rowsBefore[to] as number) - (rowsBefore[from] as number) - died;
    this.#block = to;
  }

  /** Keys are sought by `begin` alone. */
  seek(): void {
    invariant(false, 'a probe is not sought in');
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#to = 0;
    this.#run.use?.unpin();
    const memory = this.#memory;
    this.#prefix.release();
    if (this.numbers === 0) return;
    this.columns.release();
    memory.free(this.numbers, this.#bytes);
  }
}
