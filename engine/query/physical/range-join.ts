/** The first input's rows find their partners in a table of the second's by comparisons. */

import type { Expression } from '../algebra/expression.js';
import { RangeJoinOperator } from '../execute/join/range-join.js';
import type { RangePredicates } from '../execute/range-join/range-index.js';
import type { HashJoinKeys } from '../execute/tables/build-table.js';
import { joinRun } from '../execute/tables/join-run.js';
import { keyedDetail, rangeDetail, readsOfKeyed } from './keyed-join.js';
import { always, type Definition, keepsFirstOrder, type Relaxed, relaxed } from './physical-operator.js';

export interface RangeJoin extends Relaxed {
  /** All of them bound on both sides. */
  readonly keys: HashJoinKeys;
  readonly condition: Expression;
  readonly range: RangePredicates;
}

export const rangeJoin: Definition<'rangeJoin', RangeJoin> = {
  detail: ({ action }) => `${keyedDetail(action)}${rangeDetail(action.range)}`.trim(),
  open: ({ action: { keys, unordered, condition, range }, facts }, input, { terms, budget }) => {
    const tested = { expression: condition, terms, range };
    return new RangeJoinOperator(input(0), input(1), keys, tested, budget, joinRun(unordered), facts.variables);
  },
  pairsRows: always,
  columns: 'joined',
  reads: readsOfKeyed,
  usesOrder: keepsFirstOrder,
  relaxed,
  matches: readsOfKeyed,
};
