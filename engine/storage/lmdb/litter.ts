/** Files under way that processes left which were killed: found by their names, and removed by the next that has a right to. */

import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { keptNames } from './lockable.js';

const DRAFT = /^-writer\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UNDER_WAY = /^\.(compact|repair)-\d+(-lock)?$/;
const BACKUP = /^\.backup-(\d+)(-lock)?$/;
/** A backup under way is written, then read once; who makes it may have a number of another pid namespace. */
const BACKUP_AGE_MS = 3_600_000;

function* namesAfter(path: string): Generator<{ readonly file: string; readonly end: string }> {
  const [folder, start] = [dirname(resolve(path)), basename(path)];
  for (const name of readdirSync(folder)) {
    if (name.startsWith(start)) yield { file: join(folder, name), end: name.slice(start.length) };
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** What writers of a store left. The caller has its lock, so none of it is in use. */
export function removeLitter(storePath: string): void {
  for (const { file, end } of namesAfter(storePath)) {
    if (DRAFT.test(end) || UNDER_WAY.test(end)) rmSync(file, { force: true });
  }
  for (const file of keptNames(storePath)) rmSync(file);
  removeOldBackups(storePath);
}

/** What backups to `target` left, which need no lock: those of processes that are gone, and old. */
export function removeOldBackups(target: string): void {
  for (const { file, end } of namesAfter(target)) {
    const pid = BACKUP.exec(end)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const status = statSync(file, { throwIfNoEntry: false });
    if (status && Date.now() - status.mtimeMs > BACKUP_AGE_MS) rmSync(file, { force: true });
  }
}
