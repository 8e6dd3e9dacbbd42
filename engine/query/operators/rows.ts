/**
 * A few rows that are known before the query runs (VALUES, the graphs that exist, one empty
 * solution) or that one look at storage gives (a count).
 */

import { BATCH_ROWS, type StorageSnapshot } from '../../storage/scan.js';
import type { QueryTerms } from '../terms.js';
import { type QueryBatch, sliceBatch } from './batch.js';
import { Operator, type Step } from './operator.js';

/** What rows are made of. */
export interface RowsInput {
  readonly snapshot: StorageSnapshot;
  readonly terms: QueryTerms;
}

export type RowsSource = (input: RowsInput) => QueryBatch;

export class RowsOperator extends Operator {
  private table: QueryBatch | null = null;
  private given = 0;

  constructor(
    variables: readonly string[],
    private readonly produce: RowsSource,
    private readonly input: RowsInput,
  ) {
    super(variables);
  }

  protected step(): Step {
    this.table ??= this.produce(this.input);
    const rows = Math.min(BATCH_ROWS, this.table.rows - this.given);
    if (rows <= 0) return null;
    const batch = sliceBatch(this.table, this.given, rows);
    this.given += rows;
    return batch;
  }
}
