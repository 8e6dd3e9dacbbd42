/** The entities that a query finds, in the order of their nearness to a text or a vector. */

import { nullable, Type, textOrNull } from '../../requests/schema.js';
import { answerLabels } from '../definition/fields.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';
import { embeddingState, nearEntity, nearSearchFields, nearSearchSettings } from './search-fields.js';

export const hybridSearch = defineOperation({
  name: 'hybrid_search',
  summary: 'Order the entities that a query finds by their nearness to a text or a vector',
  access: 'read',
  request: Type.Object({
    ...nearSearchFields,
    sparql: Type.Optional(
      Type.String({ minLength: 1, description: 'a SELECT whose first variable gives the entities that may be found' }),
    ),
  }),
  response: Type.Object({
    results: Type.Array(nearEntity),
    count: Type.Integer(),
    truncated: Type.Boolean(),
    sparql_candidates: nullable(Type.Integer('distinct IRIs that the query gave; null = there was none')),
    pushdown_filter: textOrNull,
    embeddings: embeddingState,
    labels: Type.Optional(answerLabels),
  }),
  async handler(context, request) {
    const [{ iriWriter, toEmbeddings, toNear }, { queryOf }] = await Promise.all([
      import('./search-answers.js'),
      import('../query/query-options.js'),
    ]);
    const { sparql, valid_at: validAt, tx } = request;
    const found = await context.store.hybridSearch({
      ...nearSearchSettings(context, request),
      sparql,
      asked: sparql === undefined ? undefined : queryOf(context, { valid_at: validAt, tx }),
    });
    const show = iriWriter(context, request.verbose);
    const results = found.results.map((one) => toNear(one, show));
    const body = {
      results,
      count: results.length,
      truncated: found.truncated,
      sparql_candidates: found.candidates,
      pushdown_filter: found.pushdownFilter,
      embeddings: toEmbeddings(found.embeddings),
      ...(sparql === undefined ? {} : { labels: found.labels }),
    };
    return { kind: 'body', body };
  },
  projections: {
    http: [{ method: 'POST', path: '/hybrid_search', request: 'body' }],
    mcp: {
      tool: 'hybrid_search',
      description: [
        'Ask the graph first, then rank by meaning: sparql is a SELECT whose first variable names the entities that may be found, and these are ranked by nearness to query or embedding. It needs embeddings, as svc_search does; for an exact answer use svc_query.',
      ],
      example: { sparql: 'SELECT ?s WHERE { ?s a <http://ex.org/Service> }', query: 'proxy', limit: 5 },
      parameters: {
        ...inWords({ query: 'what to look for, by meaning', sparql: 'a SELECT' }),
        ...asTheyAre('embedding', 'limit', 'offset', 'verbose'),
        valid_at: { description: 'what was known and held then' },
      },
    },
  },
});
