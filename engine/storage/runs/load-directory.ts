/** Reads what stands beside the blocks of a run: its directory, and which of its rows are dead. */

import { SvcError } from '../../base/errors.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { type DeletionVector, decodeDeletionVector } from './deletion-vector.js';
import { DIRECTORY_BLOCKS, decodeDirectory, type RunDirectory } from './directory.js';
import type { RunRecord } from './manifest.js';

export function loadDirectory(file: LmdbFile, run: RunRecord, transaction: ReadTransaction | undefined): RunDirectory {
  const values: Buffer[] = [];
  for (let i = 0; i * DIRECTORY_BLOCKS < run.blocks; i++) {
    const value = file.readCopy('directories', run.directory + i, transaction);
    if (value === undefined) throw new SvcError('store_corrupt', `the directory of run ${run.id} is missing`);
    values.push(value);
  }
  return decodeDirectory(values, run.blocks, `run ${run.id}`);
}

/** The dead rows of a run, or null when all live. */
export function loadDeletionVector(
  file: LmdbFile,
  run: RunRecord,
  transaction: ReadTransaction | undefined,
): DeletionVector | null {
  if (run.dead === undefined) return null;
  return decodeDeletionVector(file.readCopy('directories', run.dead.key, transaction), run.blocks, `run ${run.id}`);
}
