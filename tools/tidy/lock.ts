/**
 * What must hold of the lock file:
 *
 * 1. It names every optional package of every platform. `npm install` leaves out those that the registry at hand does
 *    not serve, and `npm ci` then refuses the lock file.
 * 2. It has the hash of every package, also of those that this platform does not install.
 * 3. What comes with the package when it is installed says that it runs on the oldest Node that the package takes.
 */
import type { Problem } from './sources.js';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly engines?: { readonly node?: string };
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export function checkLock(lock: LockFile): Problem[] {
  const problems: Problem[] = [];
  const add = (message: string): void => {
    problems.push({ path: 'package-lock.json', line: 1, message });
  };
  for (const [path, { optionalDependencies = {}, integrity, dev, engines }] of Object.entries(lock.packages)) {
    if (path !== '' && !integrity?.startsWith('sha512-')) add(`no hash of ${path}`);
    if (path !== '' && !dev && !takesOldest(engines?.node)) add(`${path} needs Node ${engines?.node}`);
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (lock.packages[`${path}/node_modules/${name}`] || lock.packages[`node_modules/${name}`]) continue;
      add(`no entry for ${name}@${version}, an optional dependency of ${path}: npm ci will refuse it`);
    }
  }
  return problems;
}

/** Node 20.19, as `engines` of package.json has it. */
const OLDEST = 20 * 1000 + 19;
const RANGE = /^(\^|>=|~)? ?v?(\d+)(?:\.(\d+))?/;

/** `^20.19.0 || >=22.12.0`, `>= 18`: one of the alternatives has it. A form that is none of these does not. */
function takesOldest(range: string | undefined): boolean {
  if (range === undefined || range === '*') return true;
  return range.split('||').some((one) => {
    const [, sign, major, minor = '0'] = RANGE.exec(one.trim()) ?? [];
    if (major === undefined || Number(major) * 1000 + Number(minor) > OLDEST) return false;
    return sign === '>=' || major === '20';
  });
}
