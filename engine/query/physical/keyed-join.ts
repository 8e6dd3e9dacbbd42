/** What joins by keys have in common: keys, a condition, and what they read. */

import { type Expression, formatExpression } from '../algebra/expression.js';
import type { RangePredicates } from '../execute/range-join/range-index.js';
import type { HashJoinKeys } from '../execute/tables/build-table.js';
import { named, type PlanNode, readBy, sharedColumns } from './physical-operator.js';

export interface Keyed {
  readonly keys: HashJoinKeys;
  /** What a partner has to meet besides the keys; null = nothing. */
  readonly condition: Expression | null;
}

export function readsOfKeyed(node: PlanNode<Keyed & { readonly range?: RangePredicates }>): string[] {
  const { condition, range } = node.action;
  const sought = range === undefined ? [] : [range.value, ...range.bounds.map(({ variable }) => variable)];
  return [...sharedColumns(node), ...sought, ...readBy([condition])];
}

/** By which value the partners are sorted. */
export function rangeDetail(range: RangePredicates | undefined): string {
  return range === undefined ? '' : `, by sorted ${formatExpression({ kind: 'variable', name: range.value })}`;
}

export function keyedDetail({ keys, condition }: Keyed): string {
  const names = named([...keys.certain, ...keys.loose]);
  return `${names === '' ? '' : ` on ${names}`}${condition === null ? '' : ` if ${formatExpression(condition)}`}`;
}
