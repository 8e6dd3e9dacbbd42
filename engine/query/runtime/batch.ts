/**
 * Batches between operators: up to 4,096 rows, one column of ids per variable, every row counts
 * (filters compact). A batch is valid until the next call of the operator that gave it; who keeps
 * rows copies them. An id of 0 is an unbound variable.
 */

import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';

import { gather } from './gather.js';

export { gather };

export interface QueryBatch {
  readonly rows: number;
  readonly columns: readonly IdColumn[];
}

export function newColumn(rows: number): IdColumn {
  return new Uint32Array(2 * rows);
}

/** Ids of a wide batch: plans of hundreds of columns have hundreds of operators, too. */
const WIDE_BATCH_IDS = 32_768;
const WIDE_BATCH_ROWS_MIN = 16;

/** Rows of the batches that an operator fills: full ones, unless they have many columns. */
export function batchRowsFor(width: number): number {
  return Math.min(BATCH_ROWS, Math.max(WIDE_BATCH_ROWS_MIN, Math.floor(WIDE_BATCH_IDS / Math.max(1, width))));
}

/** A batch that an operator fills row by row and uses again for the next one. Takes memory when it is used. */
export class BatchBuffer implements QueryBatch {
  rows = 0;
  private made: IdColumn[] | null = null;

  constructor(
    readonly width: number,
    public capacity: number = batchRowsFor(width),
  ) {}

  get columns(): IdColumn[] {
    this.made ??= Array.from({ length: this.width }, () => newColumn(this.capacity));
    return this.made;
  }

  get full(): boolean {
    return this.rows === this.capacity;
  }

  clear(): void {
    this.rows = 0;
  }

  /** Room for so many rows; what the batch held is gone when it had less. */
  reserve(rows: number): void {
    if (rows <= this.capacity) return;
    this.capacity = rows;
    this.made = null;
  }

  /** The same for an operator that does not know how many rows will come: it grows in few steps. */
  reserveMore(rows: number): void {
    if (rows > this.capacity) this.reserve(Math.max(rows, Math.min(BATCH_ROWS, 2 * this.capacity)));
  }

  /** Takes the listed rows of a batch, for which there is room; columns that the batch does not have stay as they are. */
  gather({ columns: from }: QueryBatch, rows: Uint32Array, count: number): this {
    const { columns } = this;
    const width = Math.min(columns.length, from.length);
    for (let column = 0; column < width; column++) {
      gather(from[column] as IdColumn, rows, count, columns[column] as IdColumn);
    }
    this.rows = count;
    return this;
  }
}

/** Copies one id. */
export function copyId(from: IdColumn, fromRow: number, to: IdColumn, toRow: number): void {
  to[2 * toRow] = from[2 * fromRow] as number;
  to[2 * toRow + 1] = from[2 * fromRow + 1] as number;
}

/** Copies one id to `rows` rows. */
export function repeatId(from: IdColumn, fromRow: number, to: IdColumn, first: number, rows: number): void {
  for (let row = first; row < first + rows; row++) copyId(from, fromRow, to, row);
}

export function writeId(id: TermId, to: IdColumn, row: number): void {
  to[2 * row] = lowOf(id);
  to[2 * row + 1] = highOf(id);
}

/** One id in the first `rows` rows. */
export function fillId(to: IdColumn, rows: number, low: number, high: number): void {
  for (let row = 0; row < rows; row++) {
    to[2 * row] = low;
    to[2 * row + 1] = high;
  }
}

/** A view of the first `rows` rows of each column from `start` on. */
export function sliceBatch(batch: QueryBatch, start: number, rows: number): QueryBatch {
  return { rows, columns: batch.columns.map((column) => column.subarray(2 * start, 2 * (start + rows))) };
}

/** All rows of a table, a batch at a time. */
export function* batchesOf(table: QueryBatch): Generator<QueryBatch, void, undefined> {
  for (let from = 0; from < table.rows; from += BATCH_ROWS) {
    yield sliceBatch(table, from, Math.min(BATCH_ROWS, table.rows - from));
  }
}
