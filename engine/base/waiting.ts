/**
 * How long work waits for the store: from the moment it is asked for until it begins to run, in a queue for a place at a
 * reader, behind other calls of its thread, or for the turn of a write. Who is told adds it up.
 */

import type { SvcError } from './errors.js';

/** Work that stands at another thread. */
export interface AwaitedCall {
  /** Ends it: a read at once, a write where it can still be ended. */
  stop(error: SvcError): void;
  /** How long it waited; null while it does. Stays known when the call has failed or was cancelled. */
  readonly waitedMs: number | null;
}

export interface WaitWatch {
  /** The work waits from now on. */
  waits(): void;
  /** It begins, after so long. */
  begins(waitedMs: number): void;
  /** It stands at another thread, whose call knows; absent where there is none. */
  follows?(call: AwaitedCall): void;
}

/** From a thread's own clock to that of the machine, which all threads share and which never goes back. */
const AHEAD_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Milliseconds that can be compared between threads of the process. */
export function sharedNowMs(): number {
  return AHEAD_MS + performance.now();
}
