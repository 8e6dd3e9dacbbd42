/**
 * What a server does about embeddings besides answering requests: it counts them, and runs the backfill that its start
 * asks for.
 */

import { SvcError } from '../../engine/base/errors.js';
import type { Configuration } from '../../engine/service/configuration/configuration.js';
import type { Store } from '../../engine/service/store/store.js';
import type { WriteLine } from './figures/log-lines.js';
import type { ServerMetrics } from './figures/metrics.js';

/** Refuses a start with a backfill that can't be. */
export function checkBackfill({ embedding, follow, server }: Configuration, withBackfill: boolean): void {
  if (withBackfill && follow.primary !== undefined) {
    throw new SvcError('configuration', `--embed-backfill writes vectors, and this server follows ${follow.primary}`, {
      hint: 'the vectors of the primary are followed: embed there',
    });
  }
  if (withBackfill && embedding.provider === 'none') {
    throw new SvcError('configuration', '--embed-backfill needs an embedding provider, and none is configured', {
      hint: 'set embedding.provider, with embedding.url and embedding.model or with embedding.model_path',
    });
  }
  if (withBackfill && server.read_only) {
    throw new SvcError('configuration', '--embed-backfill writes vectors, and the server is to be read-only');
  }
}

export interface EmbeddingCare {
  readonly metrics: ServerMetrics;
  readonly write: WriteLine;
  readonly withBackfill: boolean;
}

/** Begins at once; what it returns ends it, and settles when nothing is under way any more. */
export function careForEmbeddings(
  store: Store,
  { metrics, write, withBackfill }: EmbeddingCare,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  const { embedder } = store;
  if (embedder === null) return async () => undefined;
  embedder.onError = onFailure;
  metrics.showEmbeddings(() => embedder.figures);
  if (!withBackfill) return async () => undefined;
  const stop = new AbortController();
  const done = store.embedBackfill({ signal: stop.signal }).then(
    ({ embedded, remaining, failed, failure }) => {
      write(`embed backfill: embedded ${embedded}, remaining ${remaining}, failed ${failed}\n`);
      if (failure !== null) onFailure(failure);
    },
    (error: unknown) => {
      if (!stop.signal.aborted) onFailure(error);
    },
  );
  return async () => {
    stop.abort();
    await done;
  };
}
