/** What the store knows around a text, as a list of results: by text, by what is linked to it, and by vectors. */

import { RELEVANCES, UNIFIED_FACTS_DEFAULT } from '../../../search/context/choices.js';
import { oneOf, Type } from '../../requests/schema.js';
import { asTheyAre, defineOperation, inWords } from '../definition/operation.js';
import { moreText } from '../definition/text.js';
import {
  contextSummary,
  embeddingField,
  entityTypeField,
  groupIdsField,
  meaningSettings,
  offsetField,
  queryField,
  rankingFields,
  scoreParts,
  searchLimitField,
  shownFact,
  timeFields,
  verboseField,
} from './search-fields.js';

export const unifiedSearch = defineOperation({
  name: 'unified_search',
  summary: 'Search by text and by meaning, with facts of what is found',
  access: 'read',
  usesTexts: true,
  request: Type.Object({
    query: queryField,
    embedding: Type.Optional(embeddingField),
    limit: Type.Optional(searchLimitField),
    offset: Type.Optional(offsetField),
    expand_links: Type.Optional(Type.Boolean('with what is linked to what is found; default true')),
    max_facts_per_entity: Type.Optional(Type.Integer({ minimum: 0, description: `default ${UNIFIED_FACTS_DEFAULT}` })),
    group_ids: Type.Optional(groupIdsField),
    entity_type: Type.Optional(entityTypeField),
    verbose: Type.Optional(verboseField),
    ...rankingFields,
    ...timeFields,
  }),
  response: Type.Object({
    results: Type.Array(
      Type.Object({
        entity: Type.String(),
        text: Type.String('the label, or the IRI'),
        score: Type.Number('0 to 1'),
        source: oneOf(['knowledge']),
        relevance: oneOf(RELEVANCES),
        types: Type.Array(Type.String()),
        facts: Type.Array(shownFact),
        facts_capped: Type.Boolean('there are more facts'),
        explain: Type.Optional(scoreParts),
      }),
    ),
    count: Type.Integer(),
    truncated: Type.Boolean(),
    summary: contextSummary,
  }),
  async handler(context, request) {
    const { iriWriter, toFact, toParts, toSummary } = await import('./search-answers.js');
    const found = await context.store.context(request.query, {
      ...meaningSettings(context),
      maxEntities: request.limit ?? context.configuration.search.default_limit,
      offset: request.offset,
      embedding: request.embedding,
      groupIds: request.group_ids,
      entityType: request.entity_type,
      expandLinks: request.expand_links,
      maxFactsPerEntity: request.max_facts_per_entity ?? UNIFIED_FACTS_DEFAULT,
      ranking: request.ranking,
      factOrder: request.fact_order,
      validAt: request.valid_at,
      tx: request.tx,
    });
    const show = iriWriter(context, request.verbose);
    const results = found.entities.map((one) => ({
      entity: show(one.iri),
      text: one.label ?? one.iri,
      score: one.score,
      source: 'knowledge' as const,
      relevance: one.relevance,
      types: one.types.map(show),
      facts: one.facts.map((fact) => toFact(fact, show)),
      facts_capped: one.factsCapped,
      ...(request.explain === true ? { explain: toParts(one.parts, show) } : {}),
    }));
    const body = { results, count: results.length, truncated: found.truncated, summary: toSummary(found) };
    return { kind: 'body', body };
  },
  projections: {
    http: [{ method: 'POST', path: '/unified_search', request: 'body' }],
    mcp: {
      tool: 'unified_search',
      description: [
        'Search the store by a text: the first thing to try when no IRI is known. Finds entities whose IRI, label or other text holds it (Direct), those linked to them (Linked) and, where there are embeddings, those near in meaning (Semantic), with facts, the best first.',
        'Name the thing rather than write a sentence. To collect material for an answer use svc_context.',
      ],
      example: { query: 'traefik', limit: 5 },
      parameters: {
        ...inWords({ query: 'what to look for' }),
        ...asTheyAre('embedding', 'limit', 'offset', 'verbose'),
        expand_links: { description: 'with what is linked to what is found', default: true },
        max_facts_per_entity: { description: 'most facts of each', default: UNIFIED_FACTS_DEFAULT },
      },
      always: { fact_order: 'telling' },
      further: { ranking: {} },
    },
    cli: {
      command: 'search',
      argument: { field: 'query', name: 'text', summary: 'what to search for; - is standard input' },
      notes: ['By text, by links from what is found, and by meaning where entities have embeddings; the best first.'],
      examples: ['svc search traefik', 'svc search "reverse proxy" --limit 5 --json'],
      named: { entity_type: 'type' },
      repeated: { group_ids: 'group' },
      options: {
        limit: 'n',
        offset: 'n',
        entity_type: 'iri',
        group_ids: 'name',
        max_facts_per_entity: 'n',
        ranking: 'name',
        valid_at: 't',
        tx: 'n',
      },
      text: ({ results, truncated }) => {
        const lines = results.map(({ score, entity, text }) => `${score.toFixed(2)}  ${entity}  ${text}\n`);
        return `${lines.join('')}${moreText(truncated)}`;
      },
    },
  },
});
