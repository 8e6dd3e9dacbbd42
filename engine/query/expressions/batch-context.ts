/**
 * What the compiled expressions of one operator share: the batch at hand and, for the variables
 * that closures read, the operand number of each row, resolved when first asked for in a batch.
 */

import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { Expression } from '../algebra/expression.js';
import type { QueryBatch } from '../runtime/batch.js';
import type { QueryTerms } from '../terms/terms.js';
import { OperandCache } from './operand-cache.js';
import type { ReadVariable } from './scalar.js';

export class BatchContext {
  readonly cache: OperandCache;
  batch: QueryBatch = { rows: 0, columns: [] };
  private readonly numbers = new Map<number, { values: Int32Array; resolved: boolean }>();

  constructor(
    readonly variables: readonly string[],
    readonly terms: QueryTerms,
    /** What is computed is never matched with stored terms. */
    readonly apart = false,
  ) {
    this.cache = new OperandCache(terms);
  }

  begin(batch: QueryBatch): void {
    this.batch = batch;
    this.cache.beginBatch();
    for (const entry of this.numbers.values()) entry.resolved = false;
  }

  /** Column number of a variable; -1 when the input does not bind it. */
  columnOf(name: string): number {
    return this.variables.indexOf(name);
  }

  /** The column of an expression that is a variable alone; -1 for others. */
  variableColumn(expression: Expression | undefined): number {
    return expression?.kind === 'variable' ? this.columnOf(expression.name) : -1;
  }

  column(index: number): IdColumn {
    return this.batch.columns[index] as IdColumn;
  }

  /** Operand numbers of a column for the batch at hand. */
  operandNumbers(column: number): Int32Array {
    let entry = this.numbers.get(column);
    if (entry === undefined) {
      entry = { values: new Int32Array(0), resolved: false };
      this.numbers.set(column, entry);
    }
    if (!entry.resolved) {
      const { length } = entry.values;
      if (length < this.batch.rows) {
        entry.values = new Int32Array(Math.max(this.batch.rows, Math.min(BATCH_ROWS, 2 * length)));
      }
      this.cache.resolve(this.column(column), this.batch.rows, entry.values);
      entry.resolved = true;
    }
    return entry.values;
  }

  reader(name: string): ReadVariable {
    const column = this.columnOf(name);
    if (column < 0) return () => null;
    return (row) => {
      const number = this.operandNumbers(column)[row] as number;
      return number < 0 ? null : (this.cache.operands[number] ?? null);
    };
  }
}
