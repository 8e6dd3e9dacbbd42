/** Writes that no face offers: rows of overlays, of frozen graphs, and changes behind the registry. */

import { mkdirSync } from 'node:fs';
import { useArchives } from '../../../engine/graphs/archives.js';
import { WritePipeline } from '../../../engine/service/pipeline/pipeline.js';
import type { StageChange } from '../../../engine/service/pipeline/write-control.js';
import { Store } from '../../../engine/service/store/store.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { StoreFolder } from '../../storage/support/store-folder.js';

const folder = new StoreFolder();

export interface Internals {
  readonly store: Store;
  readonly engine: StorageEngine;
  /** One transaction of the engine itself. */
  write(change: StageChange<unknown>): Promise<unknown>;
}

/** A folder for packs. */
export function newFolder(): string {
  const path = folder.fresh('');
  mkdirSync(path);
  return path;
}

/** A store of each kind with the way into it. */
export async function onBothEngines(work: (internals: Internals, kind: string) => Promise<void>): Promise<void> {
  for (const kind of ['memory', 'file']) {
    const engine = kind === 'memory' ? openMemoryEngine() : await openLmdbEngine(folder.fresh());
    useArchives(engine, undefined);
    const store = new Store(engine);
    const pipeline = new WritePipeline(engine);
    try {
      await work({ store, engine, write: (change) => pipeline.transact(change, {}) }, kind);
    } finally {
      await store.close();
    }
  }
}
