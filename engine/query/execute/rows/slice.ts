/** OFFSET and LIMIT. Once the limit is reached the input is not asked again, and is closed. */

import { type QueryBatch, sliceBatch } from '../../runtime/batch.js';
import { type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';

export class SliceOperator extends WorkOperator {
  constructor(
    private readonly input: Operator,
    private readonly offset: number,
    private readonly limit: number | null,
  ) {
    super(input.variables, [input]);
  }

  protected *work(): Work<void, QueryBatch> {
    const { input } = this;
    let toSkip = this.offset;
    let toGive = this.limit ?? Number.POSITIVE_INFINITY;
    while (toGive > 0) {
      const batch = input.next();
      if (batch === null) return;
      if (batch === PENDING || toSkip >= batch.rows) {
        if (batch !== PENDING) toSkip -= batch.rows;
        yield PENDING;
        continue;
      }
      const rows = Math.min(batch.rows - toSkip, toGive);
      yield rows === batch.rows ? batch : sliceBatch(batch, toSkip, rows);
      toSkip = 0;
      toGive -= rows;
    }
    input.close();
  }
}
