/** Entities that a text stands in, with their names and types. */

import { Type, textOrNull } from '../../requests/schema.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';
import {
  entityTypeField,
  explainField,
  foundText,
  textSearchFields,
  textSearchSettings,
  verboseField,
} from './search-fields.js';

export const searchNodes = defineOperation({
  name: 'search_nodes',
  summary: 'Find entities by a text in their IRIs, their literals, or the IRIs that they point at',
  access: 'read',
  usesTexts: true,
  request: Type.Object({
    ...textSearchFields,
    entity_type_filter: Type.Optional(entityTypeField),
    verbose: Type.Optional(verboseField),
    explain: Type.Optional(explainField),
  }),
  response: Type.Object({
    nodes: Type.Array(
      Type.Object({
        iri: Type.String(),
        label: textOrNull,
        types: Type.Array(Type.String()),
        summary: textOrNull,
        score: Type.Number('0 to 1'),
        explain: Type.Optional(foundText),
      }),
    ),
    count: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  async handler(context, request) {
    const { iriWriter, toText } = await import('./search-answers.js');
    const { nodes, truncated } = await context.store.searchNodes(request.query, {
      ...textSearchSettings(context, request),
      entityType: request.entity_type_filter,
    });
    const show = iriWriter(context, request.verbose);
    const shown = nodes.map(({ iri, label, types, comment, score, text }) => ({
      iri: show(iri),
      label,
      types: types.map(show),
      summary: comment,
      score,
      ...(request.explain === true ? { explain: toText(text, show) } : {}),
    }));
    return { kind: 'body', body: { nodes: shown, count: shown.length, truncated } };
  },
  projections: {
    http: [{ method: 'POST', path: '/search_nodes', request: 'body' }],
    mcp: {
      tool: 'search_nodes',
      description: [
        'Find entities by name: those with the text in their IRI, in a literal or in the IRI of something they point at, with label, types and summary. For facts as well use svc_unified_search, for one name that may be misspelt svc_resolve_entity.',
      ],
      example: { query: 'traefik', max_results: 5 },
      parameters: {
        ...inWords({ query: 'what to look for', entity_type_filter: 'only instances of this class' }),
        ...asTheyAre('group_ids', 'limit', 'offset', 'verbose'),
        max_results: { description: 'most entities; the same as limit', default: 10 },
      },
    },
  },
});
