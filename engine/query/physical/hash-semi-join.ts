/** Rows that have, or lack, a partner in a table of the second input: EXISTS, NOT EXISTS and MINUS. */

import { type Expression, formatExpression } from '../algebra/expression.js';
import { HashSemiJoinOperator } from '../execute/join/hash-semi-join.js';
import type { RangePredicates } from '../execute/range-join/range-index.js';
import type { HashJoinKeys } from '../execute/tables/build-table.js';
import { joinRun } from '../execute/tables/join-run.js';
import { keepsFirstOrder } from './hash-join.js';
import { named, type PhysicalOperator, type PlanNode, readBy, sharedColumns } from './physical-operator.js';

export interface HashSemiJoinAction {
  readonly kind: 'hashSemiJoin';
  readonly keys: HashJoinKeys;
  /** What a partner has to meet besides the keys; null = nothing. */
  readonly condition: Expression | null;
  /** Comparisons of the condition by which partners are found. */
  readonly range?: RangePredicates;
  readonly anti: boolean;
  readonly label: string;
  /** Nothing above makes use of the order of the first input's rows. */
  readonly unordered?: boolean;
}

function readsOf(node: PlanNode<HashSemiJoinAction>): string[] {
  const { range, condition } = node.action;
  const sought = range === undefined ? [] : [range.value, ...range.bounds.map(({ variable }) => variable)];
  return [...sharedColumns(node), ...sought, ...readBy([condition])];
}

export const hashSemiJoin: PhysicalOperator<HashSemiJoinAction> = {
  detail: ({ action: { keys, condition, range, label } }) => {
    const names = named([...keys.certain, ...keys.loose]);
    const tested = condition === null ? '' : ` if ${formatExpression(condition)}`;
    const sorted =
      range === undefined ? '' : `, by sorted ${formatExpression({ kind: 'variable', name: range.value })}`;
    return `${label}${names === '' ? '' : ` on ${names}`}${tested}${sorted}`;
  },
  open: ({ action: { keys, anti, unordered, condition, range }, facts }, input, { terms, budget }) => {
    const tested = condition === null ? null : { expression: condition, terms, range: range ?? null };
    const run = joinRun(unordered);
    return new HashSemiJoinOperator(input(0), input(1), keys, anti, budget, run, facts.variables, tested);
  },
  columns: 'joined',
  reads: readsOf,
  showsInput: (at) => at === 0,
  usesOrder: keepsFirstOrder,
  relaxed: (action) => ({ ...action, unordered: true }),
  matches: readsOf,
};
