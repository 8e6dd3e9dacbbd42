/**
 * The backfill: gives a vector to every entity that has a text and none. It goes over the entities in the order of their ids
 * and puts vectors batch by batch, so one that is stopped, or whose provider fails, has lost nothing: the next one finds what
 * is left. Entities are counted first, so that it can tell how far it is.
 */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { EmbeddingFailure, EmbeddingProvider } from '../../search/embeddings/provider.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { type EmbeddedTexts, embedTexts, type VectorSink } from './embed-texts.js';
import { missingTexts } from './missing-texts.js';

export interface BackfillReport {
  /** Entities that got a vector. */
  readonly embedded: number;
  /** Entities that have a text and no vector now, those that failed among them. */
  readonly remaining: number;
  /** Entities whose texts the provider refused, or whose batch it failed at. */
  readonly failed: number;
  /** Why it ended early, or why the last text was refused. */
  readonly failure: SvcError | null;
}

export interface BackfillMeans extends VectorSink {
  snapshot(): StorageSnapshot;
  /** Told of each step. */
  readonly onStep?: ((done: Omit<BackfillReport, 'failure'>) => void) | undefined;
}

/** Throws when it is cancelled, or the store fails; what the provider does is told in the report. */
export async function backfill(
  provider: EmbeddingProvider,
  means: BackfillMeans,
  batchSize: number,
  control: Control,
): Promise<BackfillReport> {
  const began = Date.now();
  const open = (): StorageSnapshot => means.snapshot();
  let total = 0;
  for await (const texts of missingTexts(open, control)) total += texts.length;
  const outcome: EmbeddedTexts = { embedded: 0, failed: 0, passed: 0, failure: null };
  const report = (failure: SvcError | null, lost = 0): BackfillReport => {
    const { embedded, failed, passed } = outcome;
    const remaining = Math.max(total - embedded - passed, failed + lost);
    return { embedded, remaining, failed: failed + lost, failure };
  };
  const step = (): void => {
    means.onStep?.(report(null));
    const elapsedMs = Date.now() - began;
    const done = outcome.embedded + outcome.failed + outcome.passed;
    control.onProgress?.({ phase: 'embed', done, total, unit: 'entities', elapsedMs });
  };
  step();
  for await (const texts of missingTexts(open, control)) {
    for (let from = 0; from < texts.length; from += batchSize) {
      const batch = texts.slice(from, from + batchSize);
      try {
        await embedTexts(provider, means, batch, { batchSize, outcome, control });
      } catch (error) {
        if (!(error instanceof SvcError && error.code === 'embedding_unavailable')) throw error;
        const ended = report(error, batch.length);
        means.onStep?.(ended);
        return ended;
      }
      step();
    }
  }
  return report(outcome.failure satisfies EmbeddingFailure | null);
}
