/** Embeds every entity that has a text and no vector. */

import { noProvider } from '../../embedding/store-embedding.js';
import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

export const embedBackfill = defineOperation({
  name: 'embed_backfill',
  summary: 'Make a vector for every entity that has a text and none',
  access: 'write',
  inServer: true,
  request: Type.Object({}),
  response: Type.Object({
    status: Type.String('ok, or error: there is no provider, or it failed; what was done before that stays'),
    error: Type.Optional(Type.String('why')),
    entities_embedded: Type.Optional(Type.Integer()),
    remaining: Type.Optional(Type.Integer('entities that have a text and no vector still')),
    failed: Type.Optional(Type.Integer('those among them whose texts the provider refused or failed at')),
  }),
  async handler({ store, control: { signal, onProgress } }) {
    if (store.embedder === null) return { kind: 'body', body: { status: 'error', error: noProvider().message } };
    const { embedded, remaining, failed, failure } = await store.embedBackfill({ signal, onProgress });
    const counts = { entities_embedded: embedded, remaining, failed };
    if (failure === null) return { kind: 'body', body: { status: 'ok', ...counts } };
    return { kind: 'body', body: { status: 'error', error: failure.message, ...counts } };
  },
  projections: { http: [{ method: 'POST', path: '/embed_backfill', request: 'body' }] },
});
