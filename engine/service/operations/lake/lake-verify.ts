/** Reads a lake through. */

import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

export const lakeVerify = defineOperation({
  name: 'lake_verify',
  summary: 'Read every file of a lake and compare it with its hash',
  access: 'admin',
  opens: 'read',
  request: Type.Object({
    target: Type.String({ minLength: 1, description: 'the folder of the lake, or s3://bucket/prefix' }),
  }),
  response: Type.Object({
    target: Type.String(),
    ok: Type.Boolean(),
    tx_id: Type.Integer('the newest transaction that the lake holds'),
    files: Type.Integer(),
    bytes: Type.Integer(),
    problems: Type.Array(Type.Object({ where: Type.String(), what: Type.String() })),
  }),
  async handler({ store, control }, { target }) {
    const { target: named, ok, tx, files, bytes, problems } = await store.verifyLake(target, control);
    return { kind: 'body', body: { target: named, ok, tx_id: tx, files, bytes, problems: [...problems] } };
  },
  projections: {
    cli: {
      command: 'lake verify',
      positional: [{ field: 'target', name: 'dir', summary: 'the folder of the lake, or s3://bucket/prefix' }],
      notes: ['The lake must be one of the store. Files that older snapshots of its tables read are read, too.'],
      examples: ['svc lake verify lake', 'svc lake verify s3://bucket/lake --json'],
      options: {},
      succeeded: (body) => body.ok,
      text: ({ target, ok, tx_id: tx, files, bytes, problems }) =>
        ok
          ? `ok: ${target}, ${files} files, ${bytes} bytes, up to tx ${tx}\n`
          : `${problems.length} problem(s) in ${target}\n${problems.map(({ where, what }) => `  ${where}: ${what}\n`).join('')}`,
    },
  },
});
