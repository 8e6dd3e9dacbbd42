/** A file of a table while it is written: its row groups go to the target as they are made. */

import { createHash } from 'node:crypto';
import type { StoredBounds, StoredColumn, StoredFile } from '../lake-file.js';
import type { LakeColumn } from '../layout.js';
import type { Bounds } from '../parquet/column-chunk.js';
import { type ColumnFigures, type GroupColumn, ParquetFile } from '../parquet/parquet-file.js';
import type { LakeTarget, TargetFile } from '../target/target.js';

/** Characters of a text in bounds; readers need no more to pass over a file. */
const BOUND_BYTES = 64;

export class TableFile {
  readonly path: string;
  readonly #parquet: ParquetFile;
  readonly #file: TargetFile;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  private constructor(path: string, parquet: ParquetFile, file: TargetFile) {
    this.path = path;
    this.#parquet = parquet;
    this.#file = file;
  }

  static async begin(target: LakeTarget, path: string, columns: readonly LakeColumn[]): Promise<TableFile> {
    return new TableFile(path, await ParquetFile.begin(columns), await target.create(path));
  }

  get rows(): number {
    return this.#parquet.rows;
  }

  async group(rows: number, columns: readonly GroupColumn[]): Promise<void> {
    await this.#write(this.#parquet.group(rows, columns));
  }

  async finish(tx: number, predicate?: string): Promise<StoredFile> {
    const { bytes, figures } = this.#parquet.finish();
    await this.#write(bytes);
    await this.#file.finish();
    const columns = Object.fromEntries(figures.columns.map((column) => [column.name, storedColumn(column)]));
    return {
      path: this.path,
      rows: figures.rows,
      bytes: this.#bytes,
      sha256: this.#hash.digest('hex'),
      ...(predicate === undefined ? {} : { predicate }),
      columns,
      tx,
    };
  }

  abandon(): Promise<void> {
    return this.#file.abandon();
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#file.write(bytes);
  }
}

function storedColumn({ bytes, nulls, bounds }: ColumnFigures): StoredColumn {
  const stored = bounds === null ? null : storedBounds(bounds);
  return { bytes, nulls, ...(stored === null ? {} : { bounds: stored }) };
}

/** Null for texts that would have to be cut: a greatest one that was cut is none. */
function storedBounds({ least, greatest }: Bounds): StoredBounds | null {
  if (least instanceof Uint8Array) {
    if (Math.max(least.length, (greatest as Uint8Array).length) > BOUND_BYTES) return null;
    return {
      least: Buffer.from(least).toString('utf8'),
      greatest: Buffer.from(greatest as Uint8Array).toString('utf8'),
    };
  }
  const text = (value: Bounds['least']): string => (Object.is(value, -0) ? '-0' : String(value));
  return { least: text(least), greatest: text(greatest) };
}
