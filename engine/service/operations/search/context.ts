/** What the store knows around a text: entities with their facts, for whoever is to answer from them. */

import { RELEVANCES } from '../../../search/context/choices.js';
import { oneOf, Type, textOrNull } from '../../requests/schema.js';
import { defineOperation, inWords } from '../definition/operation.js';
import {
  contextSummary,
  meaningSettings,
  queryField,
  rankingFields,
  scoreParts,
  shownFact,
  timeFields,
} from './search-fields.js';

export const context = defineOperation({
  name: 'context',
  summary: 'Tell what the store knows around a text',
  access: 'read',
  usesTexts: true,
  request: Type.Object({
    query: queryField,
    max_entities: Type.Optional(Type.Integer('most entities; 1 to search.max_limit, default 20')),
    expand_links: Type.Optional(Type.Boolean('with what is linked to what is found; default true')),
    ppr_rerank: Type.Optional(Type.Boolean('in the order of PageRank that restarts at what is found; default false')),
    ...rankingFields,
    ...timeFields,
  }),
  response: Type.Object({
    query: Type.String(),
    entities: Type.Array(
      Type.Object({
        iri: Type.String(),
        label: textOrNull,
        types: Type.Array(Type.String()),
        relevance: oneOf(RELEVANCES),
        score: Type.Number('0 to 1'),
        source: oneOf(['knowledge']),
        facts: Type.Array(shownFact),
        facts_capped: Type.Boolean('there are more facts'),
        explain: Type.Optional(scoreParts),
      }),
    ),
    summary: contextSummary,
  }),
  async handler({ store, ...means }, request) {
    const { asItIs, toFact, toParts, toSummary } = await import('./search-answers.js');
    const found = await store.context(request.query, {
      ...meaningSettings({ store, ...means }),
      maxEntities: request.max_entities,
      expandLinks: request.expand_links,
      pprRerank: request.ppr_rerank,
      ranking: request.ranking,
      factOrder: request.fact_order,
      validAt: request.valid_at,
      tx: request.tx,
    });
    const entities = found.entities.map((one) => ({
      iri: one.iri,
      label: one.label,
      types: one.types,
      relevance: one.relevance,
      score: one.score,
      source: 'knowledge' as const,
      facts: one.facts.map((fact) => toFact(fact, asItIs)),
      facts_capped: one.factsCapped,
      ...(request.explain === true ? { explain: toParts(one.parts, asItIs) } : {}),
    }));
    return { kind: 'body', body: { query: request.query, entities, summary: toSummary(found) } };
  },
  projections: {
    http: [{ method: 'POST', path: '/context', request: 'body' }],
    mcp: {
      tool: 'context',
      description: [
        'Gather what the store knows around a text before you answer from it: entities that it stands in or is near to, and those linked to them, with up to 20 facts each, the most telling first. For a plain list use svc_unified_search.',
      ],
      example: { query: 'traefik', max_entities: 10 },
      parameters: {
        ...inWords({ query: 'what it is about' }),
        max_entities: { description: 'most entities', default: 20 },
        expand_links: { description: 'with what is linked to what is found', default: true },
        ppr_rerank: { description: 'order by personalised PageRank', default: false },
      },
      always: { fact_order: 'telling' },
      further: { ranking: {} },
    },
  },
});
