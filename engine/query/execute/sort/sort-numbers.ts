/** Inlined numbers and times as doubles whose order is that of ORDER BY. */

import { auxiliaryOfHigh, millisecondsOfHalves, numericOfHalves, tagOfHigh } from '../../../storage/ids/halves.js';
import { TAG, ZONE_NONE } from '../../../storage/ids/layout.js';

export type NumberKind = 'numbers' | 'times';

/** Dates come after all dateTimes, whose instants end with the year 9999: half of this in milliseconds. */
const DATES_OFFSET = 2 ** 51;

/** NaN for an id of another kind. Unbound stands before all others. */
export function sortNumber(kind: NumberKind, low: number, high: number): number {
  if (low === 0 && high === 0) return Number.NEGATIVE_INFINITY;
  return kind === 'numbers' ? numericOfHalves(low, high) : timeOf(low, high);
}

/** Twice the instant, those without a zone before those with one. */
function timeOf(low: number, high: number): number {
  const instant = 2 * millisecondsOfHalves(low, high) + (auxiliaryOfHigh(high) === ZONE_NONE ? 0 : 1);
  return tagOfHigh(high) === TAG.date ? instant + DATES_OFFSET : instant;
}
