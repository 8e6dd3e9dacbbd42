/**
 * What tells a file from another one in its place, and from itself with something written to it since, without reading it. A
 * new name changes nothing of that. File systems count times in steps of some milliseconds: what is written within the step of
 * the last write before the look goes unseen, unless the size changes.
 */

import { lstatSync } from 'node:fs';

declare const MARK: unique symbol;
export type FileMark = string & { readonly [MARK]: true };

/** Null where there is nothing. */
export function markOf(path: string): FileMark | null {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : (`${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}` as FileMark);
}
