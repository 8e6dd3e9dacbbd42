/** Operators by themselves: inputs made of ids, answers as texts, and queries' terms over an empty store. */

import type { QueryBatch } from '../../engine/query/runtime/batch.js';
import type { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { Operator, PENDING, type Step } from '../../engine/query/runtime/operator.js';
import { QueryTerms } from '../../engine/query/terms/terms.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { IdColumn } from '../../engine/storage/seam/scan.js';

export function termsOver(budget: MemoryBudget): QueryTerms {
  return new QueryTerms(openMemoryEngine().snapshot(), budget);
}

/** Gives rows in batches of changing size, with a PENDING now and then. */
export class RowsInput extends Operator {
  closed = false;
  private readonly columns: readonly IdColumn[];
  private given = 0;
  private calls = 0;

  constructor(
    variables: readonly string[],
    readonly size: number,
    /** The id in a column of a row; or the columns themselves. */
    ids: ((row: number, column: number) => bigint) | readonly IdColumn[],
  ) {
    super(variables);
    this.columns = typeof ids === 'function' ? variables.map((_, column) => columnOf(size, column, ids)) : ids;
  }

  /** The same rows from the start. */
  again(): RowsInput {
    return new RowsInput(this.variables, this.size, this.columns);
  }

  idAt(row: number, column: number): bigint {
    const ids = this.columns[column] as IdColumn;
    return (BigInt(ids[2 * row + 1] as number) << 32n) | BigInt(ids[2 * row] as number);
  }

  protected step(): Step {
    this.calls++;
    if (this.calls % 5 === 0) return PENDING;
    const rows = Math.min(this.size - this.given, 1 + ((this.calls * 977) % 4096));
    if (rows === 0) return null;
    const columns = this.columns.map((ids) => ids.slice(2 * this.given, 2 * (this.given + rows)));
    this.given += rows;
    return { rows, columns };
  }

  override close(): void {
    this.closed = true;
  }
}

function columnOf(size: number, column: number, idAt: (row: number, column: number) => bigint): IdColumn {
  const ids = new Uint32Array(2 * size);
  for (let row = 0; row < size; row++) {
    const id = idAt(row, column);
    ids[2 * row] = Number(id & 0xffffffffn);
    ids[2 * row + 1] = Number(id >> 32n);
  }
  return ids;
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

/** All rows with their terms, in order. */
export function termRowsOf(operator: Operator, dictionary: QueryTerms): string[] {
  const rows: string[] = [];
  drain(operator, (batch) => {
    const columns = operator.variables.map((_, at) => dictionary.decode(batch.columns[at] as IdColumn, batch.rows));
    for (let row = 0; row < batch.rows; row++) rows.push(columns.map((terms) => terms[row]?.value ?? '-').join(' '));
  });
  return rows;
}

function textAt(column: IdColumn, row: number): string {
  return `${column[2 * row + 1]?.toString(16)}:${column[2 * row]?.toString(16)}`;
}
