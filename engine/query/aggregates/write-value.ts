/** Results of aggregates as ids; whole numbers, the usual ones, without a term in between. */

import { literalOf, type Value } from '../../rdf/values/index.js';
import { highOf, lowOf, writeIntegerHalves } from '../../storage/ids/halves.js';
import type { IdColumn } from '../../storage/scan.js';
import type { QueryTerms } from '../terms.js';

/** Null = an error: unbound. */
export function writeValue(value: Value | null, column: IdColumn, row: number, terms: QueryTerms): void {
  if (value === null) {
    column[2 * row] = 0;
    column[2 * row + 1] = 0;
    return;
  }
  if (value.kind === 'integer' && typeof value.value === 'number' && writeIntegerHalves(column, row, value.value))
    return;
  const id = terms.encode(literalOf(value));
  column[2 * row] = lowOf(id);
  column[2 * row + 1] = highOf(id);
}
