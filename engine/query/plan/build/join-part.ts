/** The parts of a group that are joined. */

import type { Plan } from '../../physical/plan.js';
import type { PatternLeaf } from '../access/pattern-leaf.js';
import type { PlanContext } from '../context/context.js';
import { scanPlans } from '../context/leaf.js';

/** One part of a group: a pattern, or anything that has its own plan. */
export interface JoinPart {
  readonly plans: readonly Plan[];
  /** Null when the part can only be read as a whole. */
  readonly leaf: PatternLeaf | null;
  /** A way of its own to join the part to what is planned before it; null where it does not apply. */
  readonly joinTo?: (input: Plan) => Plan | null;
}

export function partOfPattern(
  leaf: PatternLeaf,
  wanted: ReadonlySet<string>,
  joined: boolean,
  context: PlanContext,
): JoinPart {
  return { plans: scanPlans(leaf, wanted, joined, context), leaf };
}
