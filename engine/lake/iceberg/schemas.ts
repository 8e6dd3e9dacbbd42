/** Records of manifests and manifest lists, as version 2 of the Iceberg specification numbers their fields. */

import type { LakeColumn, LakeType } from '../layout.js';
import { DECIMAL_PRECISION, DECIMAL_SCALE } from '../parquet/parquet-file.js';
import type { AvroSchema } from './avro-file.js';

const TYPES: Readonly<Record<LakeType, string>> = {
  bigint: 'long',
  int: 'int',
  double: 'double',
  decimal: `decimal(${DECIMAL_PRECISION}, ${DECIMAL_SCALE})`,
  timestamp: 'timestamptz',
  varchar: 'string',
  boolean: 'boolean',
};

export const SCHEMA_ID = 0;

/** Of a table; the ids of its columns are those in the Parquet files. */
export function tableSchema(columns: readonly LakeColumn[]): object {
  return {
    type: 'struct',
    'schema-id': SCHEMA_ID,
    fields: columns.map(({ name, type, nullable }, at) => ({
      id: at + 1,
      name,
      required: !nullable,
      type: TYPES[type],
    })),
  };
}

const field = (id: number, name: string, type: AvroSchema) => ({ name, type, 'field-id': id });
const optional = (id: number, name: string, type: AvroSchema) => ({
  name,
  type: ['null', type] as AvroSchema,
  default: null,
  'field-id': id,
});

/** A map from the ids of columns, which Avro's own maps can't have as keys. */
function byColumn(keyId: number, valueId: number, value: AvroSchema): AvroSchema {
  const entry = {
    type: 'record',
    name: `k${keyId}_v${valueId}`,
    fields: [field(keyId, 'key', 'int'), field(valueId, 'value', value)],
  };
  return { type: 'array', items: entry, logicalType: 'map' } as AvroSchema;
}

const DATA_FILE = {
  type: 'record',
  name: 'r2',
  fields: [
    field(134, 'content', 'int'),
    field(100, 'file_path', 'string'),
    field(101, 'file_format', 'string'),
    field(102, 'partition', { type: 'record', name: 'r102', fields: [] }),
    field(103, 'record_count', 'long'),
    field(104, 'file_size_in_bytes', 'long'),
    optional(108, 'column_sizes', byColumn(117, 118, 'long')),
    optional(109, 'value_counts', byColumn(119, 120, 'long')),
    optional(110, 'null_value_counts', byColumn(121, 122, 'long')),
    optional(125, 'lower_bounds', byColumn(126, 127, 'bytes')),
    optional(128, 'upper_bounds', byColumn(129, 130, 'bytes')),
    optional(140, 'sort_order_id', 'int'),
  ],
};

export const MANIFEST_ENTRY = {
  type: 'record',
  name: 'manifest_entry',
  fields: [
    field(0, 'status', 'int'),
    optional(1, 'snapshot_id', 'long'),
    optional(3, 'sequence_number', 'long'),
    optional(4, 'file_sequence_number', 'long'),
    field(2, 'data_file', DATA_FILE as AvroSchema),
  ],
} as AvroSchema;

const PARTITION_SUMMARY = {
  type: 'record',
  name: 'r508',
  fields: [
    field(509, 'contains_null', 'boolean'),
    optional(518, 'contains_nan', 'boolean'),
    optional(510, 'lower_bound', 'bytes'),
    optional(511, 'upper_bound', 'bytes'),
  ],
};

export const MANIFEST_FILE = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    field(500, 'manifest_path', 'string'),
    field(501, 'manifest_length', 'long'),
    field(502, 'partition_spec_id', 'int'),
    field(517, 'content', 'int'),
    field(515, 'sequence_number', 'long'),
    field(516, 'min_sequence_number', 'long'),
    field(503, 'added_snapshot_id', 'long'),
    field(504, 'added_files_count', 'int'),
    field(505, 'existing_files_count', 'int'),
    field(506, 'deleted_files_count', 'int'),
    field(512, 'added_rows_count', 'long'),
    field(513, 'existing_rows_count', 'long'),
    field(514, 'deleted_rows_count', 'long'),
    optional(507, 'partitions', { type: 'array', items: PARTITION_SUMMARY, 'element-id': 508 } as AvroSchema),
  ],
} as AvroSchema;
