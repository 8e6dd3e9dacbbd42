/** Vectors of texts that are compared with those of a store. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { embedQuestion } from '../../search/embeddings/embed-question.js';
import type { VectorReader } from '../../storage/indexes/vectors/vector-reader.js';
import type { Embedder } from './embedder.js';

/**
 * One for each text; null where there is nothing to compare with. Throws `embedding_unavailable` where the provider fails,
 * and `invalid_request` where the vectors of the store are of another model.
 */
export async function questionVectors(
  embedder: Embedder | null,
  { model, dimension, embedded }: Pick<VectorReader, 'model' | 'dimension' | 'embedded'>,
  texts: readonly string[],
  control: Control,
): Promise<readonly Float32Array[] | null> {
  if (embedder === null || model === null || embedded === 0 || texts.length === 0) return null;
  const provider = await embedder.provider();
  if (provider.model !== model || provider.dimension !== dimension) {
    const message = `the vectors of the store are of the model ${JSON.stringify(model)} (${dimension} numbers), and the provider has ${JSON.stringify(provider.model)} (${provider.dimension})`;
    throw new SvcError('invalid_request', message, { hint: 'svc migrate-vectors makes them anew' });
  }
  return embedQuestion(provider, texts, control);
}
