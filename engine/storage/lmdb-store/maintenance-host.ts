/** What maintenance needs of its engine, and what it counts. */

import type { SnapshotContext } from '../snapshot/context.js';
import type { Committer } from './committer.js';

export interface MaintenanceHost {
  readonly context: SnapshotContext;
  readonly committer: Committer;
  readonly seed: readonly [bigint, bigint];
  /** True while a write is staged. */
  isWriting(): boolean;
  isClosed(): boolean;
}

export interface MaintenanceFigures {
  rowsFolded: number;
  runsMerged: number;
  bytesWritten: number;
  /** Why work in the background failed last; null = it did not. */
  lastError: string | null;
}
