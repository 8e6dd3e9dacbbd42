/**
 * Backups to a file, or to object storage. One that goes there is made and checked as a file first, in the folder for
 * temporary files, and sent then: what is not sound is never sent. Parts that an upload of the same name left when it was
 * killed are removed when this one is there.
 */

import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Control, throwIfStopped } from '../../base/control.js';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { existsAlready, isS3, S3, s3Place } from '../../lake/target/s3-client.js';
import type { BackupReport, StorageEngine } from '../../storage/seam/engine.js';

const WHAT = 'the backup';
const REPORT_MS = 100;

export interface BackupChoice {
  readonly overwrite?: boolean | undefined;
}

export async function backUp(
  engine: StorageEngine,
  target: string,
  choice: BackupChoice,
  control: Control,
): Promise<BackupReport> {
  return isS3(target) ? backUpToS3(engine, target, choice, control) : engine.backup(target, choice, control);
}

async function backUpToS3(
  engine: StorageEngine,
  target: string,
  { overwrite = false }: BackupChoice,
  control: Control,
): Promise<BackupReport> {
  const { bucket, key } = s3Place(target);
  if (key === '') {
    throw new SvcError('invalid_request', `s3://${bucket} is a bucket; a backup is an object`, {
      hint: `name it, for instance s3://${bucket}/monday.db`,
    });
  }
  const started = performance.now();
  const s3 = await S3.open(bucket);
  // Asked before any work; the upload is refused as well when one comes there meanwhile.
  if (!overwrite && (await s3.has(key))) throw existsAlready(key, bucket);
  const folder = await mkdtemp(join(tmpdir(), 'svc-backup-'));
  try {
    const path = join(folder, 'store.db');
    const { bytes, tx } = await engine.backup(path, {}, control);
    // Of the same name, by processes that were killed, or that are overtaken.
    const older = (await s3.unfinished(key)).filter((one) => one.key === key);
    const upload = s3.upload(key, { isNew: !overwrite });
    try {
      let [sent, reported] = [0, performance.now()];
      for await (const piece of createReadStream(path)) {
        throwIfStopped(control, WHAT);
        await upload.write(piece);
        sent += piece.length;
        const now = performance.now();
        if (now - reported < REPORT_MS) continue;
        reported = now;
        control.onProgress?.({ phase: 'send', done: sent, total: bytes, unit: 'bytes', elapsedMs: now - started });
      }
      await upload.finish();
      await s3.removeUnfinished(older);
    } catch (error) {
      await upload.abandon();
      throw fromSystemError(error, `sending the backup to s3://${bucket}/${key}`);
    }
    return { path: `s3://${bucket}/${key}`, bytes, tx, elapsedMs: performance.now() - started };
  } finally {
    await rm(folder, { recursive: true, force: true });
    s3.close();
  }
}
