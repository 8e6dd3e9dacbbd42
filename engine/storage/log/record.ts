/**
 * The transaction log: one record per transaction in the database `log`, keyed by its id.
 *
 * | bytes | meaning                                                             |
 * |-------|---------------------------------------------------------------------|
 * | 4     | checksum of the rest (32-bit FNV-1a)                                |
 * | 1     | record version, 1                                                   |
 * | 1     | kind: 1 = its rows stand in runs, 2 = it holds its changes itself, 3 = a segment of many (`segment.ts`) |
 * | 2     | zero                                                                |
 * | rest  | kind 1: metadata, JSON in UTF-8; kind 2: see `changes.ts`           |
 *
 * A record of kind 1 (bulk loads, and transactions too large for the delta) refers to its rows, those
 * whose txFrom or txTo is its id, instead of repeating them. Either kind holds the sums of the row checksums of
 * what it opened and of what it closed, which `verify` compares with the rows.
 */

import { SvcError } from '../../base/errors.js';
import type { TransactionRecord } from '../seam/engine.js';

const VERSION = 1;
export const LOG_KIND = { runs: 1, changes: 2, segment: 3 } as const;
export type LogKind = (typeof LOG_KIND)[keyof typeof LOG_KIND];
const HEADER_BYTES = 8;
/** Behind the header of kind 2: lengths of its parts. */
const META_LENGTH_AT = 8;
const CHANGES_HEADER_BYTES = 32;

export interface LogRecord extends TransactionRecord {
  /** Sum over the rows that it opened of a mix of s, p, o, g, modulo 2^64, in hex. */
  readonly sum: string;
  /** The same over the rows that it closed; absent = none. */
  readonly closedSum?: string;
  /** It has moved graphs into packs, or back. */
  readonly moved?: true;
  /** Names of the documents of a load. */
  readonly sources?: readonly string[];
}

function fnv1a(bytes: Uint8Array): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) h = Math.imul(h ^ (bytes[i] as number), 0x01000193);
  return h >>> 0;
}

/** Completes a record: version, kind and checksum go into its first eight bytes. */
export function sealRecord(bytes: Buffer, kind: LogKind): Buffer {
  bytes[4] = VERSION;
  bytes[5] = kind;
  bytes.writeUInt32LE(fnv1a(bytes.subarray(4)), 0);
  return bytes;
}

/** Throws unless checksum and version are right. */
export function checkRecord(bytes: Buffer, tx: number): void {
  if (bytes.length < HEADER_BYTES || bytes[4] !== VERSION || fnv1a(bytes.subarray(4)) !== bytes.readUInt32LE(0)) {
    throw new SvcError('store_corrupt', `the log record of transaction ${tx} is damaged`);
  }
}

/** A record from its metadata and, for kind 2, its packed changes. */
export function encodeLogRecord(record: LogRecord, changes: Uint8Array | null = null): Buffer {
  const meta = Buffer.from(JSON.stringify(record));
  const head = changes === null ? HEADER_BYTES : CHANGES_HEADER_BYTES;
  const padded = changes === null ? meta.length : 8 * Math.ceil(meta.length / 8);
  const out = Buffer.alloc(head + padded + (changes?.length ?? 0));
  meta.copy(out, head);
  if (changes !== null) {
    out.writeUInt32LE(meta.length, META_LENGTH_AT);
    out.set(changes, head + padded);
  }
  return sealRecord(out, changes === null ? LOG_KIND.runs : LOG_KIND.changes);
}

/** What a log record holds; `changes` of kind 2 only. */
export interface DecodedRecord {
  readonly kind: LogKind;
  readonly record: LogRecord;
  readonly changes: Buffer | null;
}

export function decodeLogRecord(bytes: Buffer | undefined, tx: number): DecodedRecord {
  if (bytes === undefined) throw new SvcError('store_corrupt', `the log has no record of transaction ${tx}`);
  checkRecord(bytes, tx);
  const kind = bytes[5] as LogKind;
  let metaEnd = bytes.length;
  let changes: Buffer | null = null;
  const head = kind === LOG_KIND.changes ? CHANGES_HEADER_BYTES : HEADER_BYTES;
  if (kind === LOG_KIND.changes) {
    const length = bytes.readUInt32LE(META_LENGTH_AT);
    metaEnd = head + length;
    changes = bytes.subarray(head + 8 * Math.ceil(length / 8));
  }
  const record = JSON.parse(bytes.toString('utf8', head, metaEnd)) as LogRecord;
  if (record.id !== tx)
    throw new SvcError('store_corrupt', `the log has the record of transaction ${record.id} for ${tx}`);
  return { kind, record: { ...record, quadsRetracted: record.quadsRetracted ?? 0 }, changes };
}
