/** Rows of a probe batch beside rows of a build table, written into one buffer. */

import type { IdColumn } from '../../storage/scan.js';
import { BatchBuffer, copyId, type QueryBatch } from './batch.js';
import type { BuildTable } from './build-table.js';
import { isUnboundAt } from './ids.js';
import { columnsOf } from './operator.js';

export class PairBuffer {
  readonly variables: readonly string[];
  readonly buffer: BatchBuffer;
  private readonly width: number;
  private readonly added: readonly number[];

  constructor(
    probeVariables: readonly string[],
    buildVariables: readonly string[],
    private readonly table: BuildTable,
  ) {
    const addedNames = buildVariables.filter((name) => !probeVariables.includes(name));
    this.variables = [...probeVariables, ...addedNames];
    this.width = probeVariables.length;
    this.added = columnsOf(buildVariables, addedNames);
    this.buffer = new BatchBuffer(this.variables.length);
  }

  /** The probe row with the values of the candidate, also where the probe row leaves a shared one unbound. */
  push(batch: QueryBatch, row: number, candidate: number): void {
    const { buffer } = this;
    const { columns } = this.table.store;
    this.copyProbe(batch, row);
    for (let index = 0; index < this.added.length; index++) {
      const from = columns[this.added[index] as number] as IdColumn;
      copyId(from, candidate, buffer.columns[this.width + index] as IdColumn, buffer.rows);
    }
    for (const [probeColumn, buildColumn] of this.table.loose) {
      const target = buffer.columns[probeColumn] as IdColumn;
      if (isUnboundAt(target, buffer.rows)) copyId(columns[buildColumn] as IdColumn, candidate, target, buffer.rows);
    }
    buffer.rows++;
  }

  /** The probe row alone; the other columns are unbound. */
  pushUnmatched(batch: QueryBatch, row: number): void {
    const { buffer } = this;
    this.copyProbe(batch, row);
    for (let column = this.width; column < buffer.columns.length; column++) {
      const target = buffer.columns[column] as IdColumn;
      target[2 * buffer.rows] = 0;
      target[2 * buffer.rows + 1] = 0;
    }
    buffer.rows++;
  }

  private copyProbe(batch: QueryBatch, row: number): void {
    const { buffer } = this;
    for (let column = 0; column < this.width; column++) {
      copyId(batch.columns[column] as IdColumn, row, buffer.columns[column] as IdColumn, buffer.rows);
    }
  }
}
