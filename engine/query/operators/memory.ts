/** The memory that a query holds in blocking operators, counted against its budget. */

import { SvcError } from '../../base/errors.js';

export class MemoryBudget {
  usedBytes = 0;
  peakBytes = 0;

  constructor(readonly limitBytes: number) {}

  take(bytes: number): void {
    this.usedBytes += bytes;
    if (this.usedBytes > this.peakBytes) this.peakBytes = this.usedBytes;
    if (this.usedBytes > this.limitBytes) {
      throw new SvcError(
        'query_complexity',
        `the query needs more than its ${Math.floor(this.limitBytes / 2 ** 20)} MB of memory (query.memory_budget_mb)`,
        { hint: 'narrow the query, add a LIMIT, or raise query.memory_budget_mb' },
      );
    }
  }

  give(bytes: number): void {
    this.usedBytes -= bytes;
  }
}
