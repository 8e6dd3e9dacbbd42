/** Counts of what callers have stored: without the rows of the graph registry, which are the service's own. */

import { factsOf } from '../../query/registry/graph-rows.js';
import { registryId } from '../../query/registry/system-graphs.js';
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
  const rows = lookInto(engine.snapshot(), (snapshot) => {
    const registry = registryId(snapshot);
    return registry === null ? 0 : factsOf(snapshot, registry);
  });
  return rows === 0 ? stats : { ...stats, quadsCurrent: stats.quadsCurrent - rows, graphs: stats.graphs - 1 };
}
