/** The searches of one store as a principal reads it. */

import { type Stop, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { ClassHierarchies } from '../../query/inference/hierarchy.js';
import { type AsOf, checkAsOf } from '../../query/registry/frozen.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';
import type { Term } from '../../rdf/terms.js';
import { MemoryBound } from '../../reason/graph/memory-bound.js';
import { Pace } from '../../reason/graph/pace.js';
import type { Projections } from '../../reason/graph/projections.js';
import { type Context, type ContextMeans, readContext } from '../../search/context/context.js';
import { valueText } from '../../search/context/entity-card.js';
import type { EmbeddingProvider } from '../../search/embeddings/provider.js';
import { type FoundFacts, findFacts } from '../../search/facts.js';
import { labelIds } from '../../search/labels/label-predicates.js';
import { intersection } from '../../search/match/entity-set.js';
import { matcherOf } from '../../search/match/matchers.js';
import { checkQueryLength } from '../../search/match/query-length.js';
import { scopeOf } from '../../search/match/scope.js';
import { MATCH_KINDS, type TextBackend, type TextMatcher } from '../../search/match/text-matcher.js';
import { type FoundNames, findNamedNodes } from '../../search/named-nodes.js';
import { type FoundNodes, findNodes } from '../../search/nodes.js';
import { textsOf } from '../../storage/indexes/vectors/entity-text.js';
import type { NearestEntity, VectorReader } from '../../storage/indexes/vectors/vector-reader.js';
import { VECTORS } from '../../storage/indexes/vectors/vectors.js';
import { decodeIds, ROOT_ONLY } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { checkCount } from '../facts/paging.js';
import { showInstant, type TimeOptions, toTimeSlice } from '../options/store-options.js';
import type { EngineQuery, QueryAnswer } from '../reads/query.js';
import { ranksFrom, rootProjection } from './graph-ranks.js';
import { LostVectors, momentOf, nearestAt, type Question, vectorOf } from './near.js';
import { NO_VECTORS } from './no-vectors.js';
import {
  CONTEXT_FACTS_DEFAULT,
  type ContextOptions,
  checkContext,
  checkKinds,
  checkSearch,
  clampSearchLimit,
  ENTITIES_DEFAULT,
  FACTS_MAX,
  type FactSearchOptions,
  LIMIT_DEFAULT,
  type Meant,
  type NamedNodeOptions,
  type NodeSearchOptions,
  type ScopeOptions,
  type SearchOptions,
  type VectorSearchOptions,
} from './search-options.js';

/** What a store gives to its searches. */
export interface SearchStore {
  readonly baseNamespace: string;
  readonly asOf: AsOf;
  projections(): Promise<Projections>;
  /** ROOT may be read. */
  readonly readsRoot: boolean;
  /** What makes vectors of texts; null = nothing. */
  provider(): Promise<EmbeddingProvider | null>;
  /** A text is searched for in the index. */
  wantTexts(): void;
  /** Answers a query from the snapshot, which stays open. */
  answerQuery(snapshot: StorageSnapshot, sparql: string, asked: EngineQuery): Promise<QueryAnswer>;
}

export interface NearEntity {
  readonly iri: string;
  /** Of which its vector is made. */
  readonly text: string;
  /** Cosine. */
  readonly score: number;
  readonly validFrom: string;
  /** Null = still valid. */
  readonly validTo: string | null;
}

export interface VectorSearch {
  readonly results: readonly NearEntity[];
  /** There are more. */
  readonly truncated: boolean;
  /** Groups or a type narrowed what may be found. */
  readonly scoped: boolean;
  readonly embeddings: EmbeddingState;
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

/** What vectors say of a question. */
interface Nearness extends Pick<ContextMeans, 'nearest' | 'vectorsOf'> {
  state(): EmbeddingState;
}

const WHAT = 'the search';

export class Searches {
  readonly #hierarchies = new ClassHierarchies();

  constructor(private readonly store: SearchStore) {}

  async nodes(snapshot: StorageSnapshot, query: string, options: NodeSearchOptions): Promise<FoundNodes> {
    checkSearch(query, options);
    checkKinds(options.kinds);
    const asked = await this.#asked(snapshot, query, options);
    const { kinds = MATCH_KINDS, maxFactsPerEntity: factsMax = 0 } = options;
    const request = { ...asked, kinds, factsMax };
    return findNodes(snapshot, this.#matcher(options.textBackend), request, options);
  }

  async namedNodes(snapshot: StorageSnapshot, query: string, options: NamedNodeOptions): Promise<FoundNames> {
    checkSearch(query, options);
    const { typeText, textBackend = 'index' } = options;
    const asked = await this.#asked(snapshot, query, options);
    const request = { ...asked, typeText, baseNamespace: this.store.baseNamespace };
    const { nearest } = await this.#nearness(snapshot, asked.time, { query, ...options });
    return findNamedNodes(snapshot, this.#matcher(textBackend), nearest, request, options);
  }

  async facts(snapshot: StorageSnapshot, query: string, options: FactSearchOptions): Promise<FoundFacts> {
    checkSearch(query, options);
    const asked = await this.#asked(snapshot, query, options);
    const { groupIds = [] } = options;
    const request = { ...asked, groupIds, baseNamespace: this.store.baseNamespace };
    return findFacts(snapshot, this.#matcher(options.textBackend), request, options);
  }

  /** `candidates` narrow what may be found further. */
  async near(
    snapshot: StorageSnapshot,
    options: VectorSearchOptions,
    candidates: IdColumn | null = null,
  ): Promise<VectorSearch> {
    const { offset = 0, groupIds = [], entityType, vectorBackend: backend = 'brute' } = options;
    checkCount(offset, 'offset');
    const limit = clampSearchLimit(options.limit, LIMIT_DEFAULT, options.limitMax);
    const time = this.#time(snapshot, options);
    const reader = this.#vectors(snapshot, time);
    const provider = await this.#provider(options);
    const vector = await vectorOf(options, provider, reader, options);
    const scope = await this.#scope(snapshot, time, options);
    const within = scope === null || candidates === null ? (scope ?? candidates) : intersection(scope, candidates);
    const asked = { vector, limit: offset + limit + 1, time, candidates: within ?? undefined, backend };
    const found = await nearestAt(reader, asked, options);
    return {
      results: this.#shown(snapshot, found.slice(offset, offset + limit), time),
      truncated: found.length > offset + limit,
      scoped: groupIds.length > 0 || entityType !== undefined,
      embeddings: stateOf(provider, reader),
    };
  }

  #shown(snapshot: StorageSnapshot, found: readonly NearestEntity[], time: TimeSlice): NearEntity[] {
    const ids = found.map(({ entity }) => entity);
    const names = decodeIds(snapshot, ids);
    const texts = new Map(textsOf(snapshot, ids, time).map(({ entity, text }) => [entity, text]));
    return found.map(({ entity, score, validFrom, validTo }, at) => {
      const iri = valueText(names[at] as Term);
      const text = texts.get(entity) ?? iri;
      return {
        iri,
        text,
        score,
        validFrom: showInstant(validFrom),
        validTo: validTo === null ? null : showInstant(validTo),
      };
    });
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
      maxEntities: clampSearchLimit(maxEntities, ENTITIES_DEFAULT, limitMax),
      offset,
      laterMax: clampSearchLimit(Number.MAX_SAFE_INTEGER, ENTITIES_DEFAULT, limitMax),
      expandLinks,
      pprRerank,
      factsMax: Math.min(Math.max(facts, 0), FACTS_MAX),
      factOrder,
      ranking,
      time,
      labels: labelIds(snapshot, options.labelPredicates),
      scope: await this.#scope(snapshot, time, options),
    };
    const nearness = await this.#nearness(snapshot, time, { query, ...options });
    const means = this.#means(snapshot, time, nearness, options);
    const { entities, considered, isCut } = await readContext(snapshot, request, means, options);
    return { entities, summary: summaryOf(entities, considered, nearness.state()), truncated: isCut };
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

  /** One of the call's own, or that of the store. */
  async #provider({ provider }: Meant): Promise<EmbeddingProvider | null> {
    return provider === undefined ? this.store.provider() : provider;
  }

  #matcher(backend: TextBackend = 'index'): TextMatcher {
    if (backend === 'index') this.store.wantTexts();
    return matcherOf(backend);
  }

  #text(query: string, { textBackend = 'index' }: Pick<SearchOptions, 'textBackend'>): string {
    if (textBackend !== 'index') return query;
    const text = query.trim().normalize('NFC');
    checkQueryLength(text, "'query'");
    return text;
  }

  #time(snapshot: StorageSnapshot, options: TimeOptions & Stop): TimeSlice {
    throwIfStopped(options, WHAT);
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

  #means(snapshot: StorageSnapshot, time: TimeSlice, { nearest, vectorsOf }: Nearness, options: ContextOptions) {
    const limits = { pace: new Pace(options, WHAT), memory: new MemoryBound(options.memoryBytes) };
    const ranks: ContextMeans['ranks'] = async (seeds, damping) => {
      const projection = await rootProjection(snapshot, await this.store.projections(), time, limits);
      return ranksFrom(projection, seeds, limits, damping);
    };
    return { matcher: this.#matcher(options.textBackend), nearest, vectorsOf, ranks };
  }

  /**
   * How near entities are to a question. A text goes without where its vector can't be had, or those of the store can't be
   * read, and the state, which is asked for after the search, says why.
   */
  async #nearness(snapshot: StorageSnapshot, time: TimeSlice, options: Question & Stop & Meant): Promise<Nearness> {
    const provider = await this.#provider(options);
    const lost = new LostVectors(options.embedding !== undefined);
    const reader = await lost.read(NO_VECTORS, async () => this.#vectors(snapshot, time));
    const hasQuestion = options.embedding !== undefined || (provider !== null && reader.embedded > 0);
    const vector = hasQuestion ? await lost.given(() => vectorOf(options, provider, reader, options)) : null;
    const backend = options.vectorBackend ?? 'brute';
    const nearest: ContextMeans['nearest'] =
      vector === null
        ? null
        : (limit, candidates) =>
            lost.read([], () => nearestAt(reader, { vector, limit, time, candidates, backend }, options));
    return {
      nearest,
      vectorsOf: (entities) => lost.read(new Map(), () => reader.vectorsOf({ entities, ...momentOf(time) })),
      state: () => ({ ...stateOf(provider, reader), ...lost.told }),
    };
  }

  /** The vectors of ROOT, where it may be read. */
  #vectors(snapshot: StorageSnapshot, time: TimeSlice): VectorReader {
    if (!this.store.readsRoot) return NO_VECTORS;
    // Whoever judges reads is asked.
    snapshot.estimate({ graphs: ROOT_ONLY, pattern: {}, time });
    return VECTORS.at(snapshot.indexView());
  }
}

function stateOf(provider: EmbeddingProvider | null, { embedded }: VectorReader): EmbeddingState {
  return { configured: provider !== null, embeddedEntities: embedded };
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
