/** Writes the store as a lake, for DuckDB, Spark, Trino and whatever else reads Parquet or Apache Iceberg. */

import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

export const lakeExport = defineOperation({
  name: 'lake_export',
  summary: 'Write the store as Parquet and Iceberg tables, or what has changed since the last time',
  access: 'admin',
  opens: 'read',
  request: Type.Object({
    target: Type.String({ minLength: 1, description: 'the folder of the lake' }),
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
  }),
  async handler({ store, control }, { target }) {
    const { tx, target: named, rows, files, bytes } = await store.exportLake(target, control);
    return { kind: 'body', body: { target: named, tx_id: tx, rows: { ...rows }, files, bytes } };
  },
  projections: {
    cli: {
      command: 'lake export',
      positional: [{ field: 'target', name: 'dir', summary: 'the folder of the lake' }],
      examples: ['svc lake export lake', 'svc lake export /data/lake --db graph.db'],
      options: {},
      text: ({ target, tx_id: tx, rows, files, bytes }) =>
        `exported to ${target}: ${rows.facts} facts, ${rows.history} closed rows, ${rows.terms} terms in ${files} files, ${bytes} bytes, up to tx ${tx}\n`,
    },
  },
});
