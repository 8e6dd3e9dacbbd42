/** The facts of ROOT with their times, at a transaction, an instant, or both. */

import { Type } from '../../requests/schema.js';
import { statementFields, timeFields, toStatement, toTimes } from '../definition/facts.js';
import { clampLimit, pageFields, txField, validAtField } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';
import { intervalText, moreText, valueText } from '../definition/text.js';

export const unravel = defineOperation({
  name: 'unravel',
  summary: 'List the facts of a past moment, with their times',
  access: 'read',
  request: Type.Object({
    tx: Type.Optional(txField),
    valid_at: Type.Optional(validAtField),
    ...pageFields,
  }),
  response: Type.Object({
    facts: Type.Array(Type.Object({ ...statementFields, ...timeFields })),
    count: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  async handler({ store, control }, request) {
    const { facts, truncated } = await store.unravel({
      ...control,
      tx: request.tx,
      validAt: request.valid_at,
      limit: clampLimit(request.limit),
      offset: request.offset,
    });
    const shown = facts.map((fact) => ({ ...toStatement(fact), ...toTimes(fact) }));
    return { kind: 'body', body: { facts: shown, count: shown.length, truncated } };
  },
  projections: {
    http: [{ method: 'POST', path: '/unravel', request: 'body' }],
    mcp: {
      tool: 'unravel',
      description: [
        'List the facts of ROOT as they were: those that held at an instant (valid_at, by what is known now), those that were known after a transaction (tx), or both; one is needed.',
        'To ask a question of the past, give svc_query valid_at or tx.',
      ],
      example: { valid_at: '2026-01-01', limit: 50 },
      parameters: { tx: {}, valid_at: {}, limit: { default: 100 }, offset: { default: 0 } },
      anyOf: ['tx', 'valid_at'],
    },
    cli: {
      command: 'unravel',
      notes: ['One of --tx and --valid-at is needed. ROOT only.'],
      examples: ['svc unravel --valid-at 2026-01-01', 'svc unravel --tx 5 --limit 1000', 'svc unravel --tx 5 --json'],
      options: { tx: 'n', valid_at: 't', limit: 'n', offset: 'n' },
      text: (body) => {
        const lines = body.facts.map(
          (fact) =>
            `${fact.entity}  ${fact.predicate}  ${valueText(fact.value)}  ${intervalText(fact.valid_from, fact.valid_to)}\n`,
        );
        return `${lines.join('')}\n${body.count} facts\n${moreText(body.truncated)}`;
      },
    },
  },
});
