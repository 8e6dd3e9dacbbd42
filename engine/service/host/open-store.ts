/** Opens stores: which engine, and which threads beside the caller's. */

import { fromSystemError } from '../../base/errors.js';
import { useArchives } from '../../graphs/archives.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { checkEmbeddings } from '../embedding/embedder.js';
import { StoreEvents } from '../events/store-events.js';
import { refuseUnknown } from '../options/refuse-unknown.js';
import { checkBaseNamespace, checkFeatures, MEMORY_PATH, type OpenOptions } from '../options/store-options.js';
import { StoreSnapshot } from '../reads/snapshot.js';
import { EVENT_OPTIONS, guardOptions, KNOWN, SNAPSHOT_OPTIONS, STORE_OPTIONS } from '../store/known-options.js';
import { Store } from '../store/store.js';
import { startThreads } from './start-threads.js';

guardOptions(Store.prototype, STORE_OPTIONS);
guardOptions(StoreSnapshot.prototype, SNAPSHOT_OPTIONS);
guardOptions(StoreEvents.prototype, EVENT_OPTIONS);

/** Stores in memory that nobody has closed, and nobody can any more. */
const forgotten = new FinalizationRegistry<StorageEngine>((engine) => {
  // Nobody is left to be told; the folder goes with the process at the latest.
  engine.close().catch(() => undefined);
});

async function recover(store: Store): Promise<void> {
  try {
    await store.recoverFreezes();
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Opens the store file at a path, or a store in memory for `:memory:`. A missing file is made with
 * its folder, unless the store is to be read only.
 */
export async function openStore(path: string, options: OpenOptions = {}): Promise<Store> {
  refuseUnknown(options, KNOWN.open, 'option of openStore');
  const { baseNamespace } = options;
  checkBaseNamespace(baseNamespace);
  refuseUnknown(options.archives, KNOWN.archives, 'option of archives');
  refuseUnknown(options.owl, KNOWN.owl, 'option of owl');
  refuseUnknown(options.governance, KNOWN.governance, 'option of governance');
  refuseUnknown(options.embeddings, KNOWN.embeddings, 'option of embeddings');
  checkEmbeddings(options.embeddings);
  checkFeatures(options.features);
  if (path === MEMORY_PATH) {
    const { openTemporaryEngine } = await import('../../storage/lmdb-store/temporary.js');
    const engine = await openTemporaryEngine(MEMORY_PATH, { baseNamespace });
    useArchives(engine, options.archives?.openMax);
    const store = new Store(engine, options);
    forgotten.register(store, engine);
    await store.followWrites();
    return store;
  }
  const readOnly = options.readOnly ?? false;
  const create = options.create ?? !readOnly;
  try {
    const { openLmdbEngine } = await import('../../storage/lmdb-store/open.js');
    // LMDB opens a file once in a process, in the mode of whoever is first: a writer thread has to be.
    const threads = await startThreads(path, create, options);
    const mode = threads.writer
      ? { readOnly: true, checked: true, baseNamespace }
      : { readOnly, create, baseNamespace };
    try {
      const engine = await openLmdbEngine(path, mode);
      useArchives(engine, options.archives?.openMax);
      const store = new Store(engine, options, threads);
      // A follower's freezes are the primary's to look after, and its vectors come from there.
      const follows = engine.replication?.state().role === 'follower';
      if (!readOnly && !follows) {
        await recover(store);
        await store.followWrites();
      }
      return store;
    } catch (error) {
      await threads.writer?.close();
      throw error;
    }
  } catch (error) {
    throw fromSystemError(error, path);
  }
}
