/** Copies the store to another file while it is in use. */

import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

export const backup = defineOperation({
  name: 'backup',
  summary: 'Copy the store to another file, while it is in use',
  access: 'admin',
  request: Type.Object({
    path: Type.String({ minLength: 1, description: 'the file to write, or s3://bucket/name' }),
    overwrite: Type.Optional(Type.Boolean('replace a file that is there')),
  }),
  response: Type.Object({
    path: Type.String(),
    bytes: Type.Integer(),
    tx_id: Type.Integer('the newest transaction that the copy holds'),
  }),
  async handler({ store, control }, { path, overwrite }) {
    const { bytes, tx } = await store.backup(path, { ...control, overwrite });
    return { kind: 'body', body: { path, bytes, tx_id: tx } };
  },
  projections: {
    cli: {
      command: 'backup',
      positional: [{ field: 'path', name: 'file', summary: 'the file to write, or s3://bucket/name' }],
      notes: [
        'The copy is the store at one transaction, whatever is written meanwhile. It appears under its name',
        'when it is whole and checked, and is a store file like any other: read it with --db.',
      ],
      examples: ['svc backup monday.db', 'svc backup /backups/latest.db --overwrite --db graph.db'],
      options: { overwrite: '' },
      text: (body) => `backed up to ${body.path}: ${body.bytes} bytes, up to tx ${body.tx_id}\n`,
    },
  },
});
