/** Entities near to a text or a vector. */

import { Type } from '../../requests/schema.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';
import { entityTypeField, groupIdsField, nearEntity, nearSearchFields, nearSearchSettings } from './search-fields.js';

export const search = defineOperation({
  name: 'search',
  summary: 'Find the entities that are near to a text or a vector by their meaning',
  access: 'read',
  request: Type.Object({
    ...nearSearchFields,
    group_ids: Type.Optional(groupIdsField),
    entity_type: Type.Optional(entityTypeField),
  }),
  response: Type.Object({
    results: Type.Array(nearEntity),
    count: Type.Integer(),
    truncated: Type.Boolean(),
    scoped: Type.Boolean('groups or a type narrowed what may be found'),
  }),
  async handler(context, request) {
    const { iriWriter, toNear } = await import('./search-answers.js');
    const found = await context.store.search({
      ...nearSearchSettings(context, request),
      groupIds: request.group_ids,
      entityType: request.entity_type,
    });
    const show = iriWriter(context, request.verbose);
    const results = found.results.map((one) => toNear(one, show));
    const { truncated, scoped } = found;
    return { kind: 'body', body: { results, count: results.length, truncated, scoped } };
  },
  projections: {
    http: [{ method: 'POST', path: '/search', request: 'body' }],
    mcp: {
      tool: 'search',
      description: [
        'Find entities by meaning: those whose text is nearest to query or embedding. It needs embeddings in the store; svc_unified_search works without.',
      ],
      example: { query: 'reverse proxy', limit: 5 },
      parameters: {
        ...inWords({ query: 'what to look for, by meaning', entity_type: 'only instances of this class' }),
        ...asTheyAre('embedding', 'limit', 'offset', 'group_ids', 'verbose'),
        valid_at: { description: 'what was known and held then' },
      },
    },
  },
});
