/** Care of a store's file that needs it to itself: nobody may have it open for writing, this process included. */

import type { Control } from '../../base/control.js';
import { fromSystemError, SvcError } from '../../base/errors.js';
import type { RepairReport } from '../../storage/repair/repair.js';
import type { CompactReport } from '../../storage/seam/engine.js';
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

/** Loaded when needed: commands describe care without it. */
async function checkControl(control: Control, what: string): Promise<void> {
  const [{ KNOWN }, { refuseUnknown }] = await Promise.all([
    import('./known-options.js'),
    import('../options/refuse-unknown.js'),
  ]);
  refuseUnknown(control, KNOWN.control, what);
}

async function onFile<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  if (path === MEMORY_PATH) throw new SvcError('unsupported', 'a store in memory has no file to care for');
  try {
    return await work();
  } catch (error) {
    throw fromSystemError(error, path);
  }
}
