/** The log of transactions, oldest first. Read on with `since` = `next_since`. */

import { Type } from '../schema.js';
import { clampLimit } from './fields.js';
import { defineOperation } from './operation.js';

/** Without a limit but with a start. */
const LIMIT_SINCE = 1000;

export const transactions = defineOperation({
  name: 'transactions',
  summary: 'List the transactions, oldest first',
  access: 'read',
  request: Type.Object({
    since: Type.Optional(Type.Integer({ minimum: 0, description: 'only transactions after this one' })),
    limit: Type.Optional(Type.Integer({ description: 'most entries; 1 to 10000; default all, with a start 1000' })),
  }),
  response: Type.Object({
    transactions: Type.Array(
      Type.Object({
        id: Type.Integer(),
        timestamp: Type.String(),
        actor: Type.Union([Type.String(), Type.Null()]),
        source: Type.Union([Type.String(), Type.Null()]),
        authenticated: Type.Null(),
        asserted: Type.Integer({ description: 'statements that it opened' }),
        retracted: Type.Integer({ description: 'statements that it closed' }),
      }),
    ),
    count: Type.Integer(),
    next_since: Type.Union([Type.Integer(), Type.Null()], { description: 'null: there are no more' }),
  }),
  async handler({ store }, { since, limit }) {
    const all = since === undefined && limit === undefined;
    const most = clampLimit(limit, LIMIT_SINCE);
    const found = store.transactions(all ? {} : { since, limit: most + 1 });
    const shown = (all ? found : found.slice(0, most)).map((one) => ({
      id: one.id,
      timestamp: one.timestamp,
      actor: one.actor,
      source: one.source,
      authenticated: null,
      asserted: one.quadsAdded,
      retracted: one.quadsRetracted,
    }));
    const next = found.length > shown.length ? (shown.at(-1)?.id ?? null) : null;
    return { kind: 'body', body: { transactions: shown, count: shown.length, next_since: next } };
  },
  projections: {
    http: [{ method: 'GET', path: '/transactions', request: 'parameters' }],
    cli: {
      command: 'transactions',
      examples: ['svc transactions', 'svc transactions --since 40 --limit 20', 'svc transactions --json'],
      options: { since: 'n', limit: 'n' },
      text: (body) => {
        const lines = body.transactions.map(({ id, timestamp, actor, source, asserted, retracted }) =>
          [`tx ${id}`, timestamp, `+${asserted} -${retracted}`, actor ?? '-', source ?? '-'].join('  '),
        );
        const more = body.next_since === null ? '' : `there are more: --since ${body.next_since}\n`;
        return `${lines.map((line) => `${line}\n`).join('')}\n${body.count} transactions\n${more}`;
      },
    },
  },
});
