/**
 * Small batches of an input, put together: what is paid once a batch (a look-up of a key that comes in many batches, a
 * block that is taken up) is paid less often. The first batch is given as it comes, and no more is gathered than four
 * times what has been given, so that who wants few rows does not wait for many.
 */

import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import { batchRowsFor, type QueryBatch } from '../../runtime/batch.js';
import { KernelColumns } from '../../runtime/kernel-columns.js';
import { type Operator, PENDING, type Work } from '../../runtime/operator.js';

/** Larger batches are given as they come. */
const SMALL_ROWS = BATCH_ROWS / 4;
const GROWTH = 4;

export class GatheredInput {
  private readonly made: KernelColumns;
  private readonly capacity: number;
  private rows = 0;
  private given = 0;

  constructor(private readonly input: Operator) {
    this.capacity = batchRowsFor(input.variables.length);
    this.made = new KernelColumns(input.variables.length, this.capacity);
  }

  /** As `Operator.batches`. */
  *batches(): Work<void, QueryBatch> {
    for (const step of this.input.batches()) {
      if (step === PENDING) {
        yield PENDING;
        continue;
      }
      if (this.rows + step.rows > this.capacity && this.rows > 0) yield this.gathered();
      if (this.rows === 0 && (step.rows >= SMALL_ROWS || step.rows >= this.goal)) yield this.give(step);
      else {
        this.add(step);
        if (this.rows >= this.goal) yield this.gathered();
      }
    }
    if (this.rows > 0) yield this.gathered();
  }

  private get goal(): number {
    return Math.min(this.capacity, GROWTH * this.given);
  }

  private give(batch: QueryBatch): QueryBatch {
    this.given += batch.rows;
    return batch;
  }

  private gathered(): QueryBatch {
    const { rows } = this;
    this.rows = 0;
    return this.give({ rows, columns: this.made.columns });
  }

  private add({ rows, columns }: QueryBatch): void {
    const { made } = this;
    const room = this.rows + rows;
    if (room > made.capacity) made.resize(Math.min(this.capacity, Math.max(room, 2 * made.capacity)), this.rows);
    for (let column = 0; column < columns.length; column++) {
      const from = columns[column] as IdColumn;
      (made.columns[column] as IdColumn).set(from.subarray(0, 2 * rows), 2 * this.rows);
    }
    this.rows = room;
  }

  release(): void {
    this.made.release();
    this.rows = 0;
  }
}
