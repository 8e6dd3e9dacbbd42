/** Ids as sets: ascending columns, each id once. */

import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';

/** The distinct ids of some, ascending. */
export function idSet(ids: Iterable<TermId>): IdColumn {
  return asColumn(BigUint64Array.from(new Set(ids)).sort());
}

export function asColumn(sorted: BigUint64Array<ArrayBuffer>): IdColumn {
  return new Uint32Array(sorted.buffer, sorted.byteOffset, 2 * sorted.length);
}

export function hasId(set: IdColumn, low: number, high: number): boolean {
  let [from, to] = [0, set.length / 2];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const [otherLow, otherHigh] = [set[2 * middle] as number, set[2 * middle + 1] as number];
    if (otherHigh < high || (otherHigh === high && otherLow < low)) from = middle + 1;
    else to = middle;
  }
  return set[2 * from] === low && set[2 * from + 1] === high;
}

export function holds(set: IdColumn, id: TermId): boolean {
  return hasId(set, lowOf(id), highOf(id));
}

export function intersection(one: IdColumn, other: IdColumn): IdColumn {
  const kept = new Uint32Array(one.length);
  let length = 0;
  for (let at = 0; at < one.length; at += 2) {
    const [low, high] = [one[at] as number, one[at + 1] as number];
    if (!hasId(other, low, high)) continue;
    kept[length++] = low;
    kept[length++] = high;
  }
  return kept.slice(0, length);
}
