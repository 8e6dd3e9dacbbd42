/** Facts whose predicate or value holds a text. */

import { nullable, Type } from '../../requests/schema.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';
import { textSearchFields, textSearchSettings, verboseField } from './search-fields.js';

export const searchFacts = defineOperation({
  name: 'search_facts',
  summary: 'Find facts by a text in their predicates or values',
  access: 'read',
  usesTexts: true,
  request: Type.Object({
    ...textSearchFields,
    verbose: Type.Optional(verboseField),
  }),
  response: Type.Object({
    facts: Type.Array(
      Type.Object({
        source: Type.String(),
        predicate: Type.String(),
        target: Type.Unknown(),
        provenance: nullable(Type.Object({ episode: Type.String() }), 'an episode that wrote the source'),
      }),
    ),
    count: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  async handler(context, request) {
    const { iriWriter, toTerm } = await import('./search-answers.js');
    const { facts, truncated } = await context.store.searchFacts(request.query, textSearchSettings(context, request));
    const show = iriWriter(context, request.verbose);
    const shown = facts.map(({ source, predicate, target, episode }) => ({
      source: toTerm(source, show) as string,
      predicate: show(predicate.value),
      target: toTerm(target, show),
      provenance: episode === null ? null : { episode: show(episode) },
    }));
    return { kind: 'body', body: { facts: shown, count: shown.length, truncated } };
  },
  projections: {
    http: [{ method: 'POST', path: '/search_facts', request: 'body' }],
    mcp: {
      tool: 'search_facts',
      description: [
        'Find facts by what connects them: those whose predicate or value holds the text, by source, predicate and target. provenance names the episode that said so. For entities use svc_search_nodes.',
      ],
      example: { query: 'runs_on', max_results: 5 },
      parameters: {
        ...inWords({ query: 'what to look for' }),
        ...asTheyAre('group_ids', 'limit', 'offset', 'verbose'),
        max_results: { description: 'most facts; the same as limit', default: 10 },
      },
    },
  },
});
