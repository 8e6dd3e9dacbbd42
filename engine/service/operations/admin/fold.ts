/** Turns what small transactions have added into sorted runs, and merges runs; vectors into segments. */

import { SvcError } from '../../../base/errors.js';
import { TEXT_KINDS, type TextKind } from '../../../storage/seam/engine.js';
import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

export const fold = defineOperation({
  name: 'fold',
  summary: 'Turn recent small transactions into sorted runs now',
  access: 'admin',
  opens: 'write',
  request: Type.Object({
    texts: Type.Optional(
      Type.String({
        description: 'what of the text index is kept from now on: words, parts, both by a comma, or none',
      }),
    ),
  }),
  response: Type.Object({ rows_folded: Type.Integer(), runs_merged: Type.Integer(), bytes_written: Type.Integer() }),
  async handler({ store, control }, { texts }) {
    if (texts !== undefined) await store.indexTexts(kindsIn(texts));
    const { rowsFolded, runsMerged, bytesWritten } = await store.fold(control);
    const body = { rows_folded: rowsFolded, runs_merged: runsMerged, bytes_written: bytesWritten };
    return { kind: 'body', body };
  },
  projections: {
    cli: {
      command: 'fold',
      notes: ['A writer does this by itself when enough has come together; answers never depend on it.'],
      examples: ['svc fold', 'svc fold --texts words,parts', 'svc fold --db graph.db --json'],
      options: { texts: 'kinds' },
      text: (body) =>
        `folded ${body.rows_folded} rows, merged ${body.runs_merged} runs, wrote ${body.bytes_written} bytes\n`,
    },
  },
});

function kindsIn(texts: string): TextKind[] {
  const given = texts === 'none' ? [] : texts.split(',').map((kind) => kind.trim());
  const unknown = given.find((kind) => !TEXT_KINDS.some((known) => known === kind));
  if (unknown !== undefined) {
    const known = `${TEXT_KINDS.join(', ')}, both by a comma, or none`;
    throw new SvcError('invalid_request', `'texts' says ${JSON.stringify(unknown)}; it is ${known}`);
  }
  return TEXT_KINDS.filter((kind) => given.includes(kind));
}
