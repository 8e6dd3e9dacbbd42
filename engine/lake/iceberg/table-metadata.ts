/**
 * Iceberg (v2) metadata of a lake's tables, made of `lake.json` alone: one snapshot for each export, whose summary has the
 * transaction. What an export has written never changes again, so that whoever completes a lake writes the same.
 *
 * In `<table>/metadata`, for the export with the number N and the transaction T:
 *
 * | file | what |
 * |---|---|
 * | `manifest-txT.avro` | the data files, and what became of them in the export |
 * | `snap-txT.avro` | the list of manifests, which is this one |
 * | `vN.metadata.json` | the table: schema, sort order, all snapshots |
 * | `version-hint.text` | N; written last |
 */

import { createHash } from 'node:crypto';
import type { LakeContent, LakeExport, LakeTable, RetiredFile, StoredFile } from '../lake-file.js';
import { LAKE_FILE, TABLE_NAMES } from '../lake-file.js';
import { LAKE_TABLES, type LakeColumn, type LakeType } from '../layout.js';
import { type LakeTarget, putFile } from '../target/target.js';
import { avroFile } from './avro-file.js';
import { MANIFEST_ENTRY, MANIFEST_FILE, SCHEMA_ID, tableSchema } from './schemas.js';

const STATUS = { existing: 0, added: 1, deleted: 2 } as const;
const SPEC = [{ 'spec-id': 0, fields: [] }];
const SORT_ORDER_ID = 1;
/** By column name. */
const SORTED_BY: Readonly<Record<LakeTable, readonly string[]>> = {
  facts: ['p', 's', 'o', 'g'],
  history: ['p', 's', 'o', 'g'],
  terms: ['id'],
  transactions: ['tx'],
};
/** Snapshot ids are positive, and whole as doubles. */
const ID_BITS = 52;
const HINT = 'version-hint.text';

/** Writes what the tables lack of the exports that `lake.json` knows. */
export async function completeTables(target: LakeTarget, content: LakeContent): Promise<void> {
  for (const table of TABLE_NAMES) {
    const folder = `${table}/metadata`;
    const hint = await target.read(`${folder}/${HINT}`);
    const version = content.exports.length;
    if (hint !== null && Number(Buffer.from(hint.bytes).toString('utf8')) === version) continue;
    const own = new TableMetadata(content, table);
    const last = content.exports.length - 1;
    const manifest = own.manifest(last);
    if (manifest !== null) await putFile(target, own.manifestPath(last), manifest.bytes);
    await putFile(target, own.listPath(last), own.manifestList(last, manifest));
    await putFile(target, `${folder}/v${version}.metadata.json`, own.metadata(version));
    await target.replace(`${folder}/${HINT}`, Buffer.from(String(version)), hint);
  }
}

interface Manifest {
  readonly bytes: Buffer;
  readonly counts: Readonly<Record<keyof typeof STATUS, { files: number; rows: number }>>;
  readonly leastSequence: number;
}

class TableMetadata {
  readonly #content: LakeContent;
  readonly #table: LakeTable;
  readonly #columns: readonly LakeColumn[];
  readonly #files: readonly (StoredFile | RetiredFile)[];

  constructor(content: LakeContent, table: LakeTable) {
    this.#content = content;
    this.#table = table;
    this.#columns = LAKE_TABLES[table];
    this.#files = [...content.retired[table], ...content.tables[table]];
  }

  manifestPath(at: number): string {
    return `${this.#table}/metadata/manifest-tx${this.#export(at).tx}.avro`;
  }

  listPath(at: number): string {
    return `${this.#table}/metadata/snap-tx${this.#export(at).tx}.avro`;
  }

