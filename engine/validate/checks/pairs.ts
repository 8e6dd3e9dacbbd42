/** Constraints that compare the values of a node with those of another property of it (SHACL 4.5). */

import type { NamedNode } from '../../rdf/terms.js';
import { compareTerms } from '../../rdf/values/index.js';
import { compareInlineHalves } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { DataGraph, Pairs } from '../data/data-graph.js';
import { IdList, type IdSet, part, placeOf } from '../data/id-columns.js';
import { startsOf } from '../data/path-values.js';
import { type Batch, type Check, type Evaluation, eachRow } from './check.js';

type Fail = (low: number, high: number) => void;

export function equalsCheck(predicate: TermId, view: DataGraph): Check {
  return (batch) =>
    compareValues(batch, view.objects(batch.nodes, predicate), (values, others, fail) => {
      eachMissing(values, others, fail);
      eachMissing(others, values, fail);
    });
}

export function disjointCheck(predicate: TermId, view: DataGraph): Check {
  return (batch) =>
    compareValues(batch, view.objects(batch.nodes, predicate), ({ ids, count }, others, fail) => {
      for (let at = 0; at < count; at++) {
        const [low, high] = [ids[2 * at] as number, ids[2 * at + 1] as number];
        if (placeOf(others, low, high) >= 0) fail(low, high);
      }
    });
}

/** Pairs of which the terms are decoded at once, and pairs between two looks at the clock. */
const PAIRS_AT_ONCE = 16_384;

/** Every value must be less than every value of the other property; each pair that is not is a result. */
export function lessThanCheck(predicate: NamedNode, orEqual: boolean, { view, timer }: Evaluation): Check {
  const id = view.idOf(predicate);
  return (batch) => {
    const undecided = new UndecidedPairs(view, orEqual);
    let compared = 0;
    compareValues(batch, view.objects(batch.nodes, id), (values, others, fail) => {
      for (let at = 0; at < values.count; at++) {
        const [low, high] = [values.ids[2 * at] as number, values.ids[2 * at + 1] as number];
        for (let other = 0; other < others.count; other++) {
          if (++compared % PAIRS_AT_ONCE === 0) timer.check();
          const [otherLow, otherHigh] = [others.ids[2 * other] as number, others.ids[2 * other + 1] as number];
          const order = compareInlineHalves(low, high, otherLow, otherHigh);
          if (Number.isNaN(order)) undecided.add(fail, low, high, otherLow, otherHigh);
          else if (orEqual ? order > 0 : order >= 0) fail(low, high);
        }
      }
    });
    undecided.settle();
  };
}

/** Calls `compare` for each focus node with its values and those of the other property. */
function compareValues(
  { nodes, values, constraint, reporter }: Batch,
  others: Pairs,
  compare: (values: IdSet, others: IdSet, fail: Fail) => void,
): void {
  const starts = startsOf(others, nodes.count);
  eachRow(nodes, values, (row, from, to) => {
    const fail: Fail = (low, high) => reporter.fail(constraint, row, low, high);
    compare(part(values, from, to), part(others, starts[row] as number, starts[row + 1] as number), fail);
  });
}

/** Pairs that only their terms decide. */
class UndecidedPairs {
  readonly #fails: Fail[] = [];
  readonly #left = new IdList();
  readonly #right = new IdList();

  constructor(
    private readonly view: DataGraph,
    private readonly orEqual: boolean,
  ) {}

  add(fail: Fail, low: number, high: number, otherLow: number, otherHigh: number): void {
    this.#fails.push(fail);
    this.#left.push(low, high);
    this.#right.push(otherLow, otherHigh);
    if (this.#fails.length === PAIRS_AT_ONCE) this.settle();
  }

  settle(): void {
    const [left, right] = [this.#left, this.#right];
    const [a, b] = [this.view.decode(left.ids, left.count), this.view.decode(right.ids, right.count)];
    for (const [at, fail] of this.#fails.entries()) {
      const isMet = compareTerms(this.orEqual ? '<=' : '<', a[at] as (typeof a)[number], b[at] as (typeof b)[number]);
      if (isMet !== true) fail(left.ids[2 * at] as number, left.ids[2 * at + 1] as number);
    }
    this.#fails.length = 0;
    left.count = 0;
    right.count = 0;
  }
}

/** The ids of one set that are not in another. */
function eachMissing({ ids, count }: IdSet, others: IdSet, take: Fail): void {
  for (let at = 0; at < count; at++) {
    const [low, high] = [ids[2 * at] as number, ids[2 * at + 1] as number];
    if (placeOf(others, low, high) < 0) take(low, high);
  }
}
