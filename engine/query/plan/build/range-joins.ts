/** Joins by comparisons of something of one side with something of the other. */

import { conjunctionOf, type Expression } from '../../algebra/expression.js';
import type { Plan } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import { rangeJoinCost } from '../context/costs.js';
import { joinFacts, sharedKeys } from './joins.js';
import { rangedSides } from './range-predicates.js';

/** The pairs of rows that meet the conditions; null where no comparison among them tells the partners of a row. */
export function rangeJoin(
  probe: Plan,
  build: Plan,
  conditions: readonly Expression[],
  context: PlanContext,
): Plan | null {
  const keys = sharedKeys(probe.facts, build.facts);
  const ranged = keys.loose.length > 0 ? null : rangedSides(probe, build, conditions, context);
  if (ranged === null) return null;
  const { left, right, range, tested } = ranged;
  const facts = joinFacts(probe.facts, build.facts, probe.facts.order);
  return {
    action: { kind: 'rangeJoin', keys, condition: conjunctionOf(tested) as Expression, range },
    inputs: [left, right],
    facts: { ...facts, ...rangeJoinCost(left.facts, right.facts, facts.rows, facts.rows) },
  };
}
