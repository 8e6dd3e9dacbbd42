/** The first input's rows look up their partners in a table of the second's. */

import { HashJoinOperator } from '../execute/join/hash-join.js';
import type { HashJoinKeys } from '../execute/tables/build-table.js';
import { joinRun } from '../execute/tables/join-run.js';
import {
  always,
  type Definition,
  keepsFirstOrder,
  named,
  type Relaxed,
  relaxed,
  sharedColumns,
} from './physical-operator.js';

export const hashJoin: Definition<'hashJoin', Relaxed & { readonly keys: HashJoinKeys }> = {
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
  relaxed,
  matches: sharedColumns,
};
