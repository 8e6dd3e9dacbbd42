/** OPTIONAL by a table of the optional side. */

import { type Expression, formatExpression } from '../algebra/expression.js';
import { HashLeftJoinOperator } from '../execute/join/hash-left-join.js';
import type { HashJoinKeys } from '../execute/tables/build-table.js';
import { UNORDERED_JOIN } from '../execute/tables/join-run.js';
import {
  always,
  named,
  never,
  type PhysicalOperator,
  type PlanNode,
  readBy,
  sharedColumns,
} from './physical-operator.js';

export interface HashLeftJoinAction {
  readonly kind: 'hashLeftJoin';
  readonly keys: HashJoinKeys;
  readonly condition: Expression | null;
}

function readsOf(node: PlanNode<HashLeftJoinAction>): string[] {
  return [...sharedColumns(node), ...readBy([node.action.condition])];
}

export const hashLeftJoin: PhysicalOperator<HashLeftJoinAction> = {
  detail: ({ action: { keys, condition } }) => {
    const tested = condition === null ? '' : ` if ${formatExpression(condition)}`;
    return `OPTIONAL on ${named([...keys.certain, ...keys.loose])}${tested}`;
  },
  open: ({ action: { keys, condition }, facts }, input, { terms, budget }) =>
    new HashLeftJoinOperator(input(0), input(1), keys, condition, terms, budget, UNORDERED_JOIN, facts.variables),
  pairsRows: always,
  columns: 'joined',
  reads: readsOf,
  usesOrder: never,
  matches: readsOf,
};
