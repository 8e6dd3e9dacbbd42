/** Results of aggregates as ids; numbers, the usual ones, without a term in between. */

import { keptInMemory, threadMemory } from '../../kernels/thread-memory.js';
import { integerValue, literalOf, type Value } from '../../rdf/values/index.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import { writeNumber } from '../terms/number-ids.js';
import type { QueryTerms } from '../terms/terms.js';
import type { GroupRecords } from './group-records.js';

/** Null = an error: unbound. */
export function writeValue(value: Value | null, column: IdColumn, row: number, terms: QueryTerms): void {
  if (value === null) {
    column[2 * row] = 0;
    column[2 * row + 1] = 0;
    return;
  }
  if (writeNumber(value, column, row, terms, false)) return;
  const id = terms.encodeMade(literalOf(value));
  column[2 * row] = lowOf(id);
  column[2 * row + 1] = highOf(id);
}

const room = keptInMemory((memory) => memory.wordsAt(memory.allocate(8 * BATCH_ROWS), 2 * BATCH_ROWS));

/** Records that are one whole number each. */
export function writeIntegers(
  { address, doubles }: GroupRecords,
  first: number,
  count: number,
  column: IdColumn,
  terms: QueryTerms,
): void {
  const written = room();
  const done = threadMemory().kernels.integerIds(address + 8 * first, 8, count, written.byteOffset);
  column.set(written.subarray(0, 2 * done));
  for (let row = done; row < count; row++) {
    writeValue(integerValue(doubles[first + row] as number), column, row, terms);
  }
}
