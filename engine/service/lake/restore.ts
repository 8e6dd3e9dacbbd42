/**
 * A backup becomes a store again: from a file, or from object storage.
 *
 * 1. It is copied beside its place: a file as of one transaction, whoever writes to it; an object as it comes.
 * 2. It is opened as a store, and every block of it is read.
 * 3. It gets its name. Nobody may write to what has that name meanwhile; until then that stays as it is.
 */

import { existsSync, realpathSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { type Control, throwIfStopped } from '../../base/control.js';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { isS3, S3, s3Place } from '../../lake/target/s3-client.js';
import { removeOldBackups } from '../../storage/lmdb/litter.js';
import { storePath } from '../../storage/lmdb/store-path.js';
import { asideName, checkRoom, checkTarget, removeAside, takeName } from '../../storage/lmdb/temporary-sibling.js';
import { WriterLock } from '../../storage/lmdb/writer-lock.js';
import { openLmdbEngine } from '../../storage/lmdb-store/open.js';

const WHAT = 'the restore';
const REPORT_MS = 100;

export interface RestoreOptions {
  /** A store that has the name already is replaced; default false. */
  readonly overwrite?: boolean | undefined;
}

export interface RestoreReport {
  readonly path: string;
  readonly bytes: number;
  /** The newest transaction. */
  readonly tx: number;
  /** What the store was whose backup it is, and is. */
  readonly role: 'primary' | 'follower';
}

export async function restoreFile(
  given: string,
  from: string,
  { overwrite = false }: RestoreOptions,
  control: Control,
): Promise<RestoreReport> {
  const path = storePath(given);
  throwIfStopped(control, WHAT);
  if (!isS3(from)) checkSource(from, path);
  checkTarget(path, overwrite, 0);
  removeOldBackups(path);
  const lock = WriterLock.take(path);
  const aside = asideName(path, 'backup');
  try {
    await removeAside(aside);
    const bytes = isS3(from) ? await fetchObject(from, aside, control) : await copyStore(from, aside, control);
    const looked = await lookOver(aside, from, control);
    throwIfStopped(control, WHAT);
    // A file that came there meanwhile is not replaced either.
    checkTarget(path, overwrite, 0);
    await takeName(aside, path);
    return { path, bytes, ...looked };
  } catch (error) {
    await removeAside(aside);
    throw fromSystemError(toldAs(error, basename(aside), basename(path)), `restoring ${path}`);
  } finally {
    lock.release();
  }
}

function checkSource(from: string, path: string): void {
  if (!existsSync(from)) {
    throw new SvcError('store_missing', `there is no backup at ${from}`, {
      hint: 'name the file of a backup, or s3://bucket/name',
    });
  }
  if (existsSync(path) && realpathSync(path) === realpathSync(from)) {
    throw new SvcError('invalid_request', `${from} is the store itself`, { hint: 'name the file of a backup' });
  }
}

async function copyStore(from: string, aside: string, control: Control): Promise<number> {
  const engine = await openLmdbEngine(from, { readOnly: true });
  try {
    return (await engine.backup(aside, {}, control)).bytes;
  } finally {
    await engine.close();
  }
}

async function fetchObject(from: string, aside: string, control: Control): Promise<number> {
  const { bucket, key } = s3Place(from);
  const name = `s3://${bucket}/${key}`;
  if (key === '') {
    throw new SvcError('invalid_request', `s3://${bucket} is a bucket; a backup is an object`, {
      hint: `name it, for instance s3://${bucket}/monday.db`,
    });
  }
  const s3 = await S3.open(bucket);
  const handle = await open(aside, 'wx', 0o600);
  try {
    const total = await s3.size(key);
    if (total === null) {
      throw new SvcError('store_missing', `there is no backup at ${name}`, {
        hint: 'see that bucket and name are right, and AWS_ENDPOINT_URL_S3',
      });
    }
    checkRoom(dirname(resolve(aside)), aside, total);
    const bytes = await write(s3.stream(key), handle, total, control);
    if (bytes !== total) throw new SvcError('service_failed', `${name} has ${total} bytes, and ${bytes} came`);
    await handle.sync();
    return bytes;
  } finally {
    await handle.close();
    s3.close();
  }
}

async function write(
  pieces: AsyncIterable<Uint8Array>,
  handle: FileHandle,
  total: number,
  control: Control,
): Promise<number> {
  const started = performance.now();
  let [bytes, reported] = [0, started];
  for await (const piece of pieces) {
    throwIfStopped(control, WHAT);
    await handle.writeFile(piece);
    bytes += piece.length;
    const now = performance.now();
    if (now - reported < REPORT_MS && bytes < total) continue;
    reported = now;
    control.onProgress?.({ phase: 'fetch', done: bytes, total, unit: 'bytes', elapsedMs: now - started });
  }
  return bytes;
}

/** Reads every block of it. */
async function lookOver(aside: string, from: string, control: Control): Promise<Pick<RestoreReport, 'tx' | 'role'>> {
  const engine = await openLmdbEngine(aside, { readOnly: true }).catch((error: unknown) => {
    throw toldAs(error, aside, from);
  });
  try {
    const { ok, problems } = await engine.verify(control);
    const [first] = problems;
    if (!ok) {
      throw new SvcError('store_corrupt', `${from} is damaged: ${first?.where}: ${first?.what}`, {
        hint: 'restore an older backup, or copy this one and mend it: svc repair; nothing was restored',
      });
    }
    const state = engine.replication?.state();
    return { tx: state?.tx ?? 0, role: state?.role ?? 'primary' };
  } finally {
    await engine.close();
  }
}

/** In the name that the user knows, and not of the copy that has none yet. */
function toldAs(error: unknown, aside: string, name: string): unknown {
  if (!(error instanceof SvcError)) return error;
  return new SvcError(error.code, error.message.replaceAll(aside, name), { ...(error.hint && { hint: error.hint }) });
}
