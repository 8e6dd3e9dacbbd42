/** Refuses a file that is not the one any more that was verified. */

import { SvcError } from '../../base/errors.js';
import { type FileMark, markOf } from '../../storage/lmdb/file-mark.js';

/** `mark`: of the file before it was read. Throws `store_corrupt`. */
export function assertUntouched(path: string, mark: FileMark | null): void {
  const now = markOf(path);
  if (now !== null && now === mark) return;
  const what = now === null ? 'is gone' : 'was changed';
  throw new SvcError('store_corrupt', `${path} ${what} since it was verified; the graph stays where it was`, {
    hint: 'keep other programs away from the file, and try again',
  });
}
