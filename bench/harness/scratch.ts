/** A folder for what a run writes, removed at its end, also when it is interrupted. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from '../data/data-set.js';

let folder: string | null = null;

/** A path in the folder of this run. */
export function scratchPath(name: string): string {
  if (folder === null) {
    removeLeftOvers();
    const made = join(benchFolder(), `run-${process.pid}`);
    mkdirSync(made, { recursive: true });
    folder = made;
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    process.once('SIGINT', () => process.exit(130));
    process.once('SIGTERM', () => process.exit(143));
  }
  return join(folder, name);
}

/** Of runs that were killed. */
function removeLeftOvers(): void {
  for (const name of readdirSync(benchFolder())) {
    const match = /^run-(\d+)$/.exec(name);
    if (match && !isRunning(Number(match[1]))) rmSync(join(benchFolder(), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A store is its file, LMDB's lock file, and the lock of a writer that was killed. */
export function removeStore(path: string): void {
  for (const end of ['', '-lock', '-writer', '-writer.mdb', '-writer.mdb-lock']) rmSync(path + end, { force: true });
}
