/** The provider of a store, opened with the first text that needs a vector. */

import { openProvider } from '../../search/embeddings/open-provider.js';
import type { EmbeddingProvider } from '../../search/embeddings/provider.js';
import { BATCH_SIZE, type EmbeddingOptions } from '../options/embedding-options.js';

export class Embedder {
  readonly autoEmbed: boolean;
  readonly batchSize: number;
  #opened: Promise<EmbeddingProvider> | null = null;

  constructor(private readonly options: EmbeddingOptions) {
    const { autoEmbed = false, batchSize = BATCH_SIZE } = options;
    this.autoEmbed = autoEmbed;
    this.batchSize = batchSize;
  }

  /** Throws `configuration` where it can't be opened; the next call tries again. */
  provider(): Promise<EmbeddingProvider> {
    const { provider } = this.options;
    if ('embed' in provider) return Promise.resolve(provider);
    this.#opened ??= openProvider(provider).catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  /** One of the caller's own stays open. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => null);
    this.#opened = null;
    await opened?.close();
  }
}
