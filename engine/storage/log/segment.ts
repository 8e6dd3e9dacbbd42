/**
 * A sealed segment of the log: records of consecutive small commits that were folded, packed together
 * under the id of the first. Rows stand in the sequence of their transactions, columns packed over all of them;
 * new terms are left out, since the dictionary holds them by now.
 *
 * | bytes | meaning                                                                        |
 * |-------|--------------------------------------------------------------------------------|
 * | 8     | header of a record (`record.ts`), kind 3                                        |
 * | 4     | length of the metadata                                                          |
 * | 4     | rows opened                                                                     |
 * | 4     | rows closed                                                                     |
 * | 12    | zero                                                                            |
 * |       | metadata of the transactions, ascending: JSON array in UTF-8, zeros to a multiple of 8 |
 * |       | row blocks as in `changes.ts`: opened (by txFrom), then closed (by txTo)        |
 */

import { SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { Memtable } from '../delta/memtable.js';
import type { TxId } from '../ids/layout.js';
import type { RowColumns } from '../runs/writer.js';
import { decodeRows, encodeRows } from './changes.js';
import { checkRecord, LOG_KIND, type LogRecord, sealRecord } from './record.js';

const HEADER_BYTES = 32;

export interface LogSegment {
  readonly records: readonly LogRecord[];
  /** Null when there are none; the caller releases them. */
  readonly opened: RowColumns | null;
  readonly closed: RowColumns | null;
}

/** The sets hold the rows in the sequence of their transactions. */
export function encodeSegment(
  memory: ThreadMemory,
  records: readonly LogRecord[],
  opened: Memtable,
  closed: Memtable,
): Buffer {
  const meta = Buffer.from(JSON.stringify(records));
  const head = Buffer.alloc(HEADER_BYTES + 8 * Math.ceil(meta.length / 8));
  head.writeUInt32LE(meta.length, 8);
  head.writeUInt32LE(opened.count, 12);
  head.writeUInt32LE(closed.count, 16);
  meta.copy(head, HEADER_BYTES);
  const parts: Uint8Array[] = [head];
  for (const set of [opened, closed]) {
    const bytes = 4 * Math.max(1, set.count);
    const list = memory.allocate(bytes);
    const numbers = memory.wordsAt(list, set.count);
    for (let i = 0; i < set.count; i++) numbers[i] = i;
    encodeRows(memory, { set, list, count: set.count }, parts);
    memory.free(list, bytes);
  }
  return sealRecord(Buffer.concat(parts), LOG_KIND.segment);
}

export function isSegment(bytes: Buffer): boolean {
  return bytes[5] === LOG_KIND.segment;
}

/** The metadata alone. */
export function decodeSegmentRecords(bytes: Buffer, first: TxId): LogRecord[] {
  checkRecord(bytes, first);
  if (bytes.length < HEADER_BYTES) throw damaged(first);
  const length = bytes.readUInt32LE(8);
  const records = JSON.parse(bytes.toString('utf8', HEADER_BYTES, HEADER_BYTES + length)) as LogRecord[];
  if (records[0]?.id !== first) throw damaged(first);
  return records;
}

export function decodeSegment(memory: ThreadMemory, bytes: Buffer, first: TxId): LogSegment {
  const records = decodeSegmentRecords(bytes, first);
  const reader = { bytes, at: HEADER_BYTES + 8 * Math.ceil(bytes.readUInt32LE(8) / 8), tx: first };
  const opened = decodeRows(memory, reader, bytes.readUInt32LE(12));
  const closed = decodeRows(memory, reader, bytes.readUInt32LE(16));
  return { records, opened, closed };
}

function damaged(tx: TxId): SvcError {
  return new SvcError('store_corrupt', `the segment of the log from transaction ${tx} is damaged`);
}
