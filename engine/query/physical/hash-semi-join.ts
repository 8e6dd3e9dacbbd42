/** FILTER EXISTS and MINUS by a table of the other side, with comparisons that tell the partners where there are any. */

import { HashSemiJoinOperator } from '../execute/join/hash-semi-join.js';
import type { RangePredicates } from '../execute/range-join/range-index.js';
import { joinRun } from '../execute/tables/join-run.js';
import { type Keyed, keyedDetail, rangeDetail, readsOfKeyed } from './keyed-join.js';
import { type Definition, keepsFirstOrder, type Relaxed, relaxed } from './physical-operator.js';

export interface HashSemiJoin extends Keyed, Relaxed {
  /** Comparisons of the condition by which partners are found. */
  readonly range?: RangePredicates;
  readonly anti: boolean;
  readonly label: string;
}

/** Rows that have, or lack, a partner in a table of the second input: EXISTS, NOT EXISTS and MINUS. */
export const hashSemiJoin: Definition<'hashSemiJoin', HashSemiJoin> = {
  detail: ({ action }) => `${action.label}${keyedDetail(action)}${rangeDetail(action.range)}`,
  open: ({ action: { keys, anti, unordered, condition, range }, facts }, input, { terms, budget }) => {
    const tested = condition === null ? null : { expression: condition, terms, range: range ?? null };
    const run = joinRun(unordered);
    return new HashSemiJoinOperator(input(0), input(1), keys, anti, budget, run, facts.variables, tested);
  },
  columns: 'joined',
  reads: readsOfKeyed,
  showsInput: (at) => at === 0,
  usesOrder: keepsFirstOrder,
  relaxed,
  matches: readsOfKeyed,
};
