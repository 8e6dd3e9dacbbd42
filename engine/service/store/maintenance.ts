/** Care of a store's file that needs it to itself: nobody may have it open for writing, this process included. */

import type { Control } from '../../base/control.js';
import { fromSystemError, SvcError } from '../../base/errors.js';
import type { RepairReport } from '../../storage/repair/repair.js';
import type { CompactReport } from '../../storage/seam/engine.js';
import type { RestoreOptions, RestoreReport } from '../lake/restore.js';
import { MEMORY_PATH } from '../options/store-options.js';

/**
 * Writes the file anew without free pages, verifies it and puts it in the place of the old one. Other
 * processes that have it open for reading go on with the old one until they open it again.
 */
export async function compactStore(path: string, control: Control = {}): Promise<CompactReport> {
  await checkControl(control, 'option of compactStore');
  return onFile(path, async () => (await import('../../storage/admin/compact.js')).compactFile(path, control));
}

/**
 * Makes damaged parts of the file again from the others, as far as they tell of each other, on a copy
 * that takes the place of the file only when it is better; the file stays beside it then.
 */
export async function repairStore(path: string, control: Control = {}): Promise<RepairReport> {
  await checkControl(control, 'option of repairStore');
  return onFile(path, async () => (await import('../../storage/repair/repair.js')).repairFile(path, control));
}

/**
 * Puts a backup, a file or `s3://bucket/name`, at a path, where it is a store again, when every block of it was read. A
 * store that is there is replaced only where that is said.
 */
export async function restoreStore(
  path: string,
  from: string,
  options: RestoreOptions & Control = {},
): Promise<RestoreReport> {
  await checkControl(options, 'option of restoreStore', 'restore');
  const { overwrite, ...control } = options;
  return onFile(path, async () => (await import('../lake/restore.js')).restoreFile(path, from, { overwrite }, control));
}

/** Loaded when needed: commands describe care without it. */
async function checkControl(control: object, what: string, known: 'control' | 'restore' = 'control'): Promise<void> {
  const [{ KNOWN }, { refuseUnknown }] = await Promise.all([
    import('./known-options.js'),
    import('../options/refuse-unknown.js'),
  ]);
  refuseUnknown(control, KNOWN[known], what);
}

async function onFile<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  if (path === MEMORY_PATH) throw new SvcError('unsupported', 'a store in memory has no file to care for');
  try {
    return await work();
  } catch (error) {
    throw fromSystemError(error, path);
  }
}
