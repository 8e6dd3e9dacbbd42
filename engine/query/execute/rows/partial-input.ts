/** An input whose batches are taken in parts. It is closed by whose input it is. */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import type { QueryBatch } from '../../runtime/batch.js';
import { Operator, PENDING, type Step } from '../../runtime/operator.js';

export class PartialInput extends Operator {
  private batch: QueryBatch | null = null;
  private from = 0;

  constructor(private readonly input: Operator) {
    super(input.variables);
  }

  /** At most so many rows, good until the next call. */
  take(rowsMax: number): Step {
    if (this.batch === null) {
      const step = this.input.next();
      if (step === null || step === PENDING) return step;
      this.batch = step;
      this.from = 0;
    }
    const { rows, columns } = this.batch;
    const to = Math.min(rows, this.from + rowsMax, this.from + BATCH_ROWS);
    const part = columns.map((column) => column.subarray(2 * this.from, 2 * to));
    const size = to - this.from;
    this.from = to;
    if (to === rows) this.batch = null;
    return { rows: size, columns: part };
  }

  protected step(): Step {
    return this.take(BATCH_ROWS);
  }

  override close(): void {
    // The input is closed by whose input it is.
  }
}
