/** Writes the store as a lake, for DuckDB, Spark, Trino and whatever else reads Parquet or Apache Iceberg. */

import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

export const lakeExport = defineOperation({
  name: 'lake_export',
  summary: 'Write the store as Parquet and Iceberg tables, or what has changed since the last time',
  access: 'admin',
  opens: 'read',
  request: Type.Object({
    target: Type.String({ minLength: 1, description: 'the folder of the lake, or s3://bucket/prefix' }),
  }),
  response: Type.Object({
    target: Type.String(),
    tx_id: Type.Integer('the newest transaction that the lake holds'),
    rows: Type.Object({
      facts: Type.Integer(),
      history: Type.Integer(),
      terms: Type.Integer(),
      transactions: Type.Integer(),
    }),
    files: Type.Integer('files that were written'),
    bytes: Type.Integer('bytes that were written'),
    resumed: Type.Boolean('an export that was cut off was gone on with'),
  }),
  async handler({ store, control }, { target }) {
    const { tx, target: named, rows, files, bytes, resumed } = await store.exportLake(target, control);
    return { kind: 'body', body: { target: named, tx_id: tx, rows: { ...rows }, files, bytes, resumed } };
  },
  projections: {
    cli: {
      command: 'lake export',
      positional: [{ field: 'target', name: 'dir', summary: 'the folder of the lake, or s3://bucket/prefix' }],
      notes: [
        'A lake that is there is brought up to date. Its readers see the last export until this one is whole; one that',
        'was cut off is gone on with. docs/lake.md tells of its tables and of the engines that read them. With s3://,',
        'endpoint and credentials come from the environment (AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID ...).',
      ],
      examples: ['svc lake export lake', 'svc lake export s3://bucket/lake --db graph.db'],
      options: {},
      text: ({ target, tx_id: tx, rows, files, bytes }) =>
        `exported to ${target}: ${rows.facts} facts, ${rows.history} closed rows, ${rows.terms} terms in ${files} files, ${bytes} bytes, up to tx ${tx}\n`,
    },
  },
});
