/** Counts of what callers have stored: without the rows of the graph registry and the tombstones of overlays, which are the service's own. */

import { factsOf } from '../../query/registry/graph-rows.js';
import { unlistedIds } from '../../query/registry/system-graphs.js';
import type { StorageEngine, StorageStats } from '../../storage/seam/engine.js';
import { lookInto } from '../../storage/seam/rows.js';
import type { SnapshotFigures } from '../reads/snapshot-keeper.js';
import type { ReaderPoolFigures } from '../threads/reader-pool.js';

/** Counts of what is stored, and of who reads it. */
export interface StoreStats extends StorageStats {
  /** Snapshots of the caller's thread. */
  readonly snapshots: SnapshotFigures;
  readonly readers: ReaderPoolFigures;
}

export function withoutRegistry(engine: StorageEngine): StorageStats {
  const stats = engine.stats();
  const own = lookInto(engine.snapshot(), (snapshot) =>
    unlistedIds(snapshot)
      .map((graph) => factsOf(snapshot, graph))
      .filter((facts) => facts > 0),
  );
  if (own.length === 0) return stats;
  const rows = own.reduce((sum, facts) => sum + facts, 0);
  return { ...stats, quadsCurrent: stats.quadsCurrent - rows, graphs: stats.graphs - own.length };
}
