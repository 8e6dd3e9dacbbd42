/** What is measured of a data set, and what the measuring processes tell each other. */
import type { DataSet } from '../data/data-set.js';

/** Figures by name; µs for lookups, rows a second for scans. */
export type StorageFigures = Record<string, number>;

/** What the peer gets to know of the keys. */
export interface SharedKeys {
  readonly predicates: readonly string[];
  readonly largePredicates: readonly string[];
  readonly rows: number;
}

export interface StorageCase {
  readonly data: DataSet;
  readonly runs: StorageFigures[];
  readonly peerRuns: StorageFigures[];
  readonly errors: string[];
  median: StorageFigures | null;
  peer: StorageFigures | null;
}