  /** Null when the table has no file, and lost none. */
  manifest(at: number): Manifest | null {
    const { tx } = this.#export(at);
    const before = at === 0 ? -1 : this.#export(at - 1).tx;
    const counts = {
      existing: { files: 0, rows: 0 },
      added: { files: 0, rows: 0 },
      deleted: { files: 0, rows: 0 },
    };
    const entries: object[] = [];
    let leastSequence = at + 1;
    for (const file of this.#files) {
      const status = statusOf(file, tx, before);
      if (status === null) continue;
      counts[status].files++;
      counts[status].rows += file.rows;
      // A number of the sequence is that of the export which has added the file.
      const addedAt = this.#content.exports.findIndex((one) => one.tx === file.tx);
      if (status !== 'deleted') leastSequence = Math.min(leastSequence, addedAt + 1);
      entries.push({
        status: STATUS[status],
        snapshot_id: this.#snapshotId(status === 'existing' ? addedAt : at),
        sequence_number: addedAt + 1,
        file_sequence_number: addedAt + 1,
        data_file: this.#dataFile(file),
      });
    }
    if (entries.length === 0) return null;
    const bytes = avroFile(MANIFEST_ENTRY, entries, {
      schema: JSON.stringify(tableSchema(this.#columns)),
      'schema-id': String(SCHEMA_ID),
      'partition-spec': '[]',
      'partition-spec-id': '0',
      'format-version': '2',
      content: 'data',
    });
    return { bytes, counts, leastSequence };
  }

  manifestList(at: number, manifest: Manifest | null): Buffer {
    const records = manifest === null ? [] : [this.#manifestRecord(at, manifest)];
    return avroFile(MANIFEST_FILE, records, {
      'snapshot-id': String(this.#snapshotId(at)),
      'parent-snapshot-id': at === 0 ? 'null' : String(this.#snapshotId(at - 1)),
      'sequence-number': String(at + 1),
      'format-version': '2',
    });
  }

  metadata(version: number): Buffer {
    const { exports, location, store } = this.#content;
    const last = exports.length - 1;
    const schema = tableSchema(this.#columns);
    const sorted = SORTED_BY[this.#table].map((name) => ({
      transform: 'identity',
      'source-id': this.#columnId(name),
      direction: 'asc',
      'null-order': 'nulls-first',
    }));
    const metadata = {
      'format-version': 2,
      'table-uuid': this.#uuid(),
      location: `${location}/${this.#table}`,
      'last-sequence-number': exports.length,
      'last-updated-ms': this.#export(last).exportedMs,
      'last-column-id': this.#columns.length,
      'current-schema-id': SCHEMA_ID,
      schemas: [schema],
      'default-spec-id': 0,
      'partition-specs': SPEC,
      'last-partition-id': 999,
      'default-sort-order-id': SORT_ORDER_ID,
      'sort-orders': [{ 'order-id': SORT_ORDER_ID, fields: sorted }],
      properties: { 'svc.store': store },
      'current-snapshot-id': this.#snapshotId(last),
      refs: { main: { 'snapshot-id': this.#snapshotId(last), type: 'branch' } },
      snapshots: exports.map((_, at) => this.#snapshot(at)),
      'snapshot-log': exports.map(({ exportedMs }, at) => ({
        'timestamp-ms': exportedMs,
        'snapshot-id': this.#snapshotId(at),
      })),
      'metadata-log': exports.slice(0, -1).map(({ exportedMs }, at) => ({
        'timestamp-ms': exportedMs,
        'metadata-file': `${location}/${this.#table}/metadata/v${version - exports.length + at + 1}.metadata.json`,
      })),
    };
    return Buffer.from(JSON.stringify(metadata, null, 1));
  }

  #snapshot(at: number): object {
    const { tx, at: instant, exportedMs } = this.#export(at);
    const before = at === 0 ? -1 : this.#export(at - 1).tx;
    const [added, deleted] = [
      { files: 0, rows: 0 },
      { files: 0, rows: 0 },
    ];
    for (const file of this.#files) {
      const status = statusOf(file, tx, before);
      if (status === null || status === 'existing') continue;
      const sum = status === 'added' ? added : deleted;
      sum.files++;
      sum.rows += file.rows;
    }
    return {
      'snapshot-id': this.#snapshotId(at),
      ...(at === 0 ? {} : { 'parent-snapshot-id': this.#snapshotId(at - 1) }),
      'sequence-number': at + 1,
      'timestamp-ms': exportedMs,
      'manifest-list': `${this.#content.location}/${this.listPath(at)}`,
      'schema-id': SCHEMA_ID,
      summary: {
        operation: deleted.files > 0 ? 'overwrite' : 'append',
        'svc.tx': String(tx),
        ...(instant === null ? {} : { 'svc.at': String(instant) }),
        'svc.lake': LAKE_FILE,
        'added-data-files': String(added.files),
        'added-records': String(added.rows),
        'deleted-data-files': String(deleted.files),
        'deleted-records': String(deleted.rows),
      },
    };
  }

  #manifestRecord(at: number, { bytes, counts, leastSequence }: Manifest): object {
    return {
      manifest_path: `${this.#content.location}/${this.manifestPath(at)}`,
      manifest_length: bytes.length,
      partition_spec_id: 0,
      content: 0,
      sequence_number: at + 1,
      min_sequence_number: leastSequence,
      added_snapshot_id: this.#snapshotId(at),
      added_files_count: counts.added.files,
      existing_files_count: counts.existing.files,
      deleted_files_count: counts.deleted.files,
      added_rows_count: counts.added.rows,
      existing_rows_count: counts.existing.rows,
      deleted_rows_count: counts.deleted.rows,
      partitions: [],
    };
  }

  #dataFile(file: StoredFile): object {
    const columns = Object.entries(file.columns).map(([name, stored]) => ({
      id: this.#columnId(name),
      name,
      ...stored,
    }));
    const bounded = columns.flatMap(({ id, name, bounds }) => (bounds === undefined ? [] : [{ id, name, bounds }]));
    const type = (name: string): LakeType => (this.#columns.find((one) => one.name === name) as LakeColumn).type;
    return {
      content: 0,
      file_path: `${this.#content.location}/${file.path}`,
      file_format: 'PARQUET',
      partition: {},
      record_count: file.rows,
      file_size_in_bytes: file.bytes,
      column_sizes: columns.map(({ id, bytes }) => ({ key: id, value: bytes })),
      value_counts: columns.map(({ id }) => ({ key: id, value: file.rows })),
      null_value_counts: columns.map(({ id, nulls }) => ({ key: id, value: nulls })),
      lower_bounds: bounded.map(({ id, name, bounds }) => ({ key: id, value: boundBytes(type(name), bounds.least) })),
      upper_bounds: bounded.map(({ id, name, bounds }) => ({
        key: id,
        value: boundBytes(type(name), bounds.greatest),
      })),
      sort_order_id: SORT_ORDER_ID,
    };
  }

  #columnId(name: string): number {
    return this.#columns.findIndex((one) => one.name === name) + 1;
  }

  #export(at: number): LakeExport {
    return this.#content.exports[at] as LakeExport;
  }

  #snapshotId(at: number): number {
    const { tx, exportedMs, mark } = this.#export(at);
    const hash = this.#hash(`snapshot ${tx} ${exportedMs} ${mark}`);
    return Number(hash.readBigUInt64BE() >> BigInt(64 - ID_BITS)) + 1;
  }

  #uuid(): string {
    const first = this.#export(0);
    const hex = this.#hash(`table ${first.tx} ${first.exportedMs}`).toString('hex');
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join('-');
  }

  #hash(text: string): Buffer {
    const { store } = this.#content;
    return createHash('sha256').update(`${store} ${this.#table} ${text}`).digest();
  }
}

/** What became of a file in the export of a transaction, the one before it being of `before`; null = nothing that it lists. */
function statusOf(file: StoredFile | RetiredFile, tx: number, before: number): keyof typeof STATUS | null {
  const retired = 'retiredTx' in file ? file.retiredTx : Number.POSITIVE_INFINITY;
  if (file.tx > tx || retired <= before) return null;
  if (retired <= tx) return file.tx <= before ? 'deleted' : null;
  return file.tx > before ? 'added' : 'existing';
}

/** A single value as Iceberg writes it into manifests. */
function boundBytes(type: LakeType, text: string): Buffer {
  if (type === 'varchar') return Buffer.from(text);
  const bytes = Buffer.alloc(type === 'int' ? 4 : 8);
  if (type === 'int') bytes.writeInt32LE(Number(text));
  else if (type === 'double') bytes.writeDoubleLE(text === '-0' ? -0 : Number(text));
  else bytes.writeBigInt64LE(BigInt(text));
  return bytes;
}
