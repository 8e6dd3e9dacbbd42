/**
 * Runs a plan. The driver pulls the root operator; between two steps, each of them short, it looks
 * at the deadline and the abort signal, and about every ten milliseconds it lets the event loop turn.
 */

import { breathe, throwIfAborted } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import type { QueryBatch } from './operators/batch.js';
import { type Operator, PENDING } from './operators/operator.js';

const SLICE_MS = 10;

export interface ExecutionLimits {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class Execution {
  private readonly deadline: number;
  private sliceEnd: number;

  constructor(
    readonly root: Operator,
    private readonly limits: ExecutionLimits,
  ) {
    const now = performance.now();
    this.deadline = now + (limits.timeoutMs ?? Number.POSITIVE_INFINITY);
    this.sliceEnd = now + SLICE_MS;
  }

  /** The batches of the root, once. Operators are closed at the end, on an error and on `return`. */
  async *batches(): AsyncGenerator<QueryBatch, void, undefined> {
    try {
      for (;;) {
        this.check();
        const step = this.root.next();
        if (step === null) return;
        if (step !== PENDING) yield step;
        if (performance.now() > this.sliceEnd) {
          await breathe();
          this.sliceEnd = performance.now() + SLICE_MS;
        }
      }
    } finally {
      this.root.close();
    }
  }

  private check(): void {
    throwIfAborted(this.limits.signal, 'the query');
    if (performance.now() <= this.deadline) return;
    throw new SvcError(
      'query_timeout',
      `the query ran longer than ${this.limits.timeoutMs} ms (search.query_timeout_ms)`,
      {
        hint: 'narrow the query, add a LIMIT, or allow more time',
      },
    );
  }
}
