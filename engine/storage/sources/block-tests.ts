/**
 * Tests on the rows of a packed block: the zone map leaves some of them open, and those are applied to the packed
 * columns, so that only rows that pass are decoded.
 */

import { invariant } from '../../base/errors.js';
import { PADDING_BYTES, type ThreadMemory } from '../../kernels/memory.js';
import type { RunDirectory } from '../runs/directory.js';
import { BlockBounds, verdictOf } from '../runs/zone-map.js';
import { BATCH_ROWS, COLUMNS, type IdRange } from '../seam/scan.js';
import type { ScanTest } from '../seam/scan-tests.js';

/** Columns of the ends of a row. */
export const [TX_TO, VALID_TO] = [COLUMNS.indexOf('txTo'), COLUMNS.indexOf('validTo')] as const;
const NO_TESTS: readonly ScanTest[] = [];
const VALUES_BYTES = 8 * BATCH_ROWS + PADDING_BYTES;

/** Row numbers: a list of `count`, or, with the address 0, those from `first` on. Numbers of a list count from `first`. */
export interface RowNumbers {
  readonly first: number;
  readonly address: number;
  readonly count: number;
}

/** Rows `[from, to)` of a block in memory, and the tests that are left for them. */
export interface BlockPart {
  readonly address: number;
  readonly block: number;
  readonly from: number;
  readonly to: number;
  readonly tests: readonly ScanTest[];
}

export class BlockTests {
  readonly #memory: ThreadMemory;
  readonly #directory: RunDirectory;
  readonly #tests: readonly ScanTest[];
  #known: BlockBounds | null = null;

  constructor(memory: ThreadMemory, directory: RunDirectory, tests: readonly ScanTest[]) {
    this.#memory = memory;
    this.#directory = directory;
    this.#tests = tests;
  }

  /** The tests that the zone map leaves open; null when it says that no row of the block passes. */
  open(block: number): readonly ScanTest[] | null {
    if (this.#tests.length === 0) return NO_TESTS;
    const bounds = this.#boundsOf(block);
    const open: ScanTest[] = [];
    for (const test of this.#tests) {
      const verdict = verdictOf(test, bounds);
      if (verdict === 'none') return null;
      if (verdict === 'some') open.push(test);
    }
    return open;
  }

  /** True when ends are wanted of a block that has some which come too late to be known. */
  closesLater(block: number, wanted: readonly number[], openAfter: bigint | null): openAfter is bigint {
    if (openAfter === null || !(wanted.includes(TX_TO) || wanted.includes(VALID_TO))) return false;
    return this.#boundsOf(block).greatest(TX_TO) > openAfter;
  }

  #boundsOf(block: number): BlockBounds {
    this.#known ??= new BlockBounds(this.#directory);
    this.#known.block = block;
    return this.#known;
  }

  /**
   * How many rows of a part of a block live and pass; fewer than all of them are listed at `selection`. `dead`: numbers of dead
   * rows, for which there is room at `deadAt`.
   */
  select({ address, block, from, to, tests }: BlockPart, dead: Uint16Array, deadAt: number, selection: number): number {
    const { memory, kernels } = this.#memory;
    let rows: RowNumbers = { first: from, address: 0, count: to - from };
    if (dead.length > 0) {
      new Uint16Array(memory.buffer, deadAt, dead.length).set(dead);
      const count = kernels.selectAlive(deadAt, dead.length, from, to, selection);
      if (count < rows.count) rows = { first: from, address: selection, count };
    }
    for (const test of tests) {
      if (rows.count === 0) return 0;
      const count = this.apply(test, address, block, rows, selection);
      rows = { first: from, address: selection, count };
    }
    return rows.count;
  }

  /** Lists the rows of a block that pass a test at `to`, which may be the list that they come from; how many. */
  apply(test: ScanTest, address: number, block: number, rows: RowNumbers, to: number): number {
    return applyTest(this.#memory, test, { address, rows: this.#directory.rows[block] as number }, rows, to);
  }
}

/** A packed block in memory, with all of its rows. */
export interface WholeBlock {
  readonly address: number;
  readonly rows: number;
}

/** Lists the rows of a block that pass a test at `to`, which may be the list that they come from; how many. */
export function applyTest(
  memory: ThreadMemory,
  test: ScanTest,
  whole: WholeBlock,
  rows: RowNumbers,
  to: number,
): number {
  const { kernels } = memory;
  const { address } = whole;
  const { first, address: from, count } = rows;
  if (test.kind === 'knownEnd') return kernels.selectKnownEnd(address, test.tx, test.at, first, from, count, to);
  const { column } = test;
  if (test.kind === 'equal') {
    return kernels.selectPacked(address, column, test.id, test.id + 1n, first, from, count, to);
  }
  const [range] = test.ranges;
  if (range !== undefined && test.ranges.length === 1) {
    return kernels.selectPacked(address, column, range.from, endOf(range), first, from, count, to);
  }
  return selectRanges(memory, column, test.ranges, whole, rows, to);
}

function selectRanges(
  memory: ThreadMemory,
  column: number,
  ranges: readonly IdRange[],
  whole: WholeBlock,
  { first, address: from, count }: RowNumbers,
  to: number,
): number {
  const { address, rows } = whole;
  invariant(first <= rows && rows <= BATCH_ROWS, 'a block has no more rows than a batch');
  const boundBytes = 16 * Math.max(1, ranges.length);
  const values = memory.allocate(VALUES_BYTES);
  const bounds = memory.allocate(boundBytes);
  memory.kernels.decodeColumn(address, column, first, rows, values);
  const pairs = memory.bigsAt(bounds, 2 * ranges.length);
  ranges.forEach((range, i) => {
    pairs[2 * i] = range.from;
    pairs[2 * i + 1] = endOf(range);
  });
  const passed = memory.kernels.selectRanges(values, from, count, bounds, ranges.length, to);
  memory.free(bounds, boundBytes);
  memory.free(values, VALUES_BYTES);
  return passed;
}

/** The greatest id is kept for open times, so that a bound of 2^64 loses nothing. */
function endOf(range: IdRange): bigint {
  return range.to >= 1n << 64n ? (1n << 64n) - 1n : range.to;
}
