/** What requests and answers of searches have in common. */

import { FACT_ORDERS, RANKINGS } from '../../../search/context/choices.js';
import { MATCH_KINDS } from '../../../search/match/text-matcher.js';
import { iri, nullable, oneOf, type Static, Type, textOrNull } from '../../requests/schema.js';
import { txField, validAtField } from '../definition/fields.js';
import type { OperationContext } from '../definition/operation.js';

export const queryField = Type.String({ minLength: 1, description: 'text to search for' });
export const textToEmbedField = Type.String(
  'text to search for by its meaning; a provider of embeddings has to be configured',
);
export const embeddingField = Type.Array(
  Type.Number(),
  'vector to search by, of as many numbers as those of the store',
);
export const groupIdsField = Type.Array(
  Type.String(),
  'only what episodes of one of these groups wrote; empty: no filter. A filter by provenance, no protection',
);
export const entityTypeField = iri({ minLength: 1, description: 'only instances of this class: its IRI' });
export const verboseField = Type.Boolean('IRIs in full, never as CURIEs');
export const offsetField = Type.Integer({ minimum: 0, description: 'entries to pass over first' });
export const searchLimitField = Type.Integer('most entries; 1 to search.max_limit, default search.default_limit');
export const maxResultsField = Type.Integer('another name of limit');
export const explainField = Type.Boolean('true: with the parts of every score');
export const timeFields = { valid_at: Type.Optional(validAtField), tx: Type.Optional(txField) };

/** Of searches for a text that stands in what they find. */
export const textSearchFields = {
  query: queryField,
  group_ids: Type.Optional(groupIdsField),
  max_results: Type.Optional(maxResultsField),
  limit: Type.Optional(searchLimitField),
  offset: Type.Optional(offsetField),
  ...timeFields,
};

/** Of searches for what is near to a text or a vector. */
export const nearSearchFields = {
  query: Type.Optional(textToEmbedField),
  embedding: Type.Optional(embeddingField),
  limit: Type.Optional(searchLimitField),
  offset: Type.Optional(offsetField),
  verbose: Type.Optional(verboseField),
  ...timeFields,
};

/** How text and vectors become one order, and what is told of it. */
export const rankingFields = {
  ranking: Type.Optional(
    oneOf(RANKINGS, 'how text and vectors become one order; convex finds best; default: text scores, then cosines'),
  ),
  explain: Type.Optional(explainField),
  fact_order: Type.Optional(oneOf(FACT_ORDERS, 'facts by predicate and value (default), or the most telling first')),
};

export const nearEntity = Type.Object({
  entity: Type.String(),
  text: Type.String('of which its vector is made'),
  score: Type.Number('cosine'),
  source: oneOf(['knowledge']),
  valid_from: Type.String(),
  valid_to: textOrNull,
});

/** Where a text was found. */
export const foundText = Type.Object({
  score: Type.Number(),
  kind: oneOf(MATCH_KINDS, 'what of the entity the text is in'),
  predicate: textOrNull,
  value: textOrNull,
});

/** Where a score comes from. */
export const scoreParts = Type.Object({
  text: nullable(foundText),
  vector: nullable(Type.Number('cosine')),
  link: nullable(Type.Object({ from: Type.String(), way: oneOf(['out', 'in']) })),
  ppr: nullable(Type.Number('of personalised PageRank')),
});

export const shownFact = Type.Object({
  predicate: Type.String(),
  value: Type.String(),
  value_type: oneOf(['Entity', 'Literal']),
  datatype: Type.Optional(Type.String()),
  lang: Type.Optional(Type.String()),
  direction: Type.Optional(Type.String()),
});

export const embeddingState = Type.Object({
  configured: Type.Boolean('a provider is configured'),
  embedded_entities: Type.Integer(),
  error: Type.Optional(Type.String('why vectors had no part')),
});

export const contextSummary = Type.Object({
  total_entities: Type.Integer(),
  total_facts: Type.Integer(),
  direct_hits: Type.Integer(),
  linked_additions: Type.Integer(),
  embeddings: embeddingState,
  truncated: Type.Object({
    entities_shown: Type.Integer(),
    entities_considered: Type.Integer('before the cut'),
    more_available: Type.Boolean(),
    entities_with_more_facts: Type.Integer(),
  }),
});

type Requested<Fields extends Parameters<typeof Type.Object>[0]> = Static<ReturnType<typeof Type.Object<Fields>>>;

/** What a request of `textSearchFields` asks for, with what the configuration says. */
export function textSearchSettings(context: OperationContext, request: Requested<typeof textSearchFields>) {
  return {
    ...searchSettings(context),
    limit: request.max_results ?? request.limit ?? context.configuration.search.default_limit,
    offset: request.offset,
    groupIds: request.group_ids,
    validAt: request.valid_at,
    tx: request.tx,
  };
}

/** The same of `nearSearchFields`. */
export function nearSearchSettings(context: OperationContext, request: Requested<typeof nearSearchFields>) {
  return {
    ...meaningSettings(context),
    query: request.query,
    embedding: request.embedding,
    limit: request.limit ?? context.configuration.search.default_limit,
    offset: request.offset,
    validAt: request.valid_at,
    tx: request.tx,
  };
}

/** What the configuration says of searches that may go by meaning. */
export function meaningSettings(context: OperationContext) {
  return { ...searchSettings(context), vectorBackend: context.configuration.vector.backend };
}

/** What the configuration says of every search. */
export function searchSettings({ configuration, control, read }: OperationContext) {
  const { search, query } = configuration;
  return {
    limitMax: search.max_limit,
    textBackend: search.text_backend,
    labelPredicates: search.label_predicates,
    inference: query.subclass_inference,
    memoryBytes: read.budget.memoryBytes,
    signal: control.signal,
    flag: control.flag,
  };
}
