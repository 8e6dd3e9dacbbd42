/** Rewrites the file of a store without free pages. */

import { Type } from '../../requests/schema.js';
import { compactStore } from '../../store/maintenance.js';
import { defineFileOperation } from '../definition/operation.js';

export const compact = defineFileOperation({
  name: 'compact',
  summary: 'Rewrite the file of the store without its free pages',
  access: 'admin',
  request: Type.Object({}),
  response: Type.Object({ bytes_before: Type.Integer(), bytes_after: Type.Integer(), bytes_won: Type.Integer() }),
  async handler({ path, control }) {
    const { bytesBefore, bytesAfter } = await compactStore(path, control);
    const body = { bytes_before: bytesBefore, bytes_after: bytesAfter, bytes_won: bytesBefore - bytesAfter };
    return { kind: 'body', body };
  },
  projections: {
    cli: {
      command: 'compact',
      notes: [
        'Nobody may write to the store meanwhile, and the disk needs room for a second file. The new file is',
        'verified before it takes the place of the old one. Readers that have the old one open go on reading it',
        'as it was; they see later writes, and free its space, when they open the store again.',
      ],
      examples: ['svc compact', 'svc compact --db graph.db --json'],
      options: {},
      text: (body) =>
        `compacted: ${body.bytes_before} bytes before, ${body.bytes_after} after, ${body.bytes_won} won\n`,
    },
  },
});
