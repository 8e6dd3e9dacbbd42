/** Reads the whole store and compares its parts with each other. */

import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

export const verify = defineOperation({
  name: 'verify',
  summary: 'Check every block, row and term of the store',
  access: 'admin',
  request: Type.Object({}),
  response: Type.Object({
    ok: Type.Boolean(),
    problems: Type.Array(Type.Object({ where: Type.String(), what: Type.String() })),
    blocks_checked: Type.Integer(),
    rows_checked: Type.Integer(),
    terms_checked: Type.Integer(),
  }),
  async handler({ store, control }) {
    const { ok, problems, blocksChecked, rowsChecked, termsChecked } = await store.verify(control);
    const checked = { blocks_checked: blocksChecked, rows_checked: rowsChecked, terms_checked: termsChecked };
    return { kind: 'body', body: { ok, problems, ...checked } };
  },
  projections: {
    cli: {
      command: 'verify',
      examples: ['svc verify', 'svc verify --db graph.db --json'],
      options: {},
      succeeded: (body) => body.ok,
      text: (body) => {
        const checked = `${body.blocks_checked} blocks, ${body.rows_checked} rows, ${body.terms_checked} terms checked`;
        if (body.ok) return `ok: ${checked}\n`;
        const lines = body.problems.map(({ where, what }) => `  ${where}: ${what}`);
        return `damaged: ${body.problems.length} problem(s); ${checked}\n${lines.join('\n')}\n`;
      },
    },
  },
});
