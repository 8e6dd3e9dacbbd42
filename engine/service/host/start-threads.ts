/** The threads that a store is opened with, besides its caller's. */

import { SvcError } from '../../base/errors.js';
import type { OpenOptions } from '../options/store-options.js';
import type { StoreThreads } from '../store/store.js';
import type { ReaderPool } from '../threads/reader-pool.js';

export const READER_SCRIPT = new URL('./reader-thread.js', import.meta.url);
export const WRITER_SCRIPT = new URL('./writer-thread.js', import.meta.url);

/** Readers start when there is work for them; the writer has opened the store when this settles. */
export async function startThreads(path: string, create: boolean, options: OpenOptions): Promise<StoreThreads> {
  const { readers = 0, readerAgeMaxMs, configuration, readOnly, writerThread, baseNamespace, archives } = options;
  if (readers !== 0 && options.readGates !== undefined) {
    throw new SvcError(
      'invalid_request',
      'gates of reads judge in the thread of the caller; open the store without readers',
    );
  }
  let pool: ReaderPool | null = null;
  if (readers !== 0) {
    const { ReaderPool } = await import('../threads/reader-pool.js');
    pool = new ReaderPool(path, {
      script: READER_SCRIPT,
      size: readers,
      readerAgeMaxMs,
      configuration,
      baseNamespace,
      archives,
      follows: { features: options.features, owl: options.owl, governance: options.governance },
    });
  }
  if (!writerThread || readOnly) return { pool };
  const { WriterThread } = await import('../threads/writer.js');
  return { pool, writer: await WriterThread.open(path, create, options, WRITER_SCRIPT) };
}
