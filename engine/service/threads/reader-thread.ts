/** The body of a reader thread: the store file, opened for reading, behind the jobs of readers. */

import { joinProcessMemory } from '../../query/runtime/process-memory.js';
import { openLmdbEngine } from '../../storage/lmdb-store/open.js';
import { READER_AGE_MAX_MS } from '../snapshot-keeper.js';
import { Store } from '../store.js';
import type { ReaderSetup } from './read-jobs.js';
import { readerJobs } from './reader-jobs.js';
import { serveThread } from './thread-server.js';

await serveThread(async (setup) => {
  const { path, readerAgeMaxMs, configuration, baseNamespace, memorySlots, memorySlot } = setup as ReaderSetup;
  joinProcessMemory(memorySlots, memorySlot);
  const engine = await openLmdbEngine(path, { readOnly: true, checked: true, baseNamespace });
  const store = new Store(engine, { readerAgeMaxMs });
  const unreadMaxMs = readerAgeMaxMs ?? READER_AGE_MAX_MS;
  return { jobs: readerJobs(store, configuration), unreadMaxMs, close: () => store.close() };
});
