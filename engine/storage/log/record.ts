/**
 * The transaction log: one record per transaction in the database `log`, keyed by its id.
 *
 * | bytes | meaning                                           |
 * |-------|---------------------------------------------------|
 * | 4     | checksum of the rest (32-bit FNV-1a)              |
 * | 1     | record version, 1                                 |
 * | 1     | kind: 1 = bulk load                               |
 * | 2     | zero                                              |
 * | rest  | metadata, JSON in UTF-8                           |
 *
 * A bulk load's record refers to its rows in the SPOG runs, those whose txFrom is its id, instead
 * of repeating them, and holds their number and the sum of their row checksums, which `verify` compares.
 */

import { SvcError } from '../../base/errors.js';
import type { TransactionRecord } from '../engine.js';

const VERSION = 1;
const KIND_BULK_LOAD = 1;
const HEADER_BYTES = 8;

export interface LogRecord extends TransactionRecord {
  /** Start of validity of its rows, seconds since 1970. */
  readonly validFrom: number;
  /** Sum over its rows of a mix of s, p, o, g, modulo 2^64, in hex. */
  readonly sum: string;
  readonly sources: readonly string[];
}

function fnv1a(bytes: Uint8Array): number {
  let h = 0x811c9dc5;
  for (const byte of bytes) h = Math.imul(h ^ byte, 0x01000193);
  return h >>> 0;
}

export function encodeLogRecord(record: LogRecord): Buffer {
  const body = Buffer.from(JSON.stringify(record));
  const out = Buffer.alloc(HEADER_BYTES + body.length);
  out[4] = VERSION;
  out[5] = KIND_BULK_LOAD;
  body.copy(out, HEADER_BYTES);
  out.writeUInt32LE(fnv1a(out.subarray(4)), 0);
  return out;
}

export function decodeLogRecord(bytes: Buffer | undefined, tx: number): LogRecord {
  if (bytes === undefined) throw new SvcError('store_corrupt', `the log has no record of transaction ${tx}`);
  if (bytes.length < HEADER_BYTES || bytes[4] !== VERSION || fnv1a(bytes.subarray(4)) !== bytes.readUInt32LE(0)) {
    throw new SvcError('store_corrupt', `the log record of transaction ${tx} is damaged`);
  }
  const record = JSON.parse(bytes.toString('utf8', HEADER_BYTES)) as LogRecord;
  if (record.id !== tx)
    throw new SvcError('store_corrupt', `the log has the record of transaction ${record.id} for ${tx}`);
  return record;
}
