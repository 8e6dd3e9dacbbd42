/** OFFSET and LIMIT. Once the limit is reached the input is not asked again, and is closed. */

import { sliceBatch } from '../../runtime/batch.js';
import { Operator, PENDING, type Step } from '../../runtime/operator.js';

export class SliceOperator extends Operator {
  private toSkip: number;
  private toGive: number;

  constructor(
    private readonly input: Operator,
    offset: number,
    limit: number | null,
  ) {
    super(input.variables, [input]);
    this.toSkip = offset;
    this.toGive = limit ?? Number.POSITIVE_INFINITY;
  }

  protected step(): Step {
    if (this.toGive === 0) {
      this.input.close();
      return null;
    }
    const batch = this.input.next();
    if (batch === null || batch === PENDING) return batch;
    if (this.toSkip >= batch.rows) {
      this.toSkip -= batch.rows;
      return PENDING;
    }
    const rows = Math.min(batch.rows - this.toSkip, this.toGive);
    const part = rows === batch.rows ? batch : sliceBatch(batch, this.toSkip, rows);
    this.toSkip = 0;
    this.toGive -= rows;
    return part;
  }
}
