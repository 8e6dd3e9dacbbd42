/** Words that requests and answers of searches use. */

/** How what text and vectors found becomes one order: `ranking.ts` says how. */
export const RANKINGS = ['default', 'reciprocal', 'convex', 'mmr', 'ppr'] as const;
export type Ranking = (typeof RANKINGS)[number];

/** How an entity came into an answer: by text, beside what was found, by vectors. */
export const RELEVANCES = ['Direct', 'Linked', 'Semantic'] as const;
export type Relevance = (typeof RELEVANCES)[number];

/** Facts of an entity in an answer of `/unified_search`. */
export const UNIFIED_FACTS_DEFAULT = 10;

export const FACT_ORDERS = ['predicate', 'telling'] as const;
export type FactOrder = (typeof FACT_ORDERS)[number];
