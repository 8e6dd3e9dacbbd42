/** Constraints that compare the values of a node with those of another property of it (SHACL 4.5). */

import { compareTerms } from '../../rdf/values/index.js';
import { compareInlineHalves } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { DataGraph, Pairs } from '../data/data-graph.js';
import { IdList, placeOf } from '../data/id-columns.js';
import { startsOf } from '../data/path-values.js';
import type { Pace } from '../yield-timer.js';
import { type Batch, type Check, eachRow } from './check.js';

export class EqualsCheck implements Check {
  constructor(
    private readonly predicate: TermId,
    private readonly view: DataGraph,
  ) {}

  run({ nodes, values, constraint, reporter }: Batch): void {
    const others = this.view.objects(nodes, this.predicate);
    const starts = startsOf(others, nodes.count);
    eachRow(nodes, values, (row, from, to) => {
      const [otherFrom, otherTo] = [starts[row] as number, starts[row + 1] as number];
      eachMissing(values, from, to, others, otherFrom, otherTo, (low, high) =>
        reporter.fail(constraint, row, low, high),
      );
      eachMissing(others, otherFrom, otherTo, values, from, to, (low, high) =>
        reporter.fail(constraint, row, low, high),
      );
    });
  }
}

export class DisjointCheck implements Check {
  constructor(
    private readonly predicate: TermId,
    private readonly view: DataGraph,
  ) {}

  run({ nodes, values, constraint, reporter }: Batch): void {
    const others = this.view.objects(nodes, this.predicate);
    const starts = startsOf(others, nodes.count);
    eachRow(nodes, values, (row, from, to) => {
      const known = rangeOf(others, starts[row] as number, starts[row + 1] as number);
      for (let at = from; at < to; at++) {
        const [low, high] = [values.ids[2 * at] as number, values.ids[2 * at + 1] as number];
        if (placeOf(known, low, high) >= 0) reporter.fail(constraint, row, low, high);
      }
    });
  }
}

/** Pairs of which the terms are decoded at once, and pairs between two looks at the clock. */
const PAIRS_AT_ONCE = 16_384;

/** Every value must be less than every value of the other property; each pair that is not is a result. */
export class LessThanCheck implements Check {
  constructor(
    private readonly predicate: TermId,
    private readonly orEqual: boolean,
    private readonly view: DataGraph,
    private readonly pace: Pace,
  ) {}

  run({ nodes, values, constraint, reporter }: Batch): void {
    const others = this.view.objects(nodes, this.predicate);
    const starts = startsOf(others, nodes.count);
    const fail = (row: number, low: number, high: number): void => reporter.fail(constraint, row, low, high);
    const open = new OpenPairs(this.view, this.orEqual, fail);
    let compared = 0;
    eachRow(nodes, values, (row, from, to) => {
      for (let at = from; at < to; at++) {
        const [low, high] = [values.ids[2 * at] as number, values.ids[2 * at + 1] as number];
        for (let other = starts[row] as number; other < (starts[row + 1] as number); other++) {
          if (++compared % PAIRS_AT_ONCE === 0) this.pace.check();
          const [otherLow, otherHigh] = [others.ids[2 * other] as number, others.ids[2 * other + 1] as number];
          const order = compareInlineHalves(low, high, otherLow, otherHigh);
          if (Number.isNaN(order)) open.add(row, low, high, otherLow, otherHigh);
          else if (this.orEqual ? order > 0 : order >= 0) fail(row, low, high);
        }
      }
    });
    open.settle();
  }
}

/** Pairs that only their terms decide. */
class OpenPairs {
  readonly #rows: number[] = [];
  readonly #left = new IdList();
  readonly #right = new IdList();

  constructor(
    private readonly view: DataGraph,
    private readonly orEqual: boolean,
    private readonly fail: (row: number, low: number, high: number) => void,
  ) {}

  add(row: number, low: number, high: number, otherLow: number, otherHigh: number): void {
    this.#rows.push(row);
    this.#left.push(low, high);
    this.#right.push(otherLow, otherHigh);
    if (this.#rows.length === PAIRS_AT_ONCE) this.settle();
  }

  settle(): void {
    const [left, right] = [this.#left, this.#right];
    const [a, b] = [this.view.decode(left.ids, left.count), this.view.decode(right.ids, right.count)];
    for (const [at, row] of this.#rows.entries()) {
      const isMet = compareTerms(this.orEqual ? '<=' : '<', a[at] as (typeof a)[number], b[at] as (typeof b)[number]);
      if (isMet !== true) this.fail(row, left.ids[2 * at] as number, left.ids[2 * at + 1] as number);
    }
    this.#rows.length = 0;
    left.count = 0;
    right.count = 0;
  }
}

function rangeOf({ ids }: Pairs, from: number, to: number) {
  return { ids: ids.subarray(2 * from, 2 * to), count: to - from };
}

/** The ids of one range that are not in another; both ascending. */
function eachMissing(
  from: Pairs,
  first: number,
  end: number,
  others: Pairs,
  otherFirst: number,
  otherEnd: number,
  take: (low: number, high: number) => void,
): void {
  const known = rangeOf(others, otherFirst, otherEnd);
  for (let at = first; at < end; at++) {
    const [low, high] = [from.ids[2 * at] as number, from.ids[2 * at + 1] as number];
    if (placeOf(known, low, high) < 0) take(low, high);
  }
}
