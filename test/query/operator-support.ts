/** Operators by themselves: inputs made of ids, answers as texts, and queries' terms over an empty store. */

import type { QueryBatch } from '../../engine/query/operators/batch.js';
import type { MemoryBudget } from '../../engine/query/operators/memory.js';
import { Operator, PENDING, type Step } from '../../engine/query/operators/operator.js';
import { QueryTerms } from '../../engine/query/terms.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { IdColumn } from '../../engine/storage/scan.js';

export function termsOver(budget: MemoryBudget): QueryTerms {
  return new QueryTerms(openMemoryEngine().snapshot(), budget);
}

/** Gives rows in batches of changing size, with a PENDING now and then. */
export class RowsInput extends Operator {
  closed = false;
  private given = 0;
  private calls = 0;

  constructor(
    variables: readonly string[],
    private readonly rows: number,
    /** The id in a column of a row. */
    private readonly idAt: (row: number, column: number) => bigint,
  ) {
    super(variables);
  }

  protected step(): Step {
    this.calls++;
    if (this.calls % 5 === 0) return PENDING;
    const rows = Math.min(this.rows - this.given, 1 + ((this.calls * 977) % 4096));
    if (rows === 0) return null;
    const columns = this.variables.map((_, column) => {
      const ids = new Uint32Array(2 * rows);
      for (let row = 0; row < rows; row++) {
        const id = this.idAt(this.given + row, column);
        ids[2 * row] = Number(id & 0xffffffffn);
        ids[2 * row + 1] = Number(id >> 32n);
      }
      return ids;
    });
    this.given += rows;
    return { rows, columns };
  }

  override close(): void {
    this.closed = true;
  }
}

/** Runs an operator to its end and closes it; `visit` sees each batch. */
export function drain(operator: Operator, visit: (batch: QueryBatch) => void): void {
  try {
    for (let step = operator.next(); step !== null; step = operator.next()) if (step !== PENDING) visit(step);
  } finally {
    operator.close();
  }
}

/** All rows, each as its ids in one text, in order. */
export function rowsOf(operator: Operator): string[] {
  const rows: string[] = [];
  drain(operator, (batch) => {
    for (let row = 0; row < batch.rows; row++) {
      rows.push(operator.variables.map((_, at) => textAt(batch.columns[at] as IdColumn, row)).join(' '));
    }
  });
  return rows;
}

function textAt(column: IdColumn, row: number): string {
  return `${column[2 * row + 1]?.toString(16)}:${column[2 * row]?.toString(16)}`;
}
