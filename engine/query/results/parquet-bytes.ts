/**
 * Parquet as bytes that are handed on while they are made: what stands behind answers and lakes.
 *
 * `hyparquet-writer` stands behind this file: the format in plain JavaScript, without native code. Nothing else in the
 * language does that; native bindings of Arrow would replace it.
 */

import { ByteWriter, type ParquetWriter } from 'hyparquet-writer';

export { ParquetWriter, type SchemaElement } from 'hyparquet-writer';
export { serializeTCompactProtocol as writeThrift } from 'hyparquet-writer/src/thrift.js';

/** What the footer says of a column in a row group. */
export type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number];
export type Encoding = NonNullable<ColumnChunk['meta_data']>['encodings'][number];

/** Forgets what was drained; offsets go on counting. */
export class DrainedWriter extends ByteWriter {
  drain(): Uint8Array {
    const bytes = this.getBytes().slice();
    this.index = 0;
    return bytes;
  }
}
