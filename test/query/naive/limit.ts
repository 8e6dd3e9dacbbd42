/** Where the naive evaluator gives up: nested loops over more than this say nothing that fewer rows don't. */

const ROWS_MAX = 5_000;
const PAIRS_MAX = 2_000_000;

export class TooManyRows extends Error {}

export function checkPairs(left: number, right: number): void {
  if (left * right > PAIRS_MAX) throw new TooManyRows('too many pairs of rows');
}

export function checkRows<Row>(rows: Row[]): Row[] {
  if (rows.length > ROWS_MAX) throw new TooManyRows('too many rows');
  return rows;
}
