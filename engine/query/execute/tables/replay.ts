/** Rows that were collected, and then what the operator they came from still has to give. */

import { batchesOf, type QueryBatch } from '../../runtime/batch.js';
import { type Operator, type Work, WorkOperator } from '../../runtime/operator.js';

export class ReplayOperator extends WorkOperator {
  constructor(
    variables: readonly string[],
    private readonly collected: QueryBatch,
    private readonly rest: Operator | null,
    /** The collected rows are not needed any more. */
    private readonly giveUp: (() => void) | null = null,
  ) {
    super(variables);
  }

  protected *work(): Work<void, QueryBatch> {
    yield* batchesOf(this.collected);
    this.giveUp?.();
    if (this.rest !== null) yield* this.rest.batches();
  }
}
