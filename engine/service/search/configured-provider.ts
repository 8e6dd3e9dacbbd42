/** The provider of embeddings that a configuration names, made once in each thread that asks it. */

import { getOrInsert } from '../../base/maps.js';
import type { EmbeddingProvider } from '../../search/embeddings/provider.js';
import type { Configuration } from '../configuration/configuration.js';

const made = new WeakMap<Configuration, Promise<EmbeddingProvider | null>>();

/** Null where none is configured. */
export function configuredProvider(configuration: Configuration): Promise<EmbeddingProvider | null> {
  return getOrInsert(made, configuration, () => open(configuration));
}

async function open({ embedding }: Configuration): Promise<EmbeddingProvider | null> {
  if (embedding.provider === 'none') return null;
  const { openProvider } = await import('../../search/embeddings/open-provider.js');
  return openProvider(embedding);
}
