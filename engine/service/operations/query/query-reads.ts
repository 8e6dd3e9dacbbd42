/** Reads of the stored queries: the list of them, and one by its name. */

import { throwIfStopped } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import { type Static, Type } from '../../requests/schema.js';
import { clampLimit, limitField, offsetField } from '../definition/fields.js';
import { type Answer, defineOperation, type OperationContext } from '../definition/operation.js';
import { queryEntry, storedEntry } from './query-entries.js';

const response = Type.Object({
  queries: Type.Optional(Type.Array(queryEntry)),
  count: Type.Optional(Type.Integer()),
  truncated: Type.Optional(Type.Boolean()),
  query: Type.Optional(queryEntry),
  template: Type.Optional(Type.String({ description: 'of the query that is named' })),
});

type Told = Promise<Answer<Static<typeof response>>>;

export async function listQueries(
  { store, control }: OperationContext,
  { limit, offset = 0 }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
): Told {
  const all = await store.storedQueries();
  throwIfStopped(control, 'the listing');
  const to = offset + clampLimit(limit);
  const queries = all.slice(offset, to).map(storedEntry);
  return { kind: 'body', body: { queries, count: queries.length, truncated: all.length > to } };
}

export async function getQuery({ store, control }: OperationContext, name: string): Told {
  const query = await store.storedQuery(name);
  throwIfStopped(control, 'the read');
  if (query === null) {
    throw new SvcError('not_found_in_store', `no such stored query: ${name}`, { hint: 'list shows those there are' });
  }
  return { kind: 'body', body: { query: storedEntry(query), template: query.template } };
}

export const queryList = defineOperation({
  name: 'query_list',
  summary: 'List the stored queries, or show one',
  access: 'read',
  request: Type.Object({
    name: Type.Optional(Type.String({ minLength: 1, description: 'only this query, with its template' })),
    limit: Type.Optional(limitField),
    offset: Type.Optional(offsetField),
  }),
  response,
  handler: (context, { name, ...page }) => (name === undefined ? listQueries(context, page) : getQuery(context, name)),
  projections: { http: [{ method: 'GET', path: '/queries', request: 'parameters' }] },
});
