/**
 * The one check that long loops make once per batch. It covers all the ways in which work may have to
 * stop: the caller's AbortSignal, a deadline, and a flag in shared memory, by which another thread can
 * stop a loop that never lets its event loop turn.
 */

import { SvcError } from './errors.js';

/** A word of shared memory; anything but 0 means: stop. */
export interface CancelFlag {
  readonly words: Int32Array;
  readonly at: number;
}

export interface InterruptLimits {
  readonly signal?: AbortSignal | undefined;
  readonly flag?: CancelFlag | undefined;
  readonly timeoutMs?: number | undefined;
  /** How much of `timeoutMs` is gone already, for example in a queue. */
  readonly waitedMs?: number | undefined;
  /** The setting behind `timeoutMs`; the message names it. */
  readonly timeoutSetting?: string | undefined;
}

export class Interrupt {
  readonly #what: string;
  readonly #limits: InterruptLimits;
  readonly #deadline: number;

  /** `what` is the subject of the messages: `the query`. */
  constructor(what: string, limits: InterruptLimits) {
    this.#what = what;
    this.#limits = limits;
    const { timeoutMs = Number.POSITIVE_INFINITY, waitedMs = 0 } = limits;
    this.#deadline = performance.now() + timeoutMs - waitedMs;
  }

  /** Throws `aborted` or `query_timeout` when the work has to stop. */
  check(): void {
    const { signal, flag } = this.#limits;
    if (signal?.aborted) throw new SvcError('aborted', `${this.#what} was cancelled`, { cause: signal.reason });
    if (flag !== undefined && isRaised(flag)) throw new SvcError('aborted', `${this.#what} was cancelled`);
    if (performance.now() > this.#deadline) throw timeoutError(this.#what, this.#limits);
  }
}

export function timeoutError(what: string, { timeoutMs, timeoutSetting }: InterruptLimits): SvcError {
  const setting = timeoutSetting === undefined ? '' : ` (${timeoutSetting})`;
  return new SvcError('query_timeout', `${what} ran longer than ${timeoutMs} ms${setting}`, {
    hint: `narrow ${what}, add a LIMIT, or allow more time`,
  });
}

export function isRaised(flag: CancelFlag): boolean {
  return Atomics.load(flag.words, flag.at) !== 0;
}

export function raise(flag: CancelFlag): void {
  Atomics.store(flag.words, flag.at, 1);
}

export function lower(flag: CancelFlag): void {
  Atomics.store(flag.words, flag.at, 0);
}
