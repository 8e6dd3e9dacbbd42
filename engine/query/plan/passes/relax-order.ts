/**
 * Lets scans and hash joins give their rows in any sequence where nothing above makes use of their
 * order: a scan that reads several runs then reads one after the other instead of merging them, and a
 * join that has to split its inputs need not put the parts in order again.
 */

import { mapInputs, operatorOf, type Plan, usesOrder } from '../../physical/plan.js';

/** `ordered`: what stands above relies on the order of the plan's rows. */
export function relaxOrder(plan: Plan, ordered = false): Plan {
  const definition = operatorOf(plan);
  const below = mapInputs(plan, (input, at) => relaxOrder(input, usesOrder(plan, at, ordered)));
  return ordered || definition.relaxed === undefined ? below : { ...below, action: definition.relaxed(plan.action) };
}
