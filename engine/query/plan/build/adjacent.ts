/**
 * DISTINCT over rows that an order of the index brings together: where the variables by which rows are told apart are the
 * first ones of the order, in any sequence, equal rows come one after the other, and nobody has to remember them. A single scan
 * is read in the order that does this for most.
 */

import type { Aggregate } from '../../algebra/algebra.js';
import type { Plan } from '../../physical/plan.js';
import { scanOrders } from '../access/scan-orders.js';
import type { PlanContext } from '../context/context.js';

/** Columns that are told apart by comparing neighbours, at most. */
const COLUMNS_MAX = 8;

/** True where rows that agree in the variables are neighbours. */
export function areAdjacent(order: readonly string[], variables: readonly string[]): boolean {
  const wanted = new Set(variables);
  if (wanted.size === 0 || wanted.size > COLUMNS_MAX || order.length < wanted.size) return false;
  return order.slice(0, wanted.size).every((name) => wanted.has(name));
}

/** The aggregates of a group, marked where its input has their distinct values side by side. */
export function markAdjacent(aggregates: readonly Aggregate[], keys: readonly string[], { facts }: Plan): Aggregate[] {
  return aggregates.map((aggregate) =>
    areAdjacent(facts.order, distinctBy(aggregate, keys)) ? { ...aggregate, adjacent: true as const } : aggregate,
  );
}

/** The input of a GROUP BY, read in the order that suits most of its distinct aggregates. */
export function orderForDistincts(
  input: Plan,
  aggregates: readonly Aggregate[],
  keys: readonly string[],
  context: PlanContext,
): Plan {
  return bestOrder(
    input,
    aggregates.map((aggregate) => distinctBy(aggregate, keys)).filter((names) => names.length > 0),
    context,
  );
}

/** The plan over the order that has equal rows of most of the lists of variables side by side; itself where none does better. */
export function bestOrder(input: Plan, lists: readonly (readonly string[])[], context: PlanContext): Plan {
  if (lists.length === 0 || !context.allows('adjacent-distincts')) return input;
  const score = ({ facts }: Plan): number => lists.filter((names) => areAdjacent(facts.order, names)).length;
  return scanOrders(input).reduce((best, plan) => (score(plan) > score(best) ? plan : best), input);
}

/** What tells the values of an aggregate with DISTINCT apart; nothing for others. */
function distinctBy({ distinct, expression }: Aggregate, keys: readonly string[]): readonly string[] {
  return distinct && expression?.kind === 'variable' ? [...keys, expression.name] : [];
}
