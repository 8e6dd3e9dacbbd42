/**
 * Vectors of what is asked, for who has to answer in time: a provider gets half of what the deadline leaves, so that there is
 * time to answer without vectors, or to say why there is no answer. A question that is cancelled waits for no provider.
 */

import { type Control, throwIfStopped } from '../../base/control.js';
import { leftMs } from '../../base/interrupt.js';
import { EmbeddingFailure, type EmbeddingProvider } from './provider.js';

/** Of the time that is left. */
const TIME_PART = 1 / 2;
/** Between two looks at whether to go on. */
const LOOK_MS = 20;

/** Throws `EmbeddingFailure` where the provider fails or takes too long, and what stops work from outside. */
export async function embedQuestion(
  provider: EmbeddingProvider,
  texts: readonly string[],
  control: Control,
): Promise<readonly Float32Array[]> {
  const { signal, flag } = control;
  if (signal === undefined && flag === undefined) return provider.embed(texts, control);
  const deadline = flag?.deadline;
  const roomMs = deadline === undefined ? Number.POSITIVE_INFINITY : leftMs(deadline) * TIME_PART;
  const end = performance.now() + roomMs;
  const stop = new AbortController();
  let looking: NodeJS.Timeout | undefined;
  const stopped = new Promise<never>((_, reject) => {
    looking = setInterval(() => {
      try {
        throwIfStopped(control, 'the embedding of the question');
        if (performance.now() < end) return;
        const within = `${Math.round(roomMs)} ms, half of what ${deadline?.setting ?? 'the deadline'} left`;
        throw new EmbeddingFailure(
          `the provider of the model ${JSON.stringify(provider.model)} gave no vector within ${within}`,
          false,
        );
      } catch (error) {
        reject(error);
        stop.abort(error);
      }
    }, LOOK_MS);
  });
  try {
    return await Promise.race([stopped, provider.embed(texts, { ...control, signal: stop.signal })]);
  } finally {
    clearInterval(looking);
  }
}
