/** The body of a reader thread: the store file, opened for reading, behind the jobs of readers. */

import { serveThread } from '../../base/threads/server.js';
import { useArchives } from '../../graphs/archives.js';
import { joinHelperCounts } from '../../query/runtime/morsels/helper-counts.js';
import { joinProcessMemory } from '../../query/runtime/process-memory.js';
import { openLmdbEngine } from '../../storage/lmdb-store/open.js';
import { embeddingOptions } from '../options/embedding-options.js';
import { READER_AGE_MAX_MS } from '../reads/snapshot-keeper.js';
import { Store } from '../store/store.js';
import type { ReaderSetup } from '../threads/read-jobs.js';
import { readerJobs } from './reader-jobs.js';

await serveThread(async (setup) => {
  const {
    path,
    readerAgeMaxMs,
    configuration,
    baseNamespace,
    archives,
    follows,
    memorySlots,
    memorySlot,
    helperCounts,
  } = setup as ReaderSetup;
  joinProcessMemory(memorySlots, memorySlot);
  joinHelperCounts(helperCounts, memorySlot);
  const engine = await openLmdbEngine(path, { readOnly: true, checked: true, baseNamespace });
  useArchives(engine, archives?.openMax);
  const embeddings = configuration && embeddingOptions(configuration);
  const store = new Store(engine, { readerAgeMaxMs, archives, embeddings, ...follows });
  const unreadMaxMs = readerAgeMaxMs ?? READER_AGE_MAX_MS;
  return { jobs: readerJobs(store, configuration), unreadMaxMs, close: () => store.close() };
});
