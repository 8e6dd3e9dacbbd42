/** What every long operation takes from its caller: a way to be cancelled and a way to report. */

import { SvcError } from './errors.js';
import { type CancelFlag, checkFlag } from './interrupt.js';
import type { WaitWatch } from './waiting.js';

/** Local evidence of who wrote: what a token proved, in the words in which it is kept and shown. */
export interface Authenticated {
  /** IRI of the identity; null for the shared token, which names nobody. */
  readonly principal: string | null;
  readonly credential_id: string | null;
  readonly auth_class: 'named_bearer' | 'legacy_shared_bearer';
}

export interface Progress {
  /** What is being done now, for example `read`, `sort terms`, `write SPOG`. */
  readonly phase: string;
  /** Units done so far in this operation (quads, unless `unit` says otherwise). */
  readonly done: number;
  /** All units, where known. */
  readonly total?: number;
  readonly unit?: 'quads' | 'bytes' | 'blocks' | 'entities' | 'transactions';
  readonly bytesRead?: number;
  readonly bytesTotal?: number;
  /** Milliseconds since the operation began. */
  readonly elapsedMs: number;
}

/** What stops work from outside. */
export interface Stop {
  readonly signal?: AbortSignal | undefined;
  /** @internal Another thread cancels by it, and it holds the deadline of the work; for loops that never let the event loop turn. */
  readonly flag?: CancelFlag | undefined;
}

export interface Control extends Stop {
  /** Called at most about ten times a second. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** @internal Who asked, by the token that the service has checked; it is written down beside what the caller claims. */
  readonly authenticated?: Authenticated | undefined;
  /** Principals on whose behalf it is written, the outermost first. */
  readonly principalChain?: readonly string[] | undefined;
  /** @internal Told how long the work waits for the store. */
  readonly wait?: WaitWatch | undefined;
}

/** Throws `aborted` when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) {
    throw new SvcError('aborted', `${what} was cancelled`, { cause: signal.reason });
  }
}

/** The same for the flag and its deadline as well. */
export function throwIfStopped({ signal, flag }: Control, what: string): void {
  throwIfAborted(signal, what);
  if (flag !== undefined) checkFlag(flag, what);
}

/**
 * For work that takes as long as its answer is large, such as a document of a whole graph: it ends when it is cancelled,
 * which it is when nobody reads it, and not by a deadline.
 */
export function withoutDeadline<Given extends Control>(control: Given): Given {
  const { flag } = control;
  return flag?.deadline === undefined ? control : { ...control, flag: { words: flag.words, at: flag.at } };
}

/** Gives the event loop a turn, so that signals and timers can fire. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
