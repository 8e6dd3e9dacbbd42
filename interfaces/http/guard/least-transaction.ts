/**
 * Reads that need at least a transaction: `X-Svc-Min-Tx: 812`. Who has written to a primary, and reads at a follower, names
 * the transaction that the write was answered with; the read waits until the store has it, and is refused after a while.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { SvcError } from '../../../engine/base/errors.js';
import { Refusal } from '../answers/refusal.js';

const HEADER = 'x-svc-min-tx';
const LOOK_MS = 10;

export interface LeastTransactionOptions {
  /** The newest transaction that reads see. */
  newest(): number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The newest transaction, at least the one that is asked for. */
export async function atLeast(
  headers: IncomingHttpHeaders,
  { newest, timeoutMs, signal }: LeastTransactionOptions,
): Promise<number> {
  const said = headers[HEADER];
  if (said === undefined) return newest();
  const least = Number(said);
  if (!/^\d+$/.test(String(said)) || !Number.isSafeInteger(least)) {
    const message = `the header X-Svc-Min-Tx is ${JSON.stringify(said)}; expected the number of a transaction`;
    throw new SvcError('invalid_request', message);
  }
  const until = performance.now() + timeoutMs;
  for (let tx = newest(); ; tx = newest()) {
    if (tx >= least) return tx;
    const leftMs = until - performance.now();
    if (leftMs <= 0) {
      const message = `transaction ${least} is asked for (X-Svc-Min-Tx), and the store is at ${tx} after ${timeoutMs} ms`;
      throw new Refusal('unavailable', message, { headers: { 'Retry-After': '1', 'X-Svc-Tx': String(tx) } });
    }
    await pause(Math.min(LOOK_MS, leftMs), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw new SvcError('aborted', 'the client left');
  }
}
