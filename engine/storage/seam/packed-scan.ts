/**
 * The rows of a scan as packed blocks in kernel memory, for those who test and decode them where they like: also in another
 * thread, which has kernels over the same memory. Whoever reads them fetches blocks in one thread only, that of the snapshot; a
 * block stays where it is until it is given back.
 */

import type { ScanTest } from './scan-tests.js';

/** Rows `[from, to)` of a packed block. */
export interface PackedPart {
  /** Of the block, to give it back by. */
  readonly number: number;
  readonly address: number;
  /** Of the whole block. */
  readonly rows: number;
  readonly from: number;
  readonly to: number;
  /** Tests of the scan that are left for these rows, a bit each. */
  readonly open: number;
  /** Numbers of dead rows of the block, ascending. */
  readonly dead: Uint16Array;
}

export interface PackedScan {
  /** The WebAssembly memory in which the blocks lie, to tell it from others. */
  readonly memory: object;
  /** There are no more rows than that. */
  readonly rows: number;
  /** All tests of the scan. */
  readonly tests: readonly ScanTest[];
  /** Fetches the next block that may have rows, in the order of the scan; null after the last. */
  next(): PackedPart | null;
  giveBack(part: PackedPart): void;
  /** Gives all back; nothing is fetched any more. */
  close(): void;
}
