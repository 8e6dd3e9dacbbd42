/** OPTIONAL by a table of the optional side. */

import { HashLeftJoinOperator } from '../execute/join/hash-left-join.js';
import type { RangePredicates } from '../execute/range-join/range-index.js';
import { UNORDERED_JOIN } from '../execute/tables/join-run.js';
import { type Keyed, keyedDetail, rangeDetail, readsOfKeyed } from './keyed-join.js';
import { always, type Definition, never } from './physical-operator.js';

export interface HashLeftJoin extends Keyed {
  /** Comparisons of the condition by which partners are found. */
  readonly range?: RangePredicates;
}

export const hashLeftJoin: Definition<'hashLeftJoin', HashLeftJoin> = {
  detail: ({ action }) => `OPTIONAL${keyedDetail(action)}${rangeDetail(action.range)}`,
  open: ({ action: { keys, condition, range }, facts: { variables } }, input, { terms, budget }) => {
    const [left, right] = [input(0), input(1)];
    return new HashLeftJoinOperator(left, right, keys, condition, terms, budget, UNORDERED_JOIN, variables, range);
  },
  pairsRows: always,
  columns: 'joined',
  reads: readsOfKeyed,
  usesOrder: never,
  matches: readsOfKeyed,
};
