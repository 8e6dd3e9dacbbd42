/**
 * The changes of a transaction as its log record holds them: new terms, rows that it opened, rows
 * that it closed.
 *
 * | bytes        | meaning                                                          |
 * |--------------|------------------------------------------------------------------|
 * | 8            | number of the first new term                                     |
 * | 4            | new terms                                                        |
 * | 4            | bytes of the terms, a multiple of 8                              |
 * | 4            | rows opened                                                      |
 * | 4            | rows closed                                                      |
 * | 8            | zero                                                             |
 * |              | terms: u32 length and stored bytes each, zeros to a multiple of 8 |
 * |              | row blocks (`kernels/as/block.ts`) of up to 4,096 rows: first those opened, then those closed; u32 length and u32 zero in front of each, zeros behind to a multiple of 8 |
 */

import { SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { Changes } from '../delta/delta.js';
import type { Memtable } from '../delta/memtable.js';
import type { TxId } from '../ids/layout.js';
import { BLOCK_BYTES_MAX, BLOCK_SCRATCH_BYTES, RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, COLUMNS } from '../seam/scan.js';

const HEADER_BYTES = 32;
const BLOCK_HEAD_BYTES = 8;
const ALL_MASK = 0xff;

/** Selects rows of a set by their numbers, in a u32 list in kernel memory. */
export interface RowList {
  readonly set: Memtable;
  readonly list: number;
  readonly count: number;
}

export function encodeChanges(
  memory: ThreadMemory,
  firstTerm: number,
  terms: readonly Buffer[],
  opened: RowList,
  closed: RowList,
): Buffer {
  const parts: Uint8Array[] = [];
  const termBytes = padded(terms.reduce((sum, stored) => sum + 4 + stored.length, 0));
  const head = Buffer.alloc(HEADER_BYTES + termBytes);
  head.writeDoubleLE(firstTerm, 0);
  head.writeUInt32LE(terms.length, 8);
  head.writeUInt32LE(termBytes, 12);
  head.writeUInt32LE(opened.count, 16);
  head.writeUInt32LE(closed.count, 20);
  let at = HEADER_BYTES;
  for (const stored of terms) {
    head.writeUInt32LE(stored.length, at);
    stored.copy(head, at + 4);
    at += 4 + stored.length;
  }
  parts.push(head);
  encodeRows(memory, opened, parts);
  encodeRows(memory, closed, parts);
  return Buffer.concat(parts);
}

/** Appends the row blocks of a list. */
export function encodeRows(memory: ThreadMemory, rows: RowList, parts: Uint8Array[]): void {
  if (rows.count === 0) return;
  const { kernels } = memory;
  const columns = new RowColumns(memory, Math.min(BATCH_ROWS, rows.count));
  const block = memory.allocate(BLOCK_BYTES_MAX);
  const scratch = memory.allocate(BLOCK_SCRATCH_BYTES);
  const extremes = memory.allocate(16 * COLUMNS.length);
  for (let from = 0; from < rows.count; from += BATCH_ROWS) {
    const to = Math.min(rows.count, from + BATCH_ROWS);
    kernels.gatherRows(rows.set.columns.list, rows.list, from, to, ALL_MASK, columns.list);
    const length = kernels.encodeBlock(columns.list, to - from, block, scratch, extremes);
    const part = Buffer.alloc(BLOCK_HEAD_BYTES + padded(length));
    part.writeUInt32LE(length, 0);
    part.set(memory.bytesAt(block, length), BLOCK_HEAD_BYTES);
    parts.push(part);
  }
  columns.release();
  memory.free(block, BLOCK_BYTES_MAX);
  memory.free(scratch, BLOCK_SCRATCH_BYTES);
  memory.free(extremes, 16 * COLUMNS.length);
}

/** Decodes the changes of transaction `tx` and hands them to `take`; rows are freed afterwards. */
export function decodeChanges(
  memory: ThreadMemory,
  bytes: Buffer,
  tx: TxId,
  source: string | null,
  take: (changes: Changes) => void,
): void {
  if (bytes.length < HEADER_BYTES) throw damaged(tx);
  const termCount = bytes.readUInt32LE(8);
  const rowsAt = HEADER_BYTES + bytes.readUInt32LE(12);
  const [rowCount, closeCount] = [bytes.readUInt32LE(16), bytes.readUInt32LE(20)];
  const terms: Buffer[] = [];
  let at = HEADER_BYTES;
  for (let i = 0; i < termCount; i++) {
    if (at + 4 > rowsAt) throw damaged(tx);
    const length = bytes.readUInt32LE(at);
    terms.push(Buffer.from(bytes.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  const reader = { bytes, at: rowsAt, tx };
  const rows = decodeRows(memory, reader, rowCount);
  const tombstones = decodeRows(memory, reader, closeCount);
  take({ tx, source, firstTerm: bytes.readDoubleLE(0), terms, rows, rowCount, tombstones, closeCount });
  rows?.release();
  tombstones?.release();
}

export interface RowReader {
  readonly bytes: Buffer;
  /** Where the next block begins. */
  at: number;
  readonly tx: TxId;
}

/** Reads the row blocks of `count` rows; null for none. */
export function decodeRows(memory: ThreadMemory, reader: RowReader, count: number): RowColumns | null {
  if (count === 0) return null;
  const columns = new RowColumns(memory, count);
  for (let from = 0; from < count; from += BATCH_ROWS) {
    const rows = Math.min(BATCH_ROWS, count - from);
    if (reader.at + BLOCK_HEAD_BYTES > reader.bytes.length) throw damaged(reader.tx);
    const length = reader.bytes.readUInt32LE(reader.at);
    const start = reader.at + BLOCK_HEAD_BYTES;
    if (start + length > reader.bytes.length) throw damaged(reader.tx);
    const block = memory.allocate(length);
    memory.bytesAt(block, length).set(reader.bytes.subarray(start, start + length));
    const sound = memory.kernels.checkBlock(block, length) === 0;
    if (!sound || ((memory.words[(block + 4) >>> 2] as number) & 0xffff) !== rows) throw damaged(reader.tx);
    for (let c = 0; c < COLUMNS.length; c++) {
      memory.kernels.decodeColumn(block, c, 0, rows, (columns.addresses[c] as number) + 8 * from);
    }
    memory.free(block, length);
    reader.at = start + padded(length);
  }
  return columns;
}

function padded(bytes: number): number {
  return 8 * Math.ceil(bytes / 8);
}

function damaged(tx: TxId): SvcError {
  return new SvcError('store_corrupt', `the log record of transaction ${tx} is damaged`);
}
