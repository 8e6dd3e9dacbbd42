/** A run that is read, and by what. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { BlockReader } from '../runs/block-reader.js';
import type { ScanCounters } from '../seam/scan.js';
import type { ScanTest } from '../seam/scan-tests.js';
import type { ScanPlan } from './scan-plan.js';
import type { OpenRun } from './visible-run.js';

export interface RunScan {
  readonly memory: ThreadMemory;
  readonly blocks: BlockReader;
  readonly counters: ScanCounters;
  readonly transaction: ReadTransaction;
}

/** What is read of a run. */
export interface RunRead extends OpenRun {
  readonly plan: ScanPlan;
  readonly tests: readonly ScanTest[];
  /** Rows that were closed after this transaction come as open ones; null = as they are. */
  readonly openAfter: bigint | null;
  /** Numbers of the columns to decode. */
  readonly wanted: readonly number[];
}
