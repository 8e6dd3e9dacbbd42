/**
 * A look at a store file from outside: it is not opened by LMDB, so no lock file appears, nothing is written, and
 * whoever has it open is not disturbed. The structure of all pages is checked, the values of blocks are not.
 */

import { statSync } from 'node:fs';
import { BASE_NAMESPACE_KEY, baseNamespaceOf } from '../lmdb/base-namespace.js';
import { checkHeader } from '../lmdb/file.js';
import { readPlainly } from '../lmdb/plain-values.js';
import { storePath } from '../lmdb/store-path.js';
import { type Writer, writerOf } from '../lmdb/writer-lock.js';
import { decodeHead, headOf } from '../log/head.js';
import { decodeLogRecord } from '../log/record.js';
import { decodeSegmentRecords, isSegment } from '../log/segment.js';
import { decodeManifest } from '../runs/manifest.js';

export interface StoreInspection {
  readonly fileBytes: number;
  readonly format: number;
  /** 0 in an empty store. */
  readonly lastTx: number;
  /** Seconds since 1970; null in an empty store. */
  readonly lastTimestamp: number | null;
  /** Transactions since the last fold. */
  readonly unfolded: number;
  readonly runs: number;
  /** The newest transactions that the log tells of without being searched, the oldest first. */
  readonly recent: readonly RecentTransaction[];
  /** Rows of all runs, each counted once for every order that it stands in. */
  readonly storedRows: number;
  /** The namespace in which it mints IRIs; null as long as it has none. */
  readonly baseNamespace: string | null;
}

export type StoreWriter = Writer;

/** What a transaction added to the store, and when. */
export interface RecentTransaction {
  readonly timestamp: number;
  readonly statements: number;
}

/** Who writes to it, by its lock; null when nobody does. */
export function inspectWriter(path: string): StoreWriter | null {
  return writerOf(storePath(path));
}

/** Null when there is no file, or an empty one. Throws what opening the store would throw. */
export function inspectStore(path: string): StoreInspection | null {
  if (!checkHeader(path)) return null;
  return readPlainly(path, (open) => {
    const meta = open('meta');
    const manifest = decodeManifest(meta.get('manifest'), path);
    const stored = meta.get('head');
    const head = stored === undefined ? headOf(manifest) : decodeHead(stored, path);
    const last = open('log').last();
    return {
      fileBytes: statSync(path).size,
      format: manifest.format,
      lastTx: head.lastTx,
      lastTimestamp: last === undefined ? null : timestampOf(last.key.readUInt32LE(0), last.value),
      unfolded: head.lastTx - manifest.foldedTx,
      runs: manifest.partitions.reduce((sum, { runs }) => sum + Object.values(runs).flat().length, 0),
      storedRows: manifest.partitions
        .flatMap(({ runs }) => Object.values(runs).flat())
        .reduce((sum, { rows }) => sum + rows, 0),
      recent: open('log')
        .lastPage()
        .flatMap(({ key, value }) => recordsOf(key.readUInt32LE(0), value)),
      baseNamespace: baseNamespaceOf(meta.get(BASE_NAMESPACE_KEY), path),
    };
  });
}

function recordsOf(tx: number, bytes: Buffer): RecentTransaction[] {
  const records = isSegment(bytes) ? decodeSegmentRecords(bytes, tx) : [decodeLogRecord(bytes, tx).record];
  return records.map(({ timestamp, quadsAdded, quadsRetracted = 0 }) => ({
    timestamp,
    statements: quadsAdded + quadsRetracted,
  }));
}

function timestampOf(tx: number, bytes: Buffer): number | null {
  if (isSegment(bytes)) return decodeSegmentRecords(bytes, tx).at(-1)?.timestamp ?? null;
  return decodeLogRecord(bytes, tx).record.timestamp;
}
