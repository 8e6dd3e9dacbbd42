/** The rows that an operator above hands down, once: the leaf of a plan that is run for a batch of rows. */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import { type QueryBatch, sliceBatch } from '../../runtime/batch.js';
import { Operator, type Step } from '../../runtime/operator.js';

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

export class CorrelatedInputOperator extends Operator {
  private given = 0;
  private readonly batch: QueryBatch;

  constructor(variables: readonly string[], slots: CorrelatedSlots, slot: number) {
    super(variables);
    this.batch = slots.take(slot);
  }

  protected step(): Step {
    const rows = Math.min(BATCH_ROWS, this.batch.rows - this.given);
    if (rows <= 0) return null;
    const batch = sliceBatch(this.batch, this.given, rows);
    this.given += rows;
    return batch;
  }
}
