/**
 * A backup: one state of a store file, copied while the store is read and written, looked over, and
 * given its name only then. It is a store file like any other.
 */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Control, throwIfStopped } from '../../base/control.js';
import { fromSystemError, invariant, SvcError } from '../../base/errors.js';
import { checkHeader, LmdbFile } from '../lmdb/file.js';
import { removeOldBackups } from '../lmdb/litter.js';
import { copyPages } from '../lmdb/page-copy.js';
import { storePath } from '../lmdb/store-path.js';
import { asideName, checkTarget, removeAside, takeName } from '../lmdb/temporary-sibling.js';
import { readHead } from '../log/head.js';
import { decodeManifest } from '../runs/manifest.js';
import type { BackupReport } from '../seam/engine.js';

const REPORT_MS = 100;

export interface BackupOptions {
  /** True when a file of that name may be replaced. */
  readonly overwrite?: boolean | undefined;
}

export async function backupFile(
  file: LmdbFile,
  given: string,
  options: BackupOptions,
  control: Control,
): Promise<BackupReport> {
  const target = storePath(given);
  throwIfStopped(control, 'the backup');
  if (existsSync(target) && realpathSync(target) === realpathSync(file.path)) {
    throw new SvcError('invalid_request', `${target} is the store itself`, { hint: 'name another file' });
  }
  checkTarget(target, options.overwrite ?? false, file.fileBytes());
  removeOldBackups(target);
  const started = performance.now();
  const aside = asideName(target, 'backup');
  try {
    const bytes = await copy(file, aside, started, control);
    const tx = await look(aside, target);
    invariant(statSync(aside).size === bytes, 'a backup has the bytes that were written');
    throwIfStopped(control, 'the backup');
    // A file that came there meanwhile is not replaced either.
    checkTarget(target, options.overwrite ?? false, 0);
    await takeName(aside, target);
    return { path: target, bytes, tx, elapsedMs: performance.now() - started };
  } catch (error) {
    await removeAside(aside);
    throw fromSystemError(error, `writing ${target}`);
  }
}

async function copy(file: LmdbFile, aside: string, started: number, control: Control): Promise<number> {
  await removeAside(aside);
  const from = await open(file.path, 'r');
  try {
    const to = await open(aside, 'wx', statSync(file.path).mode & 0o777);
    try {
      let reported = started;
      const bytes = await copyPages(file, from, to, (done, total) => {
        throwIfStopped(control, 'the backup');
        const now = performance.now();
        if (now - reported < REPORT_MS && done < total) return;
        reported = now;
        control.onProgress?.({ phase: 'copy', done, total, unit: 'bytes', elapsedMs: now - started });
      });
      await to.sync();
      return bytes;
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** Follows every page of the copy and reads what state of the store it is. */
async function look(aside: string, target: string): Promise<number> {
  checkHeader(aside);
  const copied = LmdbFile.open(aside, { readOnly: true });
  try {
    const manifest = decodeManifest(copied.readCopy('meta', 'manifest'), target);
    return readHead(copied, manifest, undefined).lastTx;
  } finally {
    await copied.close();
  }
}
