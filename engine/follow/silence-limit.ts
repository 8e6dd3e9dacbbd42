/** Ends a request whose other end says nothing for too long: a connection may be lost without either side being told. */

import { SvcError } from '../base/errors.js';
import { JoinedSignal } from '../base/joined-signal.js';

/** A primary says something every second. */
const SILENCE_MS = 10_000;

export interface SilenceLimit {
  readonly signal: AbortSignal;
  /** Something came. */
  readonly heard: () => void;
  /** Nobody listens while this is done, so that nothing can be heard. */
  during<Result>(work: Promise<Result>): Promise<Result>;
  end(): void;
}

export function silenceLimit(signal: AbortSignal | undefined, silenceMs = SILENCE_MS): SilenceLimit {
  const own = new AbortController();
  const joined = new JoinedSignal([signal, own.signal]);
  let busy = 0;
  const timer = setTimeout(() => {
    if (busy > 0) timer.refresh();
    else own.abort(new SvcError('unavailable', `the primary said nothing for ${silenceMs / 1000} s`));
  }, silenceMs);
  return {
    signal: joined.signal,
    heard: () => timer.refresh(),
    async during(work) {
      busy++;
      try {
        return await work;
      } finally {
        busy--;
        timer.refresh();
      }
    },
    end: () => {
      clearTimeout(timer);
      joined.end();
    },
  };
}
