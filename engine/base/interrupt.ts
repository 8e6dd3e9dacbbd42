/**
 * The one check that long loops make once per batch. It covers all the ways in which work may have to
 * stop: the caller's AbortSignal, a deadline, and a flag in shared memory, by which another thread can
 * stop a loop that never lets its event loop turn.
 */

import { SvcError } from './errors.js';

/** When the time of some work is over, and which setting says so. */
export interface Deadline {
  /** By `performance.now()` of the thread that the work runs in. */
  readonly atMs: number;
  readonly timeoutMs: number;
  readonly setting: string;
}

/** A word of shared memory; anything but 0 means: stop. So does a deadline that has passed. */
export interface CancelFlag {
  readonly words: Int32Array;
  readonly at: number;
  readonly deadline?: Deadline | undefined;
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
    if (flag !== undefined) checkFlag(flag, this.#what);
    if (performance.now() > this.#deadline) throw timeoutError(this.#what, this.#limits);
  }
}

export function timeoutError(what: string, { timeoutMs, timeoutSetting }: InterruptLimits): SvcError {
  const setting = timeoutSetting === undefined ? '' : ` (${timeoutSetting})`;
  return new SvcError('query_timeout', `${what} ran longer than ${timeoutMs} ms${setting}`, {
    hint: what.endsWith('query')
      ? 'narrow the query, add a LIMIT, or allow more time'
      : 'ask for less, or allow more time',
  });
}

/** A deadline from now on, of which so much is gone already. */
export function deadlineIn(timeoutMs: number, setting: string, waitedMs = 0): Deadline {
  return { atMs: performance.now() + timeoutMs - waitedMs, timeoutMs, setting };
}

/** The flag with a deadline; without one, a flag that nobody raises. */
export function withDeadline(flag: CancelFlag | undefined, deadline: Deadline): CancelFlag {
  return { words: flag?.words ?? new Int32Array(1), at: flag?.at ?? 0, deadline };
}

/** Throws `aborted` or `query_timeout` when the flag says that the work has to stop. */
export function checkFlag(flag: CancelFlag, what: string): void {
  if (isRaised(flag)) throw new SvcError('aborted', `${what} was cancelled`);
  const { deadline } = flag;
  if (deadline === undefined || performance.now() <= deadline.atMs) return;
  throw timeoutError(what, { timeoutMs: deadline.timeoutMs, timeoutSetting: deadline.setting });
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
