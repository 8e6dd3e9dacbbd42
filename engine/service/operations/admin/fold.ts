/** Turns what small transactions have added into sorted runs, and merges runs. */

import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

export const fold = defineOperation({
  name: 'fold',
  summary: 'Turn recent small transactions into sorted runs now',
  access: 'admin',
  opens: 'write',
  request: Type.Object({}),
  response: Type.Object({ rows_folded: Type.Integer(), runs_merged: Type.Integer(), bytes_written: Type.Integer() }),
  async handler({ store, control }) {
    const { rowsFolded, runsMerged, bytesWritten } = await store.fold(control);
    const body = { rows_folded: rowsFolded, runs_merged: runsMerged, bytes_written: bytesWritten };
    return { kind: 'body', body };
  },
  projections: {
    cli: {
      command: 'fold',
      notes: ['A writer does this by itself when enough has come together; answers never depend on it.'],
      examples: ['svc fold', 'svc fold --db graph.db --json'],
      options: {},
      text: (body) =>
        `folded ${body.rows_folded} rows, merged ${body.runs_merged} runs, wrote ${body.bytes_written} bytes\n`,
    },
  },
});
