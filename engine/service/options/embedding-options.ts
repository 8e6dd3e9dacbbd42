/** What makes the vectors of a store, as callers of the library and the configuration say it. */

import { SvcError } from '../../base/errors.js';
import type { ProviderChoice } from '../../search/embeddings/open-provider.js';
import type { EmbeddingProvider } from '../../search/embeddings/provider.js';
import type { Configuration } from '../configuration/configuration.js';

export interface EmbeddingOptions {
  /** A service, a model that runs here, or an object of the caller's that makes vectors. */
  readonly provider: ProviderChoice | EmbeddingProvider;
  /** What writes change is embedded behind them; default false. */
  readonly autoEmbed?: boolean | undefined;
  /** Texts that are embedded between two writes of vectors; default 32. */
  readonly batchSize?: number | undefined;
}

/** Undefined where no provider is configured. */
export function embeddingOptions({ embedding }: Pick<Configuration, 'embedding'>): EmbeddingOptions | undefined {
  const provider = choiceOf(embedding);
  if (provider === null) return undefined;
  return { provider, autoEmbed: embedding.auto_embed, batchSize: embedding.embed_batch_size };
}

function choiceOf(embedding: Configuration['embedding']): ProviderChoice | null {
  const { provider: kind, dimension, model } = embedding;
  switch (kind) {
    case 'none':
      return null;
    case 'http': {
      const { url, api_key_env: apiKeyEnv, timeout_ms: timeoutMs, embed_batch_size: batchSize } = embedding;
      const [at, named] = [needed(url, 'url', kind), needed(model, 'model', kind)];
      return { kind, url: at, model: named, dimension, apiKeyEnv, timeoutMs, batchSize };
    }
    case 'onnx': {
      const { model_path: path, tokenizer_path: tokens, max_sequence_length: maxSequenceLength } = embedding;
      const [modelPath, tokenizerPath] = [needed(path, 'model_path', kind), needed(tokens, 'tokenizer_path', kind)];
      return { kind, modelPath, tokenizerPath, model, dimension, maxSequenceLength };
    }
  }
}

function needed(value: string | undefined, key: string, kind: string): string {
  if (value !== undefined) return value;
  throw new SvcError('configuration', `embedding.provider = "${kind}" needs embedding.${key}`);
}
