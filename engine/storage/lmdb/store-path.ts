/**
 * The name of a store file behind links. Everything beside a store (LMDB's lock file, the lock of the writer,
 * files under way) has its name from that of the store, so whoever opens the file has to come to the same name.
 */

import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { SvcError } from '../../base/errors.js';

/** What Linux follows at most. */
const LINKS_MAX = 40;

/** The path as it was given when no part of it is a link, else the path of the file behind; there may be no file yet. */
export function storePath(path: string): string {
  const place = resolve(path);
  const real = realPath(place, path, LINKS_MAX);
  return real === place ? path : real;
}

function realPath(place: string, given: string, linksMax: number): string {
  try {
    return realpathSync.native(place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP' || linksMax === 0) {
      throw new SvcError('invalid_request', `${given} is a link that leads in a circle`, { hint: 'name a file' });
    }
    // Whoever opens it tells what is wrong.
    if (code !== 'ENOENT') return place;
  }
  const folder = dirname(place);
  if (folder === place) return place;
  const realFolder = realPath(folder, given, linksMax);
  const status = lstatSync(place, { throwIfNoEntry: false });
  // A link to a file that has still to be made.
  if (status?.isSymbolicLink()) return realPath(resolve(realFolder, readlinkSync(place)), given, linksMax - 1);
  return join(realFolder, basename(place));
}
