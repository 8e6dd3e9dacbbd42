/** The secret seed of the hashes of terms: 16 bytes, sealed, under the key `seed` of `meta`. */

import { SvcError } from '../../base/errors.js';
import type { LmdbFile } from './file.js';
import { seal, unseal } from './sealed.js';

export const SEED_BYTES = 16;
export type Seed = readonly [bigint, bigint];

export function seedOf(bytes: Buffer): Seed {
  return [bytes.readBigUInt64LE(0), bytes.readBigUInt64LE(8)];
}

export function readSeed(file: LmdbFile): Seed {
  const sealed = file.readCopy('meta', 'seed');
  if (sealed === undefined) throw new SvcError('store_foreign', `${file.path} is not a store of svc: it has no seed`);
  const seed = unseal(sealed, `the seed of ${file.path}`);
  if (seed.length !== SEED_BYTES) throw new SvcError('store_corrupt', `the seed of ${file.path} is damaged`);
  return seedOf(seed);
}

/** Inside a write of the file only. */
export function putSeed(file: LmdbFile, bytes: Buffer): void {
  file.put('meta', 'seed', seal(bytes));
}
