/** What searches take, as the library gives it and operations fill it in. */

import type { Stop } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { FACT_ORDERS, type FactOrder, RANKINGS, type Ranking } from '../../search/context/choices.js';
import type { EmbeddingProvider } from '../../search/embeddings/provider.js';
import { MATCH_KINDS, type MatchKind, TEXT_BACKENDS, type TextBackend } from '../../search/match/text-matcher.js';
import type { VectorBackend } from '../../storage/indexes/vectors/vector-reader.js';
import type { TimeOptions } from '../options/store-options.js';
import type { EngineQuery } from '../reads/query.js';

/** Of every search: when, until when, and what the configuration says. */
export interface SearchOptions extends TimeOptions, Stop {
  /** Most entries, clamped to 1..`limitMax`; default 10. */
  readonly limit?: number | undefined;
  /** Entries to pass over first. */
  readonly offset?: number | undefined;
  /** search.max_limit, default 1000. */
  readonly limitMax?: number | undefined;
  /** search.text_backend, default `index`. */
  readonly textBackend?: TextBackend | undefined;
  /** search.label_predicates: IRIs of predicates whose values are names. */
  readonly labelPredicates?: readonly string[] | undefined;
  /** query.memory_budget_mb in bytes. */
  readonly memoryBytes?: number | undefined;
}

/** Which entities may be found. */
export interface ScopeOptions {
  /** Entities that an episode of one of these groups wrote; empty = all. */
  readonly groupIds?: readonly string[] | undefined;
  /** IRI of a class; the instances of classes below it count unless `inference` is false. */
  readonly entityType?: string | undefined;
  /** query.subclass_inference, default true. */
  readonly inference?: boolean | undefined;
}

export interface NodeSearchOptions extends SearchOptions, ScopeOptions {
  /** What of an entity counts: its IRI, its names, its literals, the IRIs that it points at; default all of it. */
  readonly kinds?: readonly MatchKind[] | undefined;
  /** Facts that are shown of each entity; default none. */
  readonly maxFactsPerEntity?: number | undefined;
}

/** Entities by name: `typeText` is a text in the IRI of one of its types. */
export interface NamedNodeOptions extends SearchOptions, Meant, Pick<ScopeOptions, 'groupIds' | 'inference'> {
  readonly typeText?: string | undefined;
}

/** `entityType` is that of the source. */
export interface FactSearchOptions extends SearchOptions, ScopeOptions {}

/** By what texts are compared by their meaning. */
export interface Meant {
  /** Makes vectors of texts; absent = texts are not compared by their meaning. */
  readonly provider?: EmbeddingProvider | null | undefined;
  /** vector.backend, default `brute`: exact. */
  readonly vectorBackend?: VectorBackend | undefined;
}

/** By a vector: that of the question, or what the provider makes of its text. */
export interface VectorSearchOptions extends SearchOptions, ScopeOptions, Meant {
  readonly query?: string | undefined;
  readonly embedding?: readonly number[] | undefined;
}

export interface HybridSearchOptions extends VectorSearchOptions {
  /** A SELECT whose first variable gives the entities that may be found. */
  readonly sparql?: string | undefined;
  /** @internal How the query is answered; absent = as the library answers one. */
  readonly asked?: EngineQuery | undefined;
}

export interface ContextOptions extends Omit<SearchOptions, 'limit' | 'offset'>, ScopeOptions, Meant {
  /** Clamped to 1..`limitMax`; default 20. */
  readonly maxEntities?: number | undefined;
  /** Entries of them to pass over first. */
  readonly offset?: number | undefined;
  /** With the entities beside those that are found; default true. */
  readonly expandLinks?: boolean | undefined;
  /** Ordered by PageRank that restarts at what was found; default false. */
  readonly pprRerank?: boolean | undefined;
  /** Default 20. */
  readonly maxFactsPerEntity?: number | undefined;
  /** `predicate` (default): by IRI of predicate, then value. `telling`: the most telling first. */
  readonly factOrder?: FactOrder | undefined;
  /** How text and vectors become one order; default `default`. */
  readonly ranking?: Ranking | undefined;
  /** In place of what the provider makes of the text. */
  readonly embedding?: readonly number[] | undefined;
}

export const LIMIT_DEFAULT = 10;
export const LIMIT_MAX = 1000;
export const ENTITIES_DEFAULT = 20;
export const CONTEXT_FACTS_DEFAULT = 20;
/** Of one entity in one answer. */
export const FACTS_MAX = 10_000;

/** A limit of a search (semantics of reasoning, 0.2). */
export function clampSearchLimit(limit: number | undefined, byDefault: number, most = LIMIT_MAX): number {
  return Math.min(Math.max(limit ?? byDefault, 1), most);
}

export function checkSearch(query: unknown, { textBackend, labelPredicates }: SearchOptions): asserts query is string {
  checkText(query);
  checkWord('textBackend', textBackend, TEXT_BACKENDS);
  if (labelPredicates !== undefined && !Array.isArray(labelPredicates)) {
    throw new SvcError('invalid_request', 'labelPredicates: expected a list of IRIs');
  }
}

export function checkKinds(kinds: readonly MatchKind[] | undefined): void {
  for (const kind of kinds ?? []) checkWord('kinds', kind, MATCH_KINDS);
}

export function checkContext({ ranking, factOrder }: ContextOptions): void {
  checkWord('ranking', ranking, RANKINGS);
  checkWord('fact_order', factOrder, FACT_ORDERS);
}

/** An empty text, or one of white space, is no question (ruling R40). */
function checkText(query: unknown): void {
  if (typeof query !== 'string' || query === '') throw new SvcError('invalid_request', "missing 'query' parameter");
  if (query.trim() !== '') return;
  throw new SvcError('invalid_request', "'query' is white space; expected a text to search for");
}

function checkWord(name: string, word: string | undefined, words: readonly string[]): void {
  if (word === undefined || words.includes(word)) return;
  throw new SvcError('invalid_request', `'${name}': there is no '${word}'; expected ${words.join(', ')}`);
}
