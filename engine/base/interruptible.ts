/** Waiting for others without being at their mercy. */

import { SvcError } from './errors.js';

/**
 * The same items; but when the signal fires, a `next` that is waiting ends with `aborted` at once,
 * even if the source never says anything again.
 */
export function interruptible<Item>(
  source: AsyncIterator<Item>,
  signal: AbortSignal | undefined,
  what: string,
): AsyncIterator<Item> {
  if (signal === undefined) return source;
  let fail: ((error: SvcError) => void) | null = null;
  const aborted = (): SvcError => new SvcError('aborted', `${what} was cancelled`, { cause: signal.reason });
  const onAbort = (): void => fail?.(aborted());
  signal.addEventListener('abort', onAbort);
  const over = (): void => {
    fail = null;
    signal.removeEventListener('abort', onAbort);
  };
  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(aborted());
          return;
        }
        fail = reject;
        source.next().then(
          (result) => {
            if (result.done) over();
            fail = null;
            resolve(result);
          },
          (error: unknown) => {
            over();
            reject(error);
          },
        );
      }),
    return: async (value) => {
      over();
      return (await source.return?.(value)) ?? { done: true, value };
    },
  };
}

/** Tells a source that nothing more is wanted of it; what it throws then is of no interest. */
export function abandon(source: AsyncIterator<unknown>): void {
  Promise.resolve()
    .then(() => source.return?.())
    .catch(() => undefined);
}
