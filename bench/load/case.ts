/** What is measured: a data set loaded by a store with so many threads. */
import type { StorageStats } from '../../engine/storage/seam/engine.js';
import type { DataSet } from '../data/data-set.js';
import type { LoadFigures } from './measure.js';

export interface LoadCase {
  readonly data: DataSet;
  /** `svc`, or the name of a peer. */
  readonly who: string;
  readonly threads: number;
  readonly runs: LoadFigures[];
  median: LoadFigures | null;
  stats: StorageStats | null;
  error: string | null;
}
