/** The memory that a walk over facts may take: `query.memory_budget_mb`. */

import { SvcError } from '../../base/errors.js';
import { MEMORY_BUDGET_BYTES } from '../../query/read-context.js';

export class WalkMemory {
  #left: number;

  constructor(private readonly bytesMax: number = MEMORY_BUDGET_BYTES) {
    this.#left = bytesMax;
  }

  /** Throws `query_complexity` when there is no more. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    const limit = Math.max(1, Math.floor(this.bytesMax / 2 ** 20));
    throw new SvcError('query_complexity', `the walk needs more than ${limit} MB of memory (query.memory_budget_mb)`, {
      hint: 'name predicates, ask for fewer hops, or raise query.memory_budget_mb',
    });
  }
}
