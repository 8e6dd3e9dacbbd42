/**
 * Columns of ids as sets: ascending, each id once. Ids are two halves, low first, so that the words of a
 * column are also unsigned 64-bit numbers, which typed arrays sort without an object for any of them.
 */

import { idOfHalves } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';

export interface IdSet {
  readonly ids: IdColumn;
  readonly count: number;
}

export const NO_IDS: IdSet = { ids: new Uint32Array(0), count: 0 };

/** A column that grows. */
export class IdList {
  ids: Uint32Array<ArrayBuffer>;
  count = 0;

  constructor(capacity = 64) {
    this.ids = new Uint32Array(2 * Math.max(1, capacity));
  }

  push(low: number, high: number): void {
    if (2 * this.count === this.ids.length) this.ids = grown(this.ids, 4 * this.count);
    this.ids[2 * this.count] = low;
    this.ids[2 * this.count + 1] = high;
    this.count++;
  }

  append(column: IdColumn, rows: number): void {
    const wanted = this.count + rows;
    if (2 * wanted > this.ids.length) this.ids = grown(this.ids, 2 * Math.max(wanted, this.ids.length));
    this.ids.set(column.subarray(0, 2 * rows), 2 * this.count);
    this.count = wanted;
  }

  toSet(): IdSet {
    return distinct(this.ids, this.count);
  }
}

export function grown(words: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(words);
  return larger;
}

/** The ids of a column as a set; the column stays as it is. */
export function distinct(ids: IdColumn, count: number): IdSet {
  const copy = ids.slice(0, 2 * count);
  if (!isAscending(copy, count)) new BigUint64Array(copy.buffer, 0, count).sort();
  return { ids: copy, count: dropRepeats(copy, count) };
}

function isAscending(ids: IdColumn, count: number): boolean {
  for (let row = 1; row < count; row++) {
    const high = ids[2 * row + 1] as number;
    const before = ids[2 * row - 1] as number;
    if (high < before || (high === before && (ids[2 * row] as number) < (ids[2 * row - 2] as number))) return false;
  }
  return true;
}

function dropRepeats(ids: IdColumn, count: number): number {
  let kept = 0;
  for (let row = 0; row < count; row++) {
    const low = ids[2 * row] as number;
    const high = ids[2 * row + 1] as number;
    if (kept > 0 && ids[2 * kept - 2] === low && ids[2 * kept - 1] === high) continue;
    ids[2 * kept] = low;
    ids[2 * kept + 1] = high;
    kept++;
  }
  return kept;
}

/** The place of an id in a set, or -1. */
export function placeOf({ ids, count }: IdSet, low: number, high: number): number {
  const at = placeFrom(ids, 0, count, low, high);
  return at < count && ids[2 * at] === low && ids[2 * at + 1] === high ? at : -1;
}

/** The first of the ascending rows `[first, end)` that holds the id or a higher one; `end` where none does. */
export function placeFrom(ids: IdColumn, first: number, end: number, low: number, high: number): number {
  let [from, to] = [first, end];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const atHigh = ids[2 * middle + 1] as number;
    if (atHigh < high || (atHigh === high && (ids[2 * middle] as number) < low)) from = middle + 1;
    else to = middle;
  }
  return from;
}

export function union(sets: readonly IdSet[]): IdSet {
  const some = sets.filter(({ count }) => count > 0);
  if (some.length <= 1) return some[0] ?? NO_IDS;
  const all = new IdList(some.reduce((rows, { count }) => rows + count, 0));
  for (const { ids, count } of some) all.append(ids, count);
  return all.toSet();
}

/** The ids of the first set that are, or are not, in the second. */
export function keep(from: IdSet, other: IdSet, isIn: boolean): IdSet {
  return where(from, (low, high) => placeOf(other, low, high) >= 0 === isIn);
}

/** The ids of a set that pass a test. */
export function where({ ids, count }: IdSet, passes: (low: number, high: number) => boolean): IdSet {
  const kept = new IdList(count);
  for (let row = 0; row < count; row++) {
    const [low, high] = [ids[2 * row] as number, ids[2 * row + 1] as number];
    if (passes(low, high)) kept.push(low, high);
  }
  return kept;
}

/** A set with all that steps lead to from its ids; each id is stepped from once. */
export function reached(start: IdSet, step: (fresh: IdSet) => IdSet): IdSet {
  let found = start;
  for (let fresh = start; fresh.count > 0; ) {
    fresh = keep(step(fresh), found, false);
    found = union([found, fresh]);
  }
  return found;
}

/** Rows `[from, to)` of a set. */
export function part({ ids }: IdSet, from: number, to: number): IdSet {
  return { ids: ids.subarray(2 * from, 2 * to), count: to - from };
}

export function eachId({ ids, count }: IdSet): TermId[] {
  const found: TermId[] = [];
  for (let row = 0; row < count; row++) found.push(idOfHalves(ids[2 * row] as number, ids[2 * row + 1] as number));
  return found;
}
