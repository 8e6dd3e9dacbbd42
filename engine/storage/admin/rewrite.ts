/**
 * Writes every value of a store file into a new one, key by key: pages come out full and in order, and
 * free ones stay behind. Values are copied as they are, sound or not.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { everyKey } from '../lmdb/every-key.js';
import type { DatabaseName, LmdbFile } from '../lmdb/file.js';

/** Bytes of a write transaction. */
const BATCH_BYTES = 16 * 1024 * 1024;

export interface Rewritten {
  readonly values: number;
  readonly bytes: number;
}

export async function rewriteFile(from: LmdbFile, to: LmdbFile, what: string, control: Control): Promise<Rewritten> {
  const started = performance.now();
  const total = from.fileBytes();
  let [values, bytes] = [0, 0];
  let batch: { readonly database: DatabaseName; readonly key: number | string; readonly value: Buffer }[] = [];
  let pending = 0;
  const write = async (): Promise<void> => {
    to.write(() => {
      for (const { database, key, value } of batch) to.put(database, key, value);
    });
    batch = [];
    pending = 0;
    control.onProgress?.({
      phase: 'copy',
      done: Math.min(bytes, total),
      total,
      unit: 'bytes',
      elapsedMs: performance.now() - started,
    });
    await breathe();
    throwIfStopped(control, what);
  };
  for (const database of from.names) {
    for (const key of everyKey<string | number>(from, database)) {
      const value = from.readCopy(database, key) as Buffer;
      batch.push({ database, key, value });
      values++;
      bytes += value.length;
      pending += value.length;
      if (pending >= BATCH_BYTES) await write();
    }
  }
  await write();
  return { values, bytes };
}
