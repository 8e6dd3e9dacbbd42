/**
 * Whether it pays to think of one more way to run a part. Planning takes time, too: some 50 microseconds for each pattern, once for
 * each new text. What reads less than that as a whole is read as a whole.
 */

import type { Algebra } from '../../algebra/algebra.js';
import { childrenOf } from '../../algebra/algebra.js';
import type { PlanFacts } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import { PLAN_PATTERN_COST, RUN_COST } from '../context/costs.js';

/** What reads less is not worth a second plan, however small that is. */
const WHOLE_COST_MIN = 3 * RUN_COST;

/** `whole`: the part without anything that narrows it, by a hash table; `before`: further plans of it that there are. */
export function isWorthAnotherPlan(node: Algebra, whole: PlanFacts, context: PlanContext, before = 0): boolean {
  if (!context.allows('hash-joins')) return true;
  return whole.cost >= (1 + before) * Math.max(WHOLE_COST_MIN, patternsIn(node) * PLAN_PATTERN_COST);
}

function patternsIn(node: Algebra): number {
  const own = node.kind === 'patterns' ? node.patterns.length : node.kind === 'closure' ? 1 : 0;
  return childrenOf(node).reduce((sum, child) => sum + patternsIn(child), own);
}
