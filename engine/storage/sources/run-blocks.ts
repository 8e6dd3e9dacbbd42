/** One run, or several one after the other, as packed blocks (`seam/packed-scan.ts`). */

import { keyColumns } from '../runs/orders.js';
import type { PackedPart, PackedScan } from '../seam/packed-scan.js';
import type { ScanTest } from '../seam/scan-tests.js';
import { BlockTests } from './block-tests.js';
import type { RunRead, RunScan } from './run-read.js';
import { blocksOfKeys, type KeyBound, keyHalves } from './scan-plan.js';

/** Bits of a word that say which tests are left. */
export const PACKED_TESTS_MAX = 31;
const KEY_BYTES = 32;
const NO_DEAD = new Uint16Array(0);

export class RunBlocks implements PackedScan {
  readonly memory: object;
  readonly rows: number;
  readonly tests: readonly ScanTest[];
  readonly #scan: RunScan;
  readonly #read: RunRead;
  readonly #blockTests: BlockTests;
  readonly #first: number;
  readonly #end: number;
  readonly #pinned = new Map<number, number>();
  #block: number;
  #closed = false;

  constructor(scan: RunScan, read: RunRead) {
    this.#scan = scan;
    this.#read = read;
    const { plan, directory } = read;
    this.memory = scan.memory.memory;
    this.tests = read.tests;
    this.#blockTests = new BlockTests(scan.memory, directory, read.tests);
    ({ from: this.#first, to: this.#end } = blocksOfKeys(directory, plan));
    this.#block = this.#first;
    this.rows =
      this.#end > this.#first
        ? (directory.rowsBefore[this.#end] as number) - (directory.rowsBefore[this.#first] as number)
        : 0;
    read.use?.pin();
  }

  next(): PackedPart | null {
    const { directory, dead: deadRows } = this.#read;
    while (!this.#closed && this.#block < this.#end) {
      const block = this.#block++;
      const dead = deadRows?.of(block) ?? NO_DEAD;
      if (dead.length === directory.rows[block]) continue;
      const open = this.#blockTests.open(block);
      if (open === null) continue;
      const part = this.#part(block, open, dead);
      if (part !== null) return part;
    }
    return null;
  }

  #part(block: number, open: readonly ScanTest[], dead: Uint16Array): PackedPart | null {
    const { blocks, counters, transaction } = this.#scan;
    const { run, directory, use, plan } = this.#read;
    const number = run.firstBlock + block;
    const rows = directory.rows[block] as number;
    const address = blocks.pin(number, transaction);
    this.#pinned.set(number, (this.#pinned.get(number) ?? 0) + 1);
    counters.blocksRead++;
    use?.noteBlock();
    const from = block === this.#first && plan.lower.values.length > 0 ? this.#bound(address, plan.lower, 0, rows) : 0;
    const to = block === this.#end - 1 && plan.upper !== null ? this.#bound(address, plan.upper, from, rows) : rows;
    if (to <= from) {
      this.#unpin(number);
      return null;
    }
    counters.rowsScanned += to - from;
    return { number, address, rows, from, to, open: this.#bitsOf(open), dead };
  }

  #bound(address: number, { values }: KeyBound, from: number, to: number): number {
    const { memory } = this.#scan;
    const key = keyHalves(values);
    const keyAt = memory.allocate(KEY_BYTES);
    memory.words.set(key, keyAt >>> 2);
    const columns = keyColumns(this.#read.plan.order).reduce((packed, column, i) => packed | (column << (8 * i)), 0);
    const row = memory.kernels.lowerBound(address, columns, values.length, keyAt, from, to);
    memory.free(keyAt, KEY_BYTES);
    return row;
  }

  #bitsOf(open: readonly ScanTest[]): number {
    let bits = 0;
    for (const test of open) bits |= 1 << this.tests.indexOf(test);
    return bits;
  }

  giveBack({ number }: PackedPart): void {
    if (!this.#closed) this.#unpin(number);
  }

  #unpin(number: number): void {
    const pins = (this.#pinned.get(number) ?? 0) - 1;
    if (pins > 0) this.#pinned.set(number, pins);
    else this.#pinned.delete(number);
    this.#scan.blocks.unpin(number);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const [number, pins] of this.#pinned) for (let pin = 0; pin < pins; pin++) this.#scan.blocks.unpin(number);
    this.#pinned.clear();
    this.#read.use?.unpin();
  }
}

/** Runs one after the other. */
export class ChainedBlocks implements PackedScan {
  readonly memory: object;
  readonly rows: number;
  readonly tests: readonly ScanTest[];
  readonly #scans: readonly PackedScan[];
  /** Which of the scans a part is of. */
  readonly #owners = new WeakMap<PackedPart, PackedScan>();
  #at = 0;
  /** Tests of the scans before. */
  #testsBefore = 0;

  /** At least one. */
  constructor(scans: readonly PackedScan[]) {
    this.#scans = scans;
    this.memory = (scans[0] as PackedScan).memory;
    this.rows = scans.reduce((sum, { rows }) => sum + rows, 0);
    this.tests = scans.flatMap(({ tests }) => tests);
  }

  next(): PackedPart | null {
    for (; this.#at < this.#scans.length; this.#at++) {
      const scan = this.#scans[this.#at] as PackedScan;
      const part = scan.next();
      if (part !== null) {
        const shifted = { ...part, open: part.open << this.#testsBefore };
        this.#owners.set(shifted, scan);
        return shifted;
      }
      this.#testsBefore += scan.tests.length;
    }
    return null;
  }

  giveBack(part: PackedPart): void {
    this.#owners.get(part)?.giveBack(part);
  }

  close(): void {
    for (const scan of this.#scans) scan.close();
  }
}
