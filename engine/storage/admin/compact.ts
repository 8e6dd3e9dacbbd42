/**
 * Compaction: the file is written anew without free pages, verified, and put in the place of the old one.
 * The writer lock is held throughout. The old file is as it was until the moment it is replaced.
 *
 * Who has the old file open goes on reading it, as of then, until it opens the store again; the space
 * that it takes is free once nobody does.
 */

import { dirname, resolve } from 'node:path';
import { type Control, throwIfStopped } from '../../base/control.js';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { checkHeader, LmdbFile } from '../lmdb/file.js';
import { readSeed } from '../lmdb/seed.js';
import { storePath } from '../lmdb/store-path.js';
import { asideName, checkRoom, removeAside, takeName } from '../lmdb/temporary-sibling.js';
import { WriterLock } from '../lmdb/writer-lock.js';
import { removeOrphans } from '../runs/file-sink.js';
import { decodeManifest } from '../runs/manifest.js';
import type { CompactReport } from '../seam/engine.js';
import { SnapshotContext } from '../snapshot/context.js';
import { verifyStore } from '../verify/verify.js';
import { rewriteFile } from './rewrite.js';

export async function compactFile(given: string, control: Control): Promise<CompactReport> {
  const path = storePath(given);
  throwIfStopped(control, 'the compaction');
  if (!checkHeader(path)) throw new SvcError('store_missing', `there is no store at ${path}`);
  const lock = WriterLock.take(path);
  const aside = asideName(path, 'compact');
  try {
    const bytesBefore = await writeAnew(path, aside, control);
    const bytesAfter = await verified(aside, path, control);
    throwIfStopped(control, 'the compaction');
    await takeName(aside, path);
    return { bytesBefore, bytesAfter };
  } catch (error) {
    await removeAside(aside);
    throw fromSystemError(error, `compacting ${path}`);
  } finally {
    lock.release();
  }
}

async function writeAnew(path: string, aside: string, control: Control): Promise<number> {
  const from = LmdbFile.open(path, { readOnly: true });
  try {
    const manifest = decodeManifest(from.readCopy('meta', 'manifest'), path);
    const { pages, freePages, pageBytes } = from.pages();
    checkRoom(dirname(resolve(path)), `the new file of ${path}`, (pages - freePages) * pageBytes);
    const to = LmdbFile.open(aside, { readOnly: false });
    try {
      await rewriteFile(from, to, 'the compaction', control);
      removeOrphans(to, manifest);
    } finally {
      await to.close();
    }
    return from.fileBytes();
  } finally {
    await from.close();
  }
}

async function verified(aside: string, path: string, control: Control): Promise<number> {
  checkHeader(aside);
  const file = LmdbFile.open(aside, { readOnly: true });
  try {
    const report = await verifyStore(new SnapshotContext(file, readSeed(file)), control);
    if (report.ok) return file.fileBytes();
    const [first] = report.problems;
    throw new SvcError('store_corrupt', `${path} is damaged: ${first?.where}: ${first?.what}`, {
      hint: 'svc verify lists everything, svc repair mends what it can; the file was left as it is',
    });
  } finally {
    await file.close();
  }
}
