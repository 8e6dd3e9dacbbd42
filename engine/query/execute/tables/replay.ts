/** Rows that were collected, and then what the operator they came from still has to give. */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import { type QueryBatch, sliceBatch } from '../../runtime/batch.js';
import { Operator, type Step } from '../../runtime/operator.js';

export class ReplayOperator extends Operator {
  private given = 0;
  private over = false;

  constructor(
    variables: readonly string[],
    private readonly collected: QueryBatch,
    private readonly rest: Operator | null,
    /** The collected rows are not needed any more. */
    private readonly giveUp: (() => void) | null = null,
  ) {
    super(variables);
  }

  protected step(): Step {
    const rows = Math.min(BATCH_ROWS, this.collected.rows - this.given);
    if (rows <= 0) {
      if (!this.over) this.giveUp?.();
      this.over = true;
      return this.rest?.next() ?? null;
    }
    const batch = sliceBatch(this.collected, this.given, rows);
    this.given += rows;
    return batch;
  }
}
