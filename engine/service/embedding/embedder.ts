/** The provider of a store, opened with the first text that needs a vector. */

import { SvcError, showValue } from '../../base/errors.js';
import type { ProviderChoice } from '../../search/embeddings/open-provider.js';
import type { EmbeddingProvider } from '../../search/embeddings/provider.js';
import type { EmbeddingOptions } from '../options/embedding-options.js';

const BATCH_SIZE = 32;
const BATCH_SIZE_MAX = 2048;

/** What was embedded since the store was opened, by whatever way. */
export interface EmbeddingFigures {
  embedded: number;
  failed: number;
  /** Entities that a backfill has not reached; 0 where none is under way or left something. */
  remaining: number;
}

export class Embedder {
  readonly figures: EmbeddingFigures = { embedded: 0, failed: 0, remaining: 0 };
  /** Told of what fails behind writes. */
  onError: ((error: unknown) => void) | undefined;
  /** A backfill is under way. */
  isBusy = false;
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
    this.#opened ??= open(provider).catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  /** One of the caller's own stays open. */
  async close(): Promise<void> {
    // One that could not be opened was told to whoever asked for it, and there is nothing to close.
    const opened = await this.#opened?.catch(() => null);
    this.#opened = null;
    await opened?.close();
  }
}

/** Loaded with the first text: most processes embed none. */
async function open(choice: ProviderChoice): Promise<EmbeddingProvider> {
  const { openProvider } = await import('../../search/embeddings/open-provider.js');
  return openProvider(choice);
}

/** For what the library was given. */
export function checkEmbeddings(given: EmbeddingOptions | undefined): void {
  if (given === undefined) return;
  const { provider, batchSize = BATCH_SIZE } = given;
  const kind = (provider as Partial<EmbeddingProvider> | undefined)?.kind;
  const isOwn = typeof (provider as Partial<EmbeddingProvider> | undefined)?.embed === 'function';
  if (!isOwn && kind !== 'http' && kind !== 'onnx') {
    const message = `embeddings.provider: ${showValue(provider)} is none; expected kind 'http' or 'onnx', or an object with embed()`;
    throw new SvcError('invalid_request', message);
  }
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > BATCH_SIZE_MAX) {
    const message = `embeddings.batchSize is ${showValue(batchSize)}; expected an integer from 1 to ${BATCH_SIZE_MAX}`;
    throw new SvcError('invalid_request', message);
  }
}
