/** Ids of computed numbers, dates and times, found without making their terms. */

import type { Value } from '../../rdf/values/index.js';
import { writeDecimalHalves, writeIntegerHalves } from '../../storage/ids/halves.js';
import { writeTemporalHalves } from '../../storage/ids/inline-values.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { QueryTerms } from './terms.js';

/**
 * Writes the id of a number, a date or a dateTime into a row; false, and nothing written, for other values and for those that
 * are too long.
 * `apart`: it is never matched with stored terms.
 */
export function writeNumber(value: Value, column: IdColumn, row: number, terms: QueryTerms, apart: boolean): boolean {
  switch (value.kind) {
    case 'integer':
      return typeof value.value === 'number' && writeIntegerHalves(column, row, value.value);
    case 'decimal': {
      const digits = Number(value.unscaled);
      return Number.isSafeInteger(digits) && writeDecimalHalves(column, row, digits, value.scale);
    }
    case 'double':
      terms.writeDouble(value.value, column, row, apart);
      return true;
    case 'date':
    case 'dateTime':
      return writeTemporalHalves(column, row, value);
    default:
      return false;
  }
}
