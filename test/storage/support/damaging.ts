/**
 * Damage with right checksums: values of a closed store file are decoded, changed and sealed again, as
 * only a fault of the program would leave them.
 */

import { copyFileSync } from 'node:fs';
import { ThreadMemory } from '../../../engine/kernels/memory.js';
import type { Changes } from '../../../engine/storage/delta/delta.js';
import { Memtable } from '../../../engine/storage/delta/memtable.js';
import { LmdbFile } from '../../../engine/storage/lmdb/file.js';
import { decodeChanges, encodeChanges, type RowList } from '../../../engine/storage/log/changes.js';
import { encodeHead, type Head, readHead } from '../../../engine/storage/log/head.js';
import { decodeLogRecord, encodeLogRecord, type LogRecord } from '../../../engine/storage/log/record.js';
import { decodeManifest, encodeManifest, type Manifest } from '../../../engine/storage/runs/manifest.js';
import type { RowColumns } from '../../../engine/storage/runs/writer.js';
import { COLUMNS } from '../../../engine/storage/seam/scan.js';

/** What a log record of kind 2 holds, in values that can be changed. */
export interface EditedRecord {
  record: LogRecord;
  firstTerm: number;
  terms: Buffer[];
  /** Eight values each. */
  opened: bigint[][];
  closed: bigint[][];
}

/** A copy of a store file that a function has changed. */
export async function damagedCopy(path: string, copy: string, damage: (file: Damaged) => void): Promise<string> {
  copyFileSync(path, copy);
  const file = LmdbFile.open(copy, { readOnly: false });
  try {
    damage(new Damaged(file));
  } finally {
    await file.close();
  }
  return copy;
}

export class Damaged {
  readonly file: LmdbFile;

  constructor(file: LmdbFile) {
    this.file = file;
  }

  get manifest(): Manifest {
    return decodeManifest(this.file.readCopy('meta', 'manifest'), this.file.path);
  }

  get head(): Head {
    return readHead(this.file, this.manifest, undefined);
  }

  put(database: Parameters<LmdbFile['put']>[0], key: number | string, value: Uint8Array): void {
    this.file.write(() => this.file.put(database, key, value));
  }

  setManifest(change: Partial<Manifest>): void {
    this.put('meta', 'manifest', encodeManifest({ ...this.manifest, ...change }));
  }

  setHead(change: Partial<Head>): void {
    this.put('meta', 'head', encodeHead({ ...this.head, ...change }));
  }

  /** Changes a log record; the head is told of its new length. */
  setRecord(tx: number, change: (edited: EditedRecord) => void): void {
    const before = this.file.readCopy('log', tx) as Buffer;
    const { record, changes } = decodeLogRecord(before, tx);
    const edited: EditedRecord = { record, firstTerm: 0, terms: [], opened: [], closed: [] };
    const memory = new ThreadMemory();
    if (changes !== null) {
      decodeChanges(memory, changes, tx, record.source, (decoded) => take(memory, decoded, edited));
    }
    change(edited);
    const { firstTerm, terms, opened, closed } = edited;
    const bytes =
      changes === null
        ? encodeLogRecord(edited.record)
        : encodeLogRecord(
            edited.record,
            encodeChanges(memory, firstTerm, terms, listOf(memory, opened), listOf(memory, closed)),
          );
    this.put('log', tx, bytes);
    this.setHead({ logBytes: this.head.logBytes + bytes.length - before.length });
  }
}

function take(memory: ThreadMemory, decoded: Changes, edited: EditedRecord): void {
  edited.firstTerm = decoded.firstTerm;
  edited.terms = [...decoded.terms];
  edited.opened = valuesOf(memory, decoded.rows, decoded.rowCount);
  edited.closed = valuesOf(memory, decoded.tombstones, decoded.closeCount);
}

function valuesOf(memory: ThreadMemory, rows: RowColumns | null, count: number): bigint[][] {
  if (rows === null) return [];
  return Array.from({ length: count }, (_, i) =>
    COLUMNS.map((_, c) => memory.bigsAt(rows.addresses[c] as number, count)[i] as bigint),
  );
}

function listOf(memory: ThreadMemory, rows: readonly (readonly bigint[])[]): RowList {
  const set = new Memtable(memory, Math.max(1, rows.length));
  COLUMNS.forEach((_, c) => {
    memory.bigsAt(set.columns.addresses[c] as number, rows.length).set(rows.map((row) => row[c] as bigint));
  });
  set.grow(rows.length);
  const list = memory.allocate(4 * Math.max(1, rows.length));
  memory.wordsAt(list, rows.length).set(rows.map((_, i) => i));
  return { set, list, count: rows.length };
}
