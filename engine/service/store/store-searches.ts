/** The searches of a store, one method each; what they do stands in files of its own, which are loaded with the first. */

import type { FoundFacts } from '../../search/facts.js';
import type { FoundNames } from '../../search/named-nodes.js';
import type { FoundNodes } from '../../search/nodes.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { StoreQueries } from '../reads/store-queries.js';
import type { HybridSearch } from '../search/hybrid-search.js';
import type {
  ContextOptions,
  FactSearchOptions,
  HybridSearchOptions,
  NamedNodeOptions,
  NodeSearchOptions,
  VectorSearchOptions,
} from '../search/search-options.js';
import type { FoundContext, Searches, SearchStore, VectorSearch } from '../search/searches.js';

export abstract class StoreSearches extends StoreQueries {
  #searches: Searches | null = null;

  /** @internal Work on a snapshot of its own. */
  protected abstract reading<Result>(read: (snapshot: StorageSnapshot) => Result | Promise<Result>): Promise<Result>;
  /** @internal A text is searched for. */
  wantTexts(): void {
    // Who only reads makes no index.
  }

  /** @internal What the store gives to its searches. */
  protected abstract searchStore(): SearchStore;

  /** Entities that a text stands in, with their names and types, the best first. */
  async searchNodes(query: string, options: NodeSearchOptions = {}): Promise<FoundNodes> {
    return this.reading(async (snapshot) => (await this.#searching()).nodes(snapshot, query, options));
  }

  /** Entities whose names hold a text, with their facts; those that vectors find come first. */
  async namedNodes(query: string, options: NamedNodeOptions = {}): Promise<FoundNames> {
    return this.reading(async (snapshot) => (await this.#searching()).namedNodes(snapshot, query, options));
  }

  /** Facts whose predicate or value holds a text, by source, predicate and target. */
  async searchFacts(query: string, options: FactSearchOptions = {}): Promise<FoundFacts> {
    return this.reading(async (snapshot) => (await this.#searching()).facts(snapshot, query, options));
  }

  /** Entities near to a vector, or to what the provider makes of a text, the nearest first. */
  async search(options: VectorSearchOptions): Promise<VectorSearch> {
    return this.reading(async (snapshot) => (await this.#searching()).near(snapshot, options));
  }

  /** The same among the entities that a query finds, all of it in one state of the store. */
  async hybridSearch(options: HybridSearchOptions): Promise<HybridSearch> {
    return this.reading(async (snapshot) => {
      const { hybridSearch } = await import('../search/hybrid-search.js');
      const searches = await this.#searching();
      return hybridSearch(snapshot, searches, this.searchStore(), options);
    });
  }

  /** What the store knows around a text: entities that it stands in, those beside them, those near to it, with facts. */
  async context(query: string, options: ContextOptions = {}): Promise<FoundContext> {
    return this.reading(async (snapshot) => (await this.#searching()).context(snapshot, query, options));
  }

  async #searching(): Promise<Searches> {
    const { Searches: Made } = await import('../search/searches.js');
    this.#searches ??= new Made(this.searchStore());
    return this.#searches;
  }
}
