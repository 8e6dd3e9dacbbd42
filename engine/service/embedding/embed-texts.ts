/**
 * Makes vectors of texts of entities and has them put into the store, a batch at a time. Where the provider refuses a batch
 * for its texts, halves of it are tried, down to the text that is refused; where it fails altogether, that is thrown.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { EmbeddingFailure, type EmbeddingProvider } from '../../search/embeddings/provider.js';
import type { EntityText } from '../../storage/indexes/vectors/entity-text.js';
import type { PutReport } from '../../storage/indexes/vectors/put-vectors.js';
import type { NewVector } from '../../storage/indexes/vectors/vector-reader.js';

export interface VectorSink {
  put(model: string, dimension: number, vectors: readonly NewVector[]): Promise<PutReport>;
}

/** What became of some texts. */
export interface EmbeddedTexts {
  /** Vectors that were put. */
  embedded: number;
  /** Texts that the provider refuses. */
  failed: number;
  /** Their entities have another text by now, or a vector already. */
  passed: number;
  /** Why the last of those failed. */
  failure: EmbeddingFailure | null;
}

/** Counts into `outcome` what is done, batch by batch; what was put stays where a later batch throws. */
export async function embedTexts(
  provider: EmbeddingProvider,
  sink: VectorSink,
  texts: readonly EntityText[],
  { batchSize, outcome, control }: EmbeddingRun,
): Promise<void> {
  for (let from = 0; from < texts.length; from += batchSize) {
    throwIfStopped(control, 'the embedding of texts');
    const vectors: NewVector[] = [];
    try {
      await embedBatch(provider, texts.slice(from, from + batchSize), vectors, outcome, control);
    } finally {
      if (vectors.length > 0) {
        const { put, stale, present } = await sink.put(provider.model, provider.dimension, vectors);
        outcome.embedded += put;
        outcome.passed += stale + present;
      }
    }
  }
}

export interface EmbeddingRun {
  readonly batchSize: number;
  readonly outcome: EmbeddedTexts;
  readonly control: Control;
}

async function embedBatch(
  provider: EmbeddingProvider,
  texts: readonly EntityText[],
  into: NewVector[],
  outcome: EmbeddedTexts,
  control: Control,
): Promise<void> {
  let vectors: readonly Float32Array[];
  try {
    vectors = await provider.embed(
      texts.map(({ text }) => text),
      control,
    );
  } catch (error) {
    if (!(error instanceof EmbeddingFailure && error.ofTexts)) throw error;
    if (texts.length === 1) {
      outcome.failed++;
      outcome.failure = error;
      return;
    }
    const half = Math.ceil(texts.length / 2);
    await embedBatch(provider, texts.slice(0, half), into, outcome, control);
    await embedBatch(provider, texts.slice(half), into, outcome, control);
    return;
  }
  if (vectors.length !== texts.length) {
    throw new SvcError(
      'embedding_unavailable',
      `the provider gave ${vectors.length} vectors for ${texts.length} texts`,
    );
  }
  for (const [at, { entity, hash }] of texts.entries()) {
    const vector = vectors[at] as Float32Array;
    if (vector.length !== provider.dimension) {
      const message = `the provider gave a vector of ${vector.length} numbers instead of ${provider.dimension}`;
      throw new SvcError('embedding_unavailable', message);
    }
    into.push({ entity, textHash: hash, vector });
  }
}
