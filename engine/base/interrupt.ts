/**
 * The one check that long loops make once per batch. It covers all the ways in which work may have to
 * stop: the caller's AbortSignal, a deadline, and a flag in shared memory, by which another thread can
 * stop a loop that never lets its event loop turn.
 */

import { SvcError } from './errors.js';
import { sharedNowMs } from './waiting.js';

/** When the time of some work is over, and which setting says so. Plain data: it holds in every thread. */
export interface Deadline {
  /** By the clock that all threads share (`sharedNowMs`). */
  readonly atMs: number;
  readonly timeoutMs: number;
  /** The setting that errors name. */
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
  readonly deadline?: Deadline | undefined;
}

export class Interrupt {
  /** `what` is the subject of the messages: `the query`. */
  constructor(
    private readonly what: string,
    private readonly limits: InterruptLimits,
  ) {}

  /** Throws `aborted` or `query_timeout` when the work has to stop. */
  check(): void {
    const { signal, flag, deadline } = this.limits;
    if (signal?.aborted) throw new SvcError('aborted', `${this.what} was cancelled`, { cause: signal.reason });
    if (flag !== undefined) checkFlag(flag, this.what);
    if (deadline !== undefined && sharedNowMs() > deadline.atMs) throw timeoutError(this.what, deadline);
  }
}

/** Without a setting the message names none. */
export function timeoutError(
  what: string,
  { timeoutMs, setting }: Pick<Deadline, 'timeoutMs'> & Partial<Deadline>,
): SvcError {
  const named = setting === undefined ? '' : ` (${setting})`;
  return new SvcError('query_timeout', `${what} ran longer than ${timeoutMs} ms${named}`, {
    hint: what.endsWith('query')
      ? 'narrow the query, add a LIMIT, or allow more time'
      : 'ask for less, or allow more time',
  });
}

/** A deadline from now on. */
export function deadlineIn(timeoutMs: number, setting: string): Deadline {
  return { atMs: sharedNowMs() + timeoutMs, timeoutMs, setting };
}

/** Milliseconds until then; less than 0 when it has passed. */
export function leftMs({ atMs }: Deadline): number {
  return atMs - sharedNowMs();
}

/** The same work with less time from its beginning; never with more. */
export function lowered(deadline: Deadline, timeoutMs: number | undefined): Deadline {
  if (timeoutMs === undefined || timeoutMs >= deadline.timeoutMs) return deadline;
  return { ...deadline, atMs: deadline.atMs - deadline.timeoutMs + timeoutMs, timeoutMs };
}

/** The flag with a deadline; without one, a flag that nobody raises. */
export function withDeadline(flag: CancelFlag | undefined, deadline: Deadline): CancelFlag {
  return { words: flag?.words ?? new Int32Array(1), at: flag?.at ?? 0, deadline };
}

/** Throws `aborted` or `query_timeout` when the flag says that the work has to stop. */
export function checkFlag(flag: CancelFlag, what: string): void {
  if (isRaised(flag)) throw new SvcError('aborted', `${what} was cancelled`);
  const { deadline } = flag;
  if (deadline !== undefined && sharedNowMs() > deadline.atMs) throw timeoutError(what, deadline);
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
