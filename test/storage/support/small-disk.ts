/** A small file system of its own, so that a disk can be filled. Only a privileged process may mount one. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** Mounts one of some bytes at a new folder for the length of a test; null, and the test is skipped, when that is not allowed. */
export function mountSmall(context: TestContext, place: string, bytes: number): string | null {
  mkdirSync(place);
  const made = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', place]);
  if (made.status !== 0) {
    context.skip('no file system can be mounted here, so no disk can be filled');
    return null;
  }
  context.after(() => {
    spawnSync('umount', ['-l', place]);
  });
  return place;
}

/** Nothing can be written there any more, or can again. */
export function remount(place: string, mode: 'ro' | 'rw'): void {
  const done = spawnSync('mount', ['-o', `remount,${mode}`, place]);
  if (done.status !== 0) throw new Error(`remounting ${place}: ${done.stderr}`);
}

const BALLAST = 'ballast';

/** Fills a disk up to so many bytes that are left. */
export function leaveFree(place: string, bytes: number): void {
  rmSync(join(place, BALLAST), { force: true });
  const { bavail, bsize } = statfsSync(place);
  writeFileSync(join(place, BALLAST), Buffer.alloc(Math.max(0, bavail * bsize - bytes), 1));
}

export function removeBallast(place: string): void {
  rmSync(join(place, BALLAST), { force: true });
}
