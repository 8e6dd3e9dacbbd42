/** OFFSET and LIMIT of the rows of each value of one column by themselves. */

import { getOrInsert } from '../../../base/maps.js';
import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import { BatchBuffer, type QueryBatch } from '../../runtime/batch.js';
import { type Operator, PENDING, type Work, WorkOperator } from '../../runtime/operator.js';

/** Rows of a batch that are given, while they are brought together. */
const given = new Uint32Array(BATCH_ROWS);

const newCounts = (): Map<number, number> => new Map();

export class SliceEachOperator extends WorkOperator {
  /** Rows of each value so far, by both words of its id: one number is not wide enough for them. */
  private readonly seen = new Map<number, Map<number, number>>();
  private readonly buffer: BatchBuffer;
  private complete = 0;

  constructor(
    private readonly input: Operator,
    private readonly offset: number,
    private readonly limit: number | null,
    private readonly column: number,
    /** How many there are; once all have their rows the input is not asked again. */
    private readonly values: number,
  ) {
    super(input.variables, [input]);
    this.buffer = new BatchBuffer(input.variables.length, 0);
  }

  protected *work(): Work<void, QueryBatch> {
    const { input } = this;
    while (this.limit !== 0 && this.complete < this.values) {
      const batch = input.next();
      if (batch === null) return;
      yield batch === PENDING ? PENDING : this.rowsOf(batch);
    }
    input.close();
  }

  private rowsOf(batch: QueryBatch): QueryBatch | typeof PENDING {
    const { buffer, column, limit, offset, seen } = this;
    const ids = batch.columns[column] as QueryBatch['columns'][number];
    const end = limit === null ? Number.POSITIVE_INFINITY : offset + limit;
    let count = 0;
    for (let row = 0; row < batch.rows; row++) {
      const low = ids[2 * row] as number;
      const counts = getOrInsert(seen, ids[2 * row + 1] as number, newCounts);
      const before = counts.get(low) ?? 0;
      if (before >= end) continue;
      counts.set(low, before + 1);
      if (before + 1 === end) this.complete++;
      if (before >= offset) given[count++] = row;
    }
    if (count === 0) return PENDING;
    if (count === batch.rows) return batch;
    buffer.reserveMore(count);
    return buffer.gather(batch, given, count);
  }
}
