/**
 * Reads the log, whatever form a transaction's record has: its own, or a place in a sealed segment. The
 * segment read last is kept, since transactions are mostly read one after the other.
 */

import { SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { Changes } from '../delta/delta.js';
import { copyRows } from '../delta/memtable.js';
import type { TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { RowColumns } from '../runs/writer.js';
import { decodeChanges } from './changes.js';
import { isCorrupt, soundCopy } from './copies.js';
import { decodeLogRecord, type LogRecord } from './record.js';
import { decodeSegment, decodeSegmentRecords, isSegment, type LogSegment } from './segment.js';

export interface LogEntry {
  readonly record: LogRecord;
  /**
   * Hands the changes to `take`; false for a transaction whose rows stand in runs. A sealed record has
   * no terms: they are in the dictionary.
   */
  readonly changes: (memory: ThreadMemory, take: (changes: Changes) => void) => boolean;
  /** Its changes as they are stored; null where they are not stored by themselves. */
  readonly own: Buffer | null;
  /** Bytes of the stored value that begins with this transaction; 0 for the others of a segment. */
  readonly storedBytes: number;
}

interface HeldSegment {
  readonly first: TxId;
  readonly bytes: Buffer;
  readonly records: readonly LogRecord[];
  /** Its rows, once they were asked for. */
  rows: { readonly segment: LogSegment; readonly starts: readonly Starts[] } | null;
}

/** Where the rows of a transaction begin. */
interface Starts {
  readonly opened: number;
  readonly closed: number;
}

export class LogReader {
  readonly #file: LmdbFile;
  #held: HeldSegment | null = null;

  constructor(file: LmdbFile) {
    this.#file = file;
  }

  /** The entry of a transaction, from the copy of its record where it must be; throws `store_corrupt` when there is none. */
  entry(tx: TxId, transaction: ReadTransaction | undefined): LogEntry {
    try {
      return this.#entry(tx, transaction);
    } catch (error) {
      const copy = isCorrupt(error) ? soundCopy(this.#file, tx, transaction) : undefined;
      if (copy === undefined) throw error;
      return ownEntry(copy, tx);
    }
  }

  #entry(tx: TxId, transaction: ReadTransaction | undefined): LogEntry {
    const held = this.#held;
    if (held !== null && tx >= held.first && tx < held.first + held.records.length) {
      // A newer view may see other segments, but a sealed record never changes.
      return this.#sealedEntry(held, tx);
    }
    const own = this.#file.readCopy('log', tx, transaction);
    if (own !== undefined && !isSegment(own)) return ownEntry(own, tx);
    const first = own === undefined ? this.#file.floorKey('log', tx, transaction) : tx;
    const bytes = own ?? (first === undefined ? undefined : this.#file.readCopy('log', first, transaction));
    if (first === undefined || bytes === undefined || !isSegment(bytes)) throw missing(tx);
    const segment: HeldSegment = { first, bytes, records: decodeSegmentRecords(bytes, first), rows: null };
    this.release();
    this.#held = segment;
    if (tx >= first + segment.records.length) throw missing(tx);
    return this.#sealedEntry(segment, tx);
  }

  /** Frees what is kept. */
  release(): void {
    const rows = this.#held?.rows;
    rows?.segment.opened?.release();
    rows?.segment.closed?.release();
    this.#held = null;
  }

  #sealedEntry(segment: HeldSegment, tx: TxId): LogEntry {
    const record = segment.records[tx - segment.first] as LogRecord;
    if (record.id !== tx) throw missing(tx);
    return {
      record: { ...record, quadsRetracted: record.quadsRetracted ?? 0 },
      own: null,
      storedBytes: tx === segment.first ? segment.bytes.length : 0,
      changes: (memory, take) => {
        takeSealed(memory, segment, record, take);
        return true;
      },
    };
  }
}

function ownEntry(bytes: Buffer, tx: TxId): LogEntry {
  const { record, changes } = decodeLogRecord(bytes, tx);
  return {
    record,
    own: changes,
    storedBytes: bytes.length,
    changes: (memory, take) => {
      if (changes === null) return false;
      decodeChanges(memory, changes, tx, record.source, take);
      return true;
    },
  };
}

function takeSealed(
  memory: ThreadMemory,
  segment: HeldSegment,
  record: LogRecord,
  take: (changes: Changes) => void,
): void {
  segment.rows ??= openRows(memory, segment);
  const { opened, closed } = segment.rows.segment;
  const starts = segment.rows.starts[record.id - segment.first] as Starts;
  const rows = part(memory, opened, starts.opened, record.quadsAdded);
  const tombstones = part(memory, closed, starts.closed, record.quadsRetracted);
  take({
    tx: record.id,
    source: record.source,
    firstTerm: 0,
    terms: [],
    rows,
    rowCount: record.quadsAdded,
    tombstones,
    closeCount: record.quadsRetracted,
  });
  rows?.release();
  tombstones?.release();
}

function openRows(memory: ThreadMemory, { bytes, first, records }: HeldSegment): NonNullable<HeldSegment['rows']> {
  const starts: Starts[] = [];
  let [opened, closed] = [0, 0];
  for (const record of records) {
    starts.push({ opened, closed });
    opened += record.quadsAdded;
    closed += record.quadsRetracted;
  }
  return { segment: decodeSegment(memory, bytes, first), starts };
}

function part(memory: ThreadMemory, all: RowColumns | null, from: number, count: number): RowColumns | null {
  if (count === 0) return null;
  if (all === null || from + count > all.rows) throw new SvcError('store_corrupt', 'a segment of the log is too short');
  const columns = new RowColumns(memory, count);
  copyRows(memory, all, from, columns, 0, count);
  return columns;
}

function missing(tx: TxId): SvcError {
  return new SvcError('store_corrupt', `the log has no record of transaction ${tx}`);
}
