/** The threads that a store is opened with, besides its caller's. */

import type { OpenOptions } from '../store-options.js';
import type { ReaderPool } from './reader-pool.js';
import type { WriterThread } from './writer.js';

export interface StoreThreads {
  readonly pool?: ReaderPool | null;
  readonly writer?: WriterThread | null;
}

/** Readers start when there is work for them; the writer has opened the store when this settles. */
export async function startThreads(path: string, create: boolean, options: OpenOptions): Promise<StoreThreads> {
  const { readers = 0, readerAgeMaxMs, configuration, readOnly, writerThread, baseNamespace } = options;
  let pool: ReaderPool | null = null;
  if (readers !== 0) {
    const { ReaderPool } = await import('./reader-pool.js');
    pool = new ReaderPool(path, { size: readers, readerAgeMaxMs, configuration, baseNamespace });
  }
  if (!writerThread || readOnly) return { pool };
  const { WriterThread } = await import('./writer.js');
  return { pool, writer: await WriterThread.open(path, create, options) };
}
