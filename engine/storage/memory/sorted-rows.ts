/**
 * Sorted copies of the rows of a state. A write changes few of them, so the copy of a state is made from that of a state
 * before it: rows that were closed since stand where they stood, rows that were opened are put in by bisection. It costs
 * one pass of copying, where sorting compares every row some twenty times.
 */

import type { Order } from '../seam/scan.js';
import { compareRows, type Row, sortedRows } from './rows.js';

/** More changes than this are not remembered with a state that nobody reads in order. */
const CHANGES_MAX = 4096;

/** A sorted copy of the rows of an earlier state, and what happened since. */
interface Earlier {
  readonly rows: readonly Row[];
  readonly opened: readonly Row[];
  /** Rows of the copy -> the same rows, closed. */
  readonly closed: ReadonlyMap<Row, Row>;
}

export class SortedRows {
  readonly #rows: readonly Row[];
  readonly #sorted = new Map<Order, readonly Row[]>();
  readonly #earlier: ReadonlyMap<Order, Earlier>;

  constructor(rows: readonly Row[], earlier: ReadonlyMap<Order, Earlier> = new Map()) {
    this.#rows = rows;
    this.#earlier = earlier;
  }

  in(order: Order): readonly Row[] {
    let sorted = this.#sorted.get(order);
    if (sorted === undefined) {
      const earlier = this.#earlier.get(order);
      sorted = earlier === undefined ? sortedRows(this.#rows, order) : broughtUp(earlier, order);
      this.#sorted.set(order, sorted);
    }
    return sorted;
  }

  /** Those of the state after a write: `rows` are all of its rows. */
  after(rows: readonly Row[], opened: readonly Row[], closed: ReadonlyMap<Row, Row>): SortedRows {
    if (opened.length + closed.size > CHANGES_MAX) return new SortedRows(rows);
    const earlier = new Map<Order, Earlier>();
    for (const [order, before] of this.#earlier) {
      const together = followedBy(before, opened, closed);
      if (together.opened.length + together.closed.size <= CHANGES_MAX) earlier.set(order, together);
    }
    for (const [order, sorted] of this.#sorted) earlier.set(order, { rows: sorted, opened, closed });
    return new SortedRows(rows, earlier);
  }
}

function followedBy(before: Earlier, opened: readonly Row[], closed: ReadonlyMap<Row, Row>): Earlier {
  const ofThem = new Map(closed);
  const openedBefore = before.opened.map((row) => {
    const now = closed.get(row);
    ofThem.delete(row);
    return now ?? row;
  });
  return { rows: before.rows, opened: openedBefore.concat(opened), closed: new Map([...before.closed, ...ofThem]) };
}

function broughtUp({ rows, opened, closed }: Earlier, order: Order): readonly Row[] {
  const kept = closed.size === 0 ? rows : rows.map((row) => closed.get(row) ?? row);
  if (opened.length === 0) return kept;
  const pieces: (readonly Row[])[] = [];
  let from = 0;
  for (const row of sortedRows(opened, order)) {
    const to = placeOf(row, kept, from, order);
    pieces.push(kept.slice(from, to), [row]);
    from = to;
  }
  pieces.push(kept.slice(from));
  return pieces.flat();
}

/** Behind the last row, from `from` on, that does not come after `row`. */
function placeOf(row: Row, rows: readonly Row[], from: number, order: Order): number {
  let [low, high] = [from, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRows(rows[middle] as Row, row, order) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
