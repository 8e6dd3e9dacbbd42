/**
 * The log of transactions, oldest first. Read on with `since` = `next_since`. The whole of a long log is written as it is
 * read, a part at a time, up to the transaction that was the newest when it began.
 */

import { breathe, throwIfStopped } from '../../../base/control.js';
import type { Transaction } from '../../reads/transaction.js';
import { writeJson } from '../../requests/json.js';
import { JSON_MEDIA_TYPE } from '../../requests/operation-answer.js';
import { nullable, Type, textOrNull } from '../../requests/schema.js';
import { clampLimit } from '../definition/fields.js';
import { defineOperation, type OperationContext } from '../definition/operation.js';

/** Without a limit but with a start. */
const LIMIT_SINCE = 1000;
/** Entries that are read at a time; a log that has no more is one body. */
const ENTRIES_AT_ONCE = 1000;

function shown({ id, timestamp, actor, source, authenticated, quadsAdded, quadsRetracted }: Transaction) {
  return { id, timestamp, actor, source, authenticated, asserted: quadsAdded, retracted: quadsRetracted };
}

/** Every entry up to `last`. */
async function* written(
  { store, control, ignoredFields = [] }: OperationContext,
  last: number,
): AsyncGenerator<string> {
  let count = 0;
  for (let since = 0; since < last; ) {
    const entries = store.transactions({ since, limit: Math.min(ENTRIES_AT_ONCE, last - since) });
    if (entries.length === 0) break;
    yield `${count === 0 ? '{"transactions":[' : ','}${entries.map((entry) => writeJson(shown(entry))).join(',')}`;
    count += entries.length;
    since = entries.at(-1)?.id ?? last;
    throwIfStopped(control, 'the listing');
    await breathe();
  }
  const ignored = ignoredFields.length === 0 ? {} : { ignored_fields: ignoredFields };
  yield `],${writeJson({ count, next_since: null, ...ignored }).slice(1)}`;
}

export const transactions = defineOperation({
  name: 'transactions',
  summary: 'List the transactions, oldest first',
  access: 'read',
  request: Type.Object({
    since: Type.Optional(Type.Integer({ minimum: 0, description: 'only transactions after this one' })),
    limit: Type.Optional(Type.Integer('most entries; 1 to 10000; default all, with a start 1000')),
  }),
  response: Type.Object({
    transactions: Type.Array(
      Type.Object({
        id: Type.Integer(),
        timestamp: Type.String(),
        actor: textOrNull,
        source: textOrNull,
        authenticated: nullable(
          Type.Object({
            principal: textOrNull,
            credential_id: textOrNull,
            auth_class: Type.String('named_bearer or legacy_shared_bearer'),
          }),
          'what the token of the request proved; null: there was none',
        ),
        asserted: Type.Integer('statements that it opened'),
        retracted: Type.Integer('statements that it closed'),
      }),
    ),
    count: Type.Integer(),
    next_since: nullable(Type.Integer(), 'null: there are no more'),
  }),
  async handler(context, { since, limit }) {
    const { store, control } = context;
    throwIfStopped(control, 'the listing');
    if (!store.readsAll) {
      const page = await store.visibleTransactions({ since, limit: clampLimit(limit, LIMIT_SINCE) }, control);
      const transactions = page.transactions.map(shown);
      return { kind: 'body', body: { transactions, count: transactions.length, next_since: page.next } };
    }
    const all = since === undefined && limit === undefined;
    const most = all ? ENTRIES_AT_ONCE : clampLimit(limit, LIMIT_SINCE);
    const found = store.transactions({ since, limit: most + 1 });
    if (all && found.length > most) {
      const snapshot = store.snapshot();
      const last = snapshot.storage.tx;
      snapshot.close();
      return { kind: 'document', mediaType: JSON_MEDIA_TYPE, chunks: written(context, last) };
    }
    const transactions = found.slice(0, most).map(shown);
    const next = found.length > most ? (transactions.at(-1)?.id ?? null) : null;
    return { kind: 'body', body: { transactions, count: transactions.length, next_since: next } };
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
