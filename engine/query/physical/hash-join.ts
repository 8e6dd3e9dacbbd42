/** The first input's rows look up their partners in a table of the second's. */

import { HashJoinOperator } from '../execute/join/hash-join.js';
import type { HashJoinKeys } from '../execute/tables/build-table.js';
import { joinRun } from '../execute/tables/join-run.js';
import { always, named, type PhysicalOperator, sharedColumns } from './physical-operator.js';

export interface HashJoinAction {
  readonly kind: 'hashJoin';
  readonly keys: HashJoinKeys;
  /** Nothing above makes use of the order of the first input's rows. */
  readonly unordered?: boolean;
}

/** The rows of the first input come out in their order; the second is put into a table. */
export function keepsFirstOrder(_: unknown, at: number, ordered: boolean): boolean {
  return at === 0 && ordered;
}

export const hashJoin: PhysicalOperator<HashJoinAction> = {
  detail: ({ action: { keys } }) => {
    if (keys.certain.length + keys.loose.length === 0) return 'cross product';
    return `on ${named([...keys.certain, ...keys.loose.map((name) => `${name} (may be unbound)`)])}`;
  },
  open: ({ action, facts }, input, { budget }) =>
    new HashJoinOperator(input(0), input(1), action.keys, budget, joinRun(action.unordered), facts.variables),
  pairsRows: always,
  columns: 'joined',
  reads: sharedColumns,
  usesOrder: keepsFirstOrder,
  relaxed: (action) => ({ ...action, unordered: true }),
  matches: sharedColumns,
};
