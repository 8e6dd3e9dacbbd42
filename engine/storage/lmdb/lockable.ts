/**
 * Where the lock of the writer would not hold, a store is refused for writing: a file with several names, of
 * which each has its own lock; a file that is mounted alone, without the locks beside it; file systems over
 * which other machines write, where neither LMDB's locks nor its map of the file are those of the others.
 * Reading such a file is allowed.
 */

import { readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { SvcError } from '../../base/errors.js';

/** Types of file systems that statfs of Linux tells. */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x47504653, 'GPFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x19830326, 'BeeGFS'],
  [0x20030528, 'OrangeFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x786f4256, 'a folder shared by VirtualBox'],
  [0xbacbacbc, 'a folder shared by VMware'],
]);
const FUSE_TYPE = 0x65735546;
/** File systems in user space that lie on a disk of this machine; what others lie on can't be told. */
const LOCAL_FUSE: ReadonlySet<string> = new Set(['fuseblk', 'fuse.fuse-overlayfs', 'fuse.gocryptfs']);

export interface Mount {
  readonly place: string;
  /** Its type by name: `ext4`, `fuse.sshfs`. */
  readonly type: string;
}

/** The mounts of /proc/self/mountinfo, in their order; a later one covers an earlier one of the same place. */
export function parseMounts(text: string): Mount[] {
  const plain = (field: string): string =>
    field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  return text.split('\n').flatMap((line) => {
    const [fields, source] = line.split(' - ').map((part) => part.split(' '));
    const [place, type] = [fields?.[4], source?.[0]];
    return place === undefined || type === undefined ? [] : [{ place: plain(place), type }];
  });
}

/** Empty where the system has no such list. */
function readMounts(): Mount[] {
  try {
    return parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return [];
  }
}

/** What a folder lies on, when that is no disk of this machine; null when it is, or when nothing tells. */
export function networkOf(folder: string, type: number, mounts: readonly Mount[]): string | null {
  // Signed where it is read as such.
  const known = NETWORK_TYPES.get(type >>> 0);
  if (known !== undefined || type !== FUSE_TYPE) return known ?? null;
  const above = mounts.filter(({ place }) => `${folder}/`.startsWith(place === '/' ? '/' : `${place}/`));
  const longest = Math.max(...above.map(({ place }) => place.length));
  const name = above.findLast(({ place }) => place.length === longest)?.type ?? 'FUSE';
  return LOCAL_FUSE.has(name) ? null : name;
}

/** The nearest folder above a file that is there. */
function folderType(path: string): { readonly folder: string; readonly type: number } | null {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    try {
      return { folder, type: statfsSync(folder).type };
    } catch {
      if (dirname(folder) === folder) return null;
    }
  }
}

/** Other names of the file that a repair gave it; one that was interrupted leaves such a name. */
export function keptNames(path: string): string[] {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined || status.nlink < 2) return [];
  const [folder, start] = [dirname(resolve(path)), `${basename(path)}.damaged`];
  return readdirSync(folder)
    .filter((name) => name.startsWith(start))
    .map((name) => join(folder, name))
    .filter((name) => {
      const other = statSync(name, { throwIfNoEntry: false });
      return other?.dev === status.dev && other.ino === status.ino;
    });
}

/** Throws what speaks against writing to the store at `path`, which is no link. */
export function assertLockable(path: string): void {
  const mounts = readMounts();
  const place = folderType(path);
  const network = place && networkOf(place.folder, place.type, mounts);
  if (network !== null) {
    throw unlockable(`${path} lies on ${network}, where a lock against other writers does not hold`, {
      hint: 'put it on a disk of this machine, and let others use it through svc serve; it can be read where it is',
    });
  }
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status?.isFile()) return;
  const names = status.nlink - keptNames(path).length;
  if (names > 1) {
    throw unlockable(`${path} has ${names} names (hard links), so that a writer under one is not seen under another`, {
      hint: `remove the other names (find -samefile ${path}), or write to a copy of it: cp ${path} COPY; it can be read`,
    });
  }
  if (mounts.some((mount) => mount.place === resolve(path))) {
    throw unlockable(`${path} is mounted alone, without the folder in which its lock lies`, {
      hint: 'mount the folder of the store instead of the file; it can be read as it is',
    });
  }
}

function unlockable(message: string, options: { readonly hint: string }): SvcError {
  return new SvcError('store_read_only', message, options);
}
