/**
 * How long a call waited, in a word of shared memory beside its flag: the caller sees it while the call runs and after
 * it failed, and an answer costs no message more. 0 = it waits; otherwise 1 + hundredths of milliseconds.
 */

import type { CancelFlag } from '../interrupt.js';
import { CALLS_MAX } from './messages.js';

const UNITS_PER_MS = 100;
const WORD_MAX = 2 ** 31 - 1;

/** Flags first, then as many words of waiting. */
export const SHARED_BYTES = 2 * CALLS_MAX * Int32Array.BYTES_PER_ELEMENT;

export function writeWait({ words, at }: CancelFlag, waitedMs: number | null): void {
  const word = waitedMs === null ? 0 : Math.min(1 + Math.round(waitedMs * UNITS_PER_MS), WORD_MAX);
  Atomics.store(words, CALLS_MAX + at, word);
}

export function readWait({ words, at }: CancelFlag): number | null {
  const word = Atomics.load(words, CALLS_MAX + at);
  return word === 0 ? null : (word - 1) / UNITS_PER_MS;
}
