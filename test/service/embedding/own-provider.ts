/** A provider inside the test: vectors by `vectorOfText`, and failures as a test says. */

import { EmbeddingFailure, type EmbeddingProvider } from '../../../engine/search/embeddings/provider.js';
import { vectorOfText } from '../../search/embeddings/fake-service.js';

export const DIMENSION = 16;

export interface OwnProvider extends EmbeddingProvider {
  /** Texts of each call. */
  readonly calls: readonly (readonly string[])[];
}

/** `fail` gets the texts of each call and its number from 1; what it returns is thrown. */
export function ownProvider(
  fail: (texts: readonly string[], call: number) => Error | undefined = () => undefined,
  model = 'words',
  dimension = DIMENSION,
): OwnProvider {
  const calls: (readonly string[])[] = [];
  return {
    kind: 'own',
    model,
    dimension,
    calls,
    async embed(texts) {
      calls.push(texts);
      const failure = fail(texts, calls.length);
      if (failure !== undefined) throw failure;
      return texts.map((text) => Float32Array.from(vectorOfText(text, dimension)));
    },
    close: async () => undefined,
  };
}

export const gone = (): EmbeddingFailure => new EmbeddingFailure('the provider is gone', false);
export const refused = (): EmbeddingFailure => new EmbeddingFailure('the provider refuses the text', true);
