/**
 * GROUP BY. The keys of the groups live in a row store; a row that has the key of the row
 * before it needs no look-up, and when the input comes sorted by the keys no row does, since every
 * change of key begins a new group. Without keys there is one group, also over no rows at all.
 */

import { BATCH_ROWS, type IdColumn } from '../../storage/scan.js';
import type { Accumulator } from '../aggregates/accumulator.js';
import { createAccumulator } from '../aggregates/index.js';
import type { Aggregate } from '../algebra/algebra.js';
import { BatchContext } from '../expressions/batch-context.js';
import type { QueryTerms } from '../terms.js';
import { BatchBuffer, copyId, newColumn, type QueryBatch } from './batch.js';
import { sameId } from './ids.js';
import type { MemoryBudget } from './memory.js';
import { columnsOf, Operator, PENDING, type Step } from './operator.js';
import { RowIndex } from './row-index.js';
import { RowStore } from './row-store.js';

export interface AggregateSpec {
  readonly keys: readonly string[];
  readonly aggregates: readonly Aggregate[];
  /** The rows of one group come one after the other. */
  readonly sorted: boolean;
}

export class AggregateOperator extends Operator {
  private readonly context: BatchContext;
  private readonly accumulators: readonly Accumulator[];
  private readonly keyColumns: readonly number[];
  private readonly groups: RowStore;
  private readonly index: RowIndex | null;
  private readonly groupKeys: readonly number[];
  private readonly groupOfRow: IdColumn = newColumn(BATCH_ROWS);
  private readonly buffer: BatchBuffer;
  private ended = false;
  private given = 0;
  private groupCount = 0;

  constructor(
    private readonly input: Operator,
    private readonly spec: AggregateSpec,
    terms: QueryTerms,
    budget: MemoryBudget,
  ) {
    super([...spec.keys, ...spec.aggregates.map((aggregate) => aggregate.variable)], [input]);
    this.context = new BatchContext(input.variables, terms);
    this.accumulators = spec.aggregates.map((aggregate) => createAccumulator(aggregate, this.context, budget));
    this.keyColumns = columnsOf(input.variables, spec.keys);
    this.groupKeys = spec.keys.map((_, column) => column);
    this.groups = new RowStore(spec.keys.length, budget);
    this.index = spec.sorted || spec.keys.length === 0 ? null : new RowIndex(this.groups, this.groupKeys, budget);
    this.buffer = new BatchBuffer(this.variables.length);
    if (spec.keys.length === 0) this.groupCount = 1;
  }

  protected step(): Step {
    if (this.ended) return this.give();
    const batch = this.input.next();
    if (batch === PENDING) return PENDING;
    if (batch !== null) this.consume(batch);
    else this.end();
    return PENDING;
  }

  private end(): void {
    this.ended = true;
    for (const accumulator of this.accumulators) accumulator.reserve(this.groupCount);
  }

  private consume(batch: QueryBatch): void {
    this.context.begin(batch);
    if (this.keyColumns.length > 0) this.assignGroups(batch);
    for (const accumulator of this.accumulators) {
      accumulator.reserve(this.groupCount);
      accumulator.add(batch, this.groupOfRow);
    }
  }

  private assignGroups(batch: QueryBatch): void {
    // The last group of the batch before may go on in this one only if the input is sorted.
    let group = this.spec.sorted ? this.groups.rows - 1 : -1;
    for (let row = 0; row < batch.rows; row++) {
      if (group < 0 || !this.hasKey(batch, row, group)) group = this.groupOf(batch, row);
      this.groupOfRow[2 * row] = group;
    }
    this.groupCount = this.groups.rows;
  }

  private hasKey(batch: QueryBatch, row: number, group: number): boolean {
    for (let key = 0; key < this.keyColumns.length; key++) {
      const column = batch.columns[this.keyColumns[key] as number] as IdColumn;
      if (!sameId(column, row, this.groups.columns[key] as IdColumn, group)) return false;
    }
    return true;
  }

  private groupOf(batch: QueryBatch, row: number): number {
    if (this.index !== null) return this.index.findOrAppend(batch.columns, this.keyColumns, this.keyColumns, row);
    this.groups.appendRow(batch.columns, this.keyColumns, row);
    return this.groups.rows - 1;
  }

  private give(): Step {
    const { buffer } = this;
    buffer.clear();
    for (; this.given < this.groupCount && !buffer.full; this.given++) {
      for (const key of this.groupKeys) {
        copyId(this.groups.columns[key] as IdColumn, this.given, buffer.columns[key] as IdColumn, buffer.rows);
      }
      this.accumulators.forEach((accumulator, index) => {
        accumulator.write(buffer.columns[this.groupKeys.length + index] as IdColumn, buffer.rows, this.given);
      });
      buffer.rows++;
    }
    return buffer.rows > 0 ? buffer : null;
  }

  override close(): void {
    this.index?.release();
    this.groups.release();
    for (const accumulator of this.accumulators) accumulator.release();
    super.close();
  }
}
