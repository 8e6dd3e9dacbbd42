/** The role of a store file that nobody has open: what it is, and what it is to become. */

import { existsSync } from 'node:fs';
import { checkHeader, LmdbFile } from '../lmdb/file.js';
import { putRole, readRole } from '../lmdb/replication-role.js';
import { storePath } from '../lmdb/store-path.js';
import { WriterLock } from '../lmdb/writer-lock.js';
import { placeOfCopy, putPlace } from '../replication/beside-place.js';
import { decodeManifest } from '../runs/manifest.js';
import type { ReplicationRole } from '../seam/replication.js';

/** Null where there is no file. */
export async function roleOfFile(given: string): Promise<ReplicationRole | null> {
  const path = storePath(given);
  if (!existsSync(path) || !checkHeader(path)) return null;
  const file = LmdbFile.open(path, { readOnly: true });
  try {
    decodeManifest(file.readCopy('meta', 'manifest'), path);
    return readRole(file);
  } finally {
    await file.close();
  }
}

/** On the disk when it settles. Takes the lock of the writer: nobody may write meanwhile. */
export async function changeRole(given: string, role: ReplicationRole): Promise<void> {
  const path = storePath(given);
  const lock = WriterLock.take(path);
  try {
    await markRole(path, role);
  } finally {
    lock.release();
  }
}

async function markRole(path: string, role: ReplicationRole): Promise<void> {
  await changeFile(path, (file) => putRole(file, role));
}

/** Makes a copy of the file of a primary, which has no name yet, a follower. */
export async function markCopy(path: string, role: ReplicationRole): Promise<void> {
  await changeFile(path, (file) => {
    const place = placeOfCopy(file, role.epoch);
    putRole(file, role);
    putPlace(file, place);
  });
}

async function changeFile(path: string, change: (file: LmdbFile) => void): Promise<void> {
  const file = LmdbFile.open(path, { readOnly: false });
  try {
    file.write(() => change(file));
  } finally {
    await file.close();
  }
}
