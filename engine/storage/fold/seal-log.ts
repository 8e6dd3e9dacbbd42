/**
 * Seals the log of what is folded: records of consecutive small commits become segments, without their
 * terms, which the same fold puts into the dictionary.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { Memtable } from '../delta/memtable.js';
import type { TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { LogReader } from '../log/log-reader.js';
import type { LogRecord } from '../log/record.js';
import { encodeSegment } from '../log/segment.js';

/** A segment is closed when it has so many rows, or transactions. */
const SEGMENT_ROWS = 4096;
const SEGMENT_RECORDS = 512;
/** Records that a step reads. */
const STEP_RECORDS = 256;

export interface SealedLog {
  /** First transaction -> segment. */
  readonly segments: ReadonlyMap<TxId, Buffer>;
  /** Records that the segments replace, and their bytes less those of the segments. */
  readonly removed: readonly TxId[];
  readonly bytesSaved: number;
}

/** Transactions `(from, to]`. */
export function* sealLog(
  file: LmdbFile,
  memory: ThreadMemory,
  transaction: ReadTransaction,
  from: TxId,
  to: TxId,
): Generator<void, SealedLog> {
  const reader = new LogReader(file);
  const segments = new Map<TxId, Buffer>();
  const removed: TxId[] = [];
  let bytesSaved = 0;
  let records: LogRecord[] = [];
  let opened = new Memtable(memory);
  let closed = new Memtable(memory);
  const close = (): void => {
    if (records.length > 1) {
      const first = (records[0] as LogRecord).id;
      const bytes = encodeSegment(memory, records, opened, closed);
      segments.set(first, bytes);
      for (const { id } of records) {
        bytesSaved += file.read('log', id, transaction)?.length ?? 0;
        if (id !== first) removed.push(id);
      }
      bytesSaved -= bytes.length;
    }
    opened.release();
    closed.release();
    records = [];
    opened = new Memtable(memory);
    closed = new Memtable(memory);
  };
  try {
    for (let tx = from + 1; tx <= to; tx++) {
      const entry = reader.entry(tx, transaction);
      const small = entry.changes(memory, ({ rows, rowCount, tombstones, closeCount }) => {
        if (rows !== null) opened.append(rows, 0, rowCount);
        if (tombstones !== null) closed.append(tombstones, 0, closeCount);
      });
      if (small) records.push(entry.record);
      const full = opened.count + closed.count >= SEGMENT_ROWS || records.length >= SEGMENT_RECORDS;
      if (!small || full) close();
      if ((tx - from) % STEP_RECORDS === 0) yield;
    }
    close();
  } finally {
    opened.release();
    closed.release();
  }
  return { segments, removed, bytesSaved };
}
