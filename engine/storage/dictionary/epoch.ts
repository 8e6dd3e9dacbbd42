/**
 * The epoch of a dictionary: which numbering of terms a store file has. Files of one epoch that know a number know the
 * same term under it, as long as no two of them are written; so ids of one may be read in the other.
 *
 * It is 16 bytes, sealed, under the key `epoch` of `meta`. A file without the key has the epoch that its seed makes, as
 * every copy of it has: a backup and a compaction keep numbers as they are. Whatever numbers terms anew has to write a
 * new one.
 */

import { createHash } from 'node:crypto';
import type { LmdbFile } from '../lmdb/file.js';
import { unseal } from '../lmdb/sealed.js';

const EPOCH_BYTES = 16;

/** In hex. */
export function readEpoch(file: LmdbFile, seed: readonly [bigint, bigint]): string {
  const sealed = file.readCopy('meta', 'epoch');
  if (sealed !== undefined) return unseal(sealed, `the epoch of ${file.path}`).toString('hex');
  // The seed stays secret: an epoch may be told.
  const text = `dictionary epoch ${seed.join(' ')}`;
  return createHash('sha256').update(text).digest().subarray(0, EPOCH_BYTES).toString('hex');
}
