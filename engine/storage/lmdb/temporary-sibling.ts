/**
 * New files that take a name only when they are whole: written beside it, flushed, renamed, and the
 * folder flushed. One that is given up leaves nothing behind.
 */

import { existsSync, statfsSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { SvcError } from '../../base/errors.js';

/** The name under which a file is made that will be called `path`. */
export function asideName(path: string, purpose: string): string {
  return `${path}.${purpose}-${process.pid}`;
}

/** Removes a file that was made and what LMDB put beside it. */
export async function removeAside(path: string): Promise<void> {
  for (const name of [path, `${path}-lock`, `${path}-writer`]) await rm(name, { force: true });
}

/** Gives a whole file its name; what had the name before is gone. LMDB's lock file goes first: it belongs to the old one. */
export async function takeName(aside: string, path: string): Promise<void> {
  await flush(aside);
  await rm(`${aside}-lock`, { force: true });
  await rm(`${path}-lock`, { force: true });
  await rename(aside, path);
  await flush(dirname(resolve(path)));
}

/** Flushes a file, or the names in a folder: a new name lasts through a power cut only when its folder was flushed. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems have no flush of folders.
    if (!['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

/** Refuses a target that can't be made, before any work. */
export function checkTarget(target: string, overwrite: boolean, bytes: number): void {
  const folder = dirname(resolve(target));
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new SvcError('invalid_request', `${target} can not be written: there is no folder ${folder}`);
  }
  if (existsSync(target)) {
    if (statSync(target).isDirectory()) {
      throw new SvcError('invalid_request', `${target} is a folder`, { hint: `name a file: ${target}/${'backup.db'}` });
    }
    if (!overwrite) {
      throw new SvcError('invalid_request', `${target} exists already`, {
        hint: 'name another file, or say that it may be overwritten',
      });
    }
  }
  checkRoom(folder, basename(target), bytes);
}

export function checkRoom(folder: string, name: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= bytes) return;
  throw new SvcError('disk_full', `${name} needs ${bytes} bytes; the disk has ${bavail * bsize} left`, {
    hint: 'free some space, or name a file on another disk; nothing was written',
  });
}
