/** The rows that an operator hands down to a plan which is run for them. */

import type { QueryBatch } from '../../runtime/batch.js';

/** Where rows wait for the leaf that reads them. */
export class CorrelatedSlots {
  private readonly batches = new Map<number, QueryBatch>();

  put(slot: number, batch: QueryBatch): void {
    this.batches.set(slot, batch);
  }

  take(slot: number): QueryBatch {
    return this.batches.get(slot) as QueryBatch;
  }
}
