/**
 * The lock file names every optional package of every platform. `npm install` leaves out those that
 * the registry at hand does not serve, and `npm ci` then refuses the lock file.
 */
import type { Problem } from './sources.js';

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export function checkLock(lock: LockFile): Problem[] {
  const problems: Problem[] = [];
  for (const [path, { optionalDependencies = {} }] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (lock.packages[`${path}/node_modules/${name}`] || lock.packages[`node_modules/${name}`]) continue;
      const message = `no entry for ${name}@${version}, an optional dependency of ${path}: npm ci will refuse it`;
      problems.push({ path: 'package-lock.json', line: 1, message });
    }
  }
  return problems;
}
