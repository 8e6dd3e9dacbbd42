/**
 * A Parquet file of one of the lake's tables, row group by row group, so that no more than one stands in memory.
 *
 * The package behind `parquet-bytes.ts` writes the footer. Its column encoders take arrays of values one by one; those of this folder take
 * the typed columns that storage gives, which is several times faster and what an export of a large store is bound by.
 */

import { DrainedWriter, ParquetWriter, type SchemaElement } from '../../query/results/parquet-bytes.js';
import { loadZstd, type ZstdCompress } from '../../rdf/formats/input/zstd-frames.js';
import type { LakeColumn, LakeType } from '../layout.js';
import { type Bounds, type ColumnValues, type Compress, writeChunk } from './column-chunk.js';

/** Rows of a row group, at most. */
export const GROUP_ROWS = 122_880;
/** Texts are worth more work than ids, which differences have made small. */
const LEVELS = { text: 2, other: 1 } as const;
const CREATED_BY = 'svc';
/** Of least and greatest texts: IRIs of one data set are alike for longer than the package's 16. */
const TEXT_BOUND_BYTES = 256;

export const DECIMAL_PRECISION = 38;
export const DECIMAL_SCALE = 18;
export const DECIMAL_BYTES = 16;

const TYPES: Readonly<Record<LakeType, Omit<SchemaElement, 'name'>>> = {
  bigint: { type: 'INT64' },
  int: { type: 'INT32' },
  double: { type: 'DOUBLE' },
  decimal: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: DECIMAL_BYTES,
    converted_type: 'DECIMAL',
    precision: DECIMAL_PRECISION,
    scale: DECIMAL_SCALE,
    logical_type: { type: 'DECIMAL', precision: DECIMAL_PRECISION, scale: DECIMAL_SCALE },
  },
  timestamp: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
  varchar: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  boolean: { type: 'BOOLEAN' },
};

export interface GroupColumn {
  readonly values: ColumnValues;
  readonly count: number;
  readonly present: Uint8Array | null;
}

/** What is known of a column of a whole file. */
export interface ColumnFigures {
  readonly name: string;
  readonly bytes: number;
  readonly values: number;
  readonly nulls: number;
  readonly bounds: Bounds | null;
}

export interface FileFigures {
  readonly rows: number;
  readonly bytes: number;
  readonly columns: readonly ColumnFigures[];
}

export class ParquetFile {
  readonly #columns: readonly LakeColumn[];
  readonly #elements: readonly SchemaElement[];
  readonly #bytes = new DrainedWriter();
  readonly #writer: ParquetWriter;
  readonly #compress: Compress;

  private constructor(columns: readonly LakeColumn[], compress: ZstdCompress) {
    this.#columns = columns;
    this.#elements = columns.map(({ name, type, nullable }, at) => ({
      name,
      ...TYPES[type],
      repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED',
      field_id: at + 1,
    }));
    const schema = [{ name: 'table', num_children: columns.length }, ...this.#elements];
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema,
      codec: 'ZSTD',
      createdBy: CREATED_BY,
      statisticsTruncateLength: TEXT_BOUND_BYTES,
    });
    this.#compress = (bytes, kind) => compress(bytes, kind === 'text' ? LEVELS.text : LEVELS.other);
  }

  static async begin(columns: readonly LakeColumn[]): Promise<ParquetFile> {
    return new ParquetFile(columns, await loadZstd());
  }

  get rows(): number {
    return Number(this.#writer.num_rows);
  }

  /** Adds a row group; returns the bytes that are to be written behind those before. */
  group(rows: number, columns: readonly GroupColumn[]): Uint8Array {
    const start = this.#bytes.offset;
    const chunks = columns.map((column, at) =>
      writeChunk(this.#bytes, { ...column, element: this.#elements[at] as SchemaElement, rows }, this.#compress),
    );
    let uncompressed = 0n;
    for (const { meta_data } of chunks) uncompressed += meta_data?.total_uncompressed_size ?? 0n;
    this.#writer.num_rows += BigInt(rows);
    this.#writer.row_groups.push({
      columns: chunks,
      total_byte_size: uncompressed,
      num_rows: BigInt(rows),
      total_compressed_size: BigInt(this.#bytes.offset - start),
    });
    return this.#bytes.drain();
  }

  /** The last bytes of the file. */
  finish(): { readonly bytes: Uint8Array; readonly figures: FileFigures } {
    this.#writer.finish();
    const bytes = this.#bytes.drain();
    const columns = this.#columns.map(({ name }, at) => this.#figuresOf(name, at));
    return { bytes, figures: { rows: this.rows, bytes: this.#bytes.offset, columns } };
  }

  #figuresOf(name: string, at: number): ColumnFigures {
    let [bytes, values, nulls] = [0, 0, 0];
    let bounds: Bounds | null = null;
    let bounded = true;
    for (const { columns } of this.#writer.row_groups) {
      const chunk = columns[at]?.meta_data;
      if (chunk === undefined) continue;
      bytes += Number(chunk.total_compressed_size);
      values += Number(chunk.num_values);
      const { null_count = 0n, min_value: least, max_value: greatest } = chunk.statistics ?? {};
      nulls += Number(null_count);
      if (null_count === chunk.num_values) continue;
      if (least === undefined || greatest === undefined) bounded = false;
      else bounds = widened(bounds, { least, greatest } as Bounds);
    }
    return { name, bytes, values, nulls, bounds: bounded ? bounds : null };
  }
}

function widened(one: Bounds | null, other: Bounds): Bounds {
  if (one === null) return other;
  return {
    least: isBefore(other.least, one.least) ? other.least : one.least,
    greatest: isBefore(one.greatest, other.greatest) ? other.greatest : one.greatest,
  };
}

function isBefore(a: Bounds['least'], b: Bounds['least']): boolean {
  return a instanceof Uint8Array ? Buffer.compare(a, b as Uint8Array) < 0 : a < (b as typeof a);
}
