/** What goes over a finished plan, in this order. Each pass can be switched off by its name; no answer depends on any. */

import type { Plan } from '../../physical/plan.js';
import type { PlanChoice } from '../context/choices.js';
import type { PlanContext } from '../context/context.js';
import { pruneColumns } from './prune-columns.js';
import { markQueryLocal } from './query-local.js';
import { relaxOrder } from './relax-order.js';
import { markTransient } from './transient-terms.js';

interface Pass {
  readonly name: PlanChoice;
  readonly run: (plan: Plan) => Plan;
}

export const PASSES: readonly Pass[] = [
  { name: 'unordered-scans', run: (plan) => relaxOrder(plan) },
  { name: 'prune-columns', run: pruneColumns },
  { name: 'query-local', run: markQueryLocal },
  { name: 'transient-terms', run: markTransient },
];

export function runPasses(plan: Plan, context: PlanContext): Plan {
  let passed = plan;
  for (const { name, run } of PASSES) {
    if (!context.allows(name)) continue;
    passed = run(passed);
    context.check();
  }
  return passed;
}
