/** The searches of one store as a principal reads it. */

import type { Stop } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { ClassHierarchies } from '../../query/inference/hierarchy.js';
import { type AsOf, checkAsOf } from '../../query/registry/frozen.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';
import { MemoryBound } from '../../reason/graph/memory-bound.js';
import { Pace } from '../../reason/graph/pace.js';
import type { Projections } from '../../reason/graph/projections.js';
import { type Context, type ContextMeans, readContext } from '../../search/context/context.js';
import type { EmbeddingProvider } from '../../search/embeddings/provider.js';
import { type FoundFacts, findFacts } from '../../search/facts.js';
import { matcherOf } from '../../search/match/matchers.js';
import { scopeOf } from '../../search/match/scope.js';
import { labelIds } from '../../search/names/label-predicates.js';
import { type FoundNodes, findNodes } from '../../search/nodes.js';
import type { VectorReader } from '../../storage/indexes/vectors/vector-reader.js';
import type { IdColumn, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { checkCount } from '../facts/paging.js';
import { type TimeOptions, toTimeSlice } from '../options/store-options.js';
import { ranksFrom, rootProjection } from './graph-ranks.js';
import {
  CONTEXT_FACTS_DEFAULT,
  type ContextOptions,
  checkContext,
  checkSearch,
  clampSearchLimit,
  ENTITIES_DEFAULT,
  FACTS_MAX,
  type FactSearchOptions,
  LIMIT_DEFAULT,
  type NodeSearchOptions,
  type ScopeOptions,
  type SearchOptions,
} from './search-options.js';

/** What a store gives to its searches. */
export interface SearchStore {
  readonly baseNamespace: string;
  readonly asOf: AsOf;
  projections(): Promise<Projections>;
  /** Null = none is configured. */
  readonly provider: EmbeddingProvider | null;
  vectorsAt(snapshot: StorageSnapshot): VectorReader;
}

/** Whether there are vectors to search by. */
export interface EmbeddingState {
  /** There is a provider. */
  readonly configured: boolean;
  readonly embeddedEntities: number;
  /** Why vectors had no part. */
  readonly error?: string | undefined;
}

export interface ContextSummary {
  readonly totalEntities: number;
  readonly totalFacts: number;
  readonly directHits: number;
  readonly linkedAdditions: number;
  readonly embeddings: EmbeddingState;
  /** Before the cut. */
  readonly entitiesConsidered: number;
  readonly entitiesWithMoreFacts: number;
}

export interface FoundContext {
  readonly entities: Context['entities'];
  readonly summary: ContextSummary;
  /** There are more entities. */
  readonly truncated: boolean;
}

const WHAT = 'the search';

export class Searches {
  readonly #hierarchies = new ClassHierarchies();

  constructor(private readonly store: SearchStore) {}

  async nodes(snapshot: StorageSnapshot, query: string, options: NodeSearchOptions): Promise<FoundNodes> {
    checkSearch(query, options);
    const asked = await this.#asked(snapshot, query, options);
    const request = { ...asked, factsMax: options.maxFactsPerEntity ?? 0 };
    return findNodes(snapshot, matcherOf(options.textBackend ?? 'index'), request, options);
  }

  async facts(snapshot: StorageSnapshot, query: string, options: FactSearchOptions): Promise<FoundFacts> {
    checkSearch(query, options);
    const asked = await this.#asked(snapshot, query, options);
    const { groupIds = [] } = options;
    const request = { ...asked, groupIds, baseNamespace: this.store.baseNamespace };
    return findFacts(snapshot, matcherOf(options.textBackend ?? 'index'), request, options);
  }

  async context(snapshot: StorageSnapshot, query: string, options: ContextOptions): Promise<FoundContext> {
    checkSearch(query, options);
    checkContext(options);
    const { maxEntities, limitMax, offset = 0, expandLinks = true, pprRerank = false } = options;
    checkCount(offset, 'offset');
    const { factOrder = 'predicate', ranking = 'default', maxFactsPerEntity: facts = CONTEXT_FACTS_DEFAULT } = options;
    const time = this.#time(snapshot, options);
    const request = {
      query: this.#text(query, options),
      maxEntities: offset + clampSearchLimit(maxEntities, ENTITIES_DEFAULT, limitMax),
      expandLinks,
      pprRerank,
      factsMax: Math.min(Math.max(facts, 0), FACTS_MAX),
      factOrder,
      ranking,
      time,
      labels: labelIds(snapshot, options.labelPredicates),
      scope: await this.#scope(snapshot, time, options),
    };
    const embeddings = this.#embeddings(snapshot);
    const means = this.#means(snapshot, time, options);
    const { entities, considered } = await readContext(snapshot, request, means, options);
    const shown = entities.slice(offset);
    return {
      entities: shown,
      summary: summaryOf(shown, considered, embeddings),
      truncated: considered > entities.length,
    };
  }

  /** What text searches have in common. */
  async #asked(snapshot: StorageSnapshot, query: string, options: SearchOptions & ScopeOptions) {
    const { offset = 0 } = options;
    checkCount(offset, 'offset');
    const time = this.#time(snapshot, options);
    return {
      query: this.#text(query, options),
      time,
      labels: labelIds(snapshot, options.labelPredicates),
      scope: await this.#scope(snapshot, time, options),
      offset,
      limit: clampSearchLimit(options.limit, LIMIT_DEFAULT, options.limitMax),
    };
  }

  #text(query: string, { textBackend = 'index' }: Pick<SearchOptions, 'textBackend'>): string {
    return textBackend === 'index' ? query.trim().normalize('NFC') : query;
  }

  #time(snapshot: StorageSnapshot, options: TimeOptions): TimeSlice {
    const time = toTimeSlice(options, snapshot.tx);
    checkAsOf(snapshot, time, this.store.asOf);
    return time;
  }

  async #scope(snapshot: StorageSnapshot, time: TimeSlice, options: ScopeOptions & Stop): Promise<IdColumn | null> {
    const { groupIds, entityType, inference = true } = options;
    checkIri('entity_type', entityType);
    const { baseNamespace } = this.store;
    return scopeOf(snapshot, { groupIds, entityType, inference, baseNamespace }, time, this.#hierarchies, options);
  }

  #means(snapshot: StorageSnapshot, time: TimeSlice, options: ContextOptions): ContextMeans {
    const limits = { pace: new Pace(options, WHAT), memory: new MemoryBound(options.memoryBytes) };
    return {
      matcher: matcherOf(options.textBackend ?? 'index'),
      nearest: null,
      ranks: async (seeds) => {
        const projection = await rootProjection(snapshot, await this.store.projections(), time, limits);
        return ranksFrom(projection, seeds, limits);
      },
    };
  }

  #embeddings(snapshot: StorageSnapshot): EmbeddingState {
    const { provider } = this.store;
    return { configured: provider !== null, embeddedEntities: this.store.vectorsAt(snapshot).embedded };
  }
}

function summaryOf(entities: Context['entities'], considered: number, embeddings: EmbeddingState): ContextSummary {
  const count = (relevance: string): number => entities.filter((one) => one.relevance === relevance).length;
  return {
    totalEntities: entities.length,
    totalFacts: entities.reduce((sum, { facts }) => sum + facts.length, 0),
    directHits: count('Direct'),
    linkedAdditions: count('Linked'),
    embeddings,
    entitiesConsidered: considered,
    entitiesWithMoreFacts: entities.filter(({ factsCapped }) => factsCapped).length,
  };
}

export function checkIri(field: string, iri: string | undefined): void {
  const fault = iri === undefined ? null : iriFault(iri);
  if (fault !== null) throw new SvcError('invalid_request', `'${field}': <${iri}> ${fault}`);
}
