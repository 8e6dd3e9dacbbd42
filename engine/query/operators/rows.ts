/**
 * A few rows that are known before the query runs (VALUES, the graphs that exist, one empty
 * solution) or that one look at storage gives (a count).
 */

import { BATCH_ROWS } from '../../storage/scan.js';
import { type QueryBatch, sliceBatch } from './batch.js';
import { Operator, type Step } from './operator.js';

export class RowsOperator extends Operator {
  private table: QueryBatch | null = null;
  private given = 0;

  constructor(
    variables: readonly string[],
    private readonly produce: () => QueryBatch,
  ) {
    super(variables);
  }

  protected step(): Step {
    this.table ??= this.produce();
    const rows = Math.min(BATCH_ROWS, this.table.rows - this.given);
    if (rows <= 0) return null;
    const batch = sliceBatch(this.table, this.given, rows);
    this.given += rows;
    return batch;
  }
}
