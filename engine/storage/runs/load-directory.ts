/** Reads the directory of a run from the file. */

import { SvcError } from '../../base/errors.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
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
