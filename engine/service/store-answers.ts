/** What a store tells of itself. */

import type { Authenticated } from '../base/control.js';
import type { StorageStats, TransactionRecord } from '../storage/seam/engine.js';
import type { SnapshotFigures } from './snapshot-keeper.js';
import { showInstant } from './store-options.js';
import type { ReaderPoolFigures } from './threads/reader-pool.js';

export interface Transaction {
  readonly id: number;
  readonly timestamp: string;
  readonly actor: string | null;
  readonly source: string | null;
  /** What the token of a request proved about who wrote; null: there was none. */
  readonly authenticated: Authenticated | null;
  /** Statements that it opened. */
  readonly quadsAdded: number;
  /** Statements that it closed. */
  readonly quadsRetracted: number;
}

/** Counts of what is stored, and of who reads it. */
export interface StoreStats extends StorageStats {
  /** Snapshots of the caller's thread. */
  readonly snapshots: SnapshotFigures;
  readonly readers: ReaderPoolFigures;
}

export function toTransaction({ timestamp, authenticated, events: _, ...rest }: TransactionRecord): Transaction {
  return { ...rest, timestamp: showInstant(timestamp), authenticated: authenticated ?? null };
}
