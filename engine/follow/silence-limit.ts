/** Ends a request whose other end says nothing for too long: a connection may be lost without either side being told. */

import { SvcError } from '../base/errors.js';
import { JoinedSignal } from '../base/joined-signal.js';

/** A primary says something every second. */
const SILENCE_MS = 10_000;

export interface SilenceLimit {
  readonly signal: AbortSignal;
  /** Something came. */
  readonly heard: () => void;
  end(): void;
}

export function silenceLimit(signal: AbortSignal | undefined, silenceMs = SILENCE_MS): SilenceLimit {
  const own = new AbortController();
  const joined = new JoinedSignal([signal, own.signal]);
  const timer = setTimeout(() => {
    own.abort(new SvcError('unavailable', `the primary said nothing for ${silenceMs / 1000} s`));
  }, silenceMs);
  return {
    signal: joined.signal,
    heard: () => timer.refresh(),
    end: () => {
      clearTimeout(timer);
      joined.end();
    },
  };
}
