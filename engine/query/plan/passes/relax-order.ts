/**
 * Lets scans and hash joins give their rows in any sequence where nothing above makes use of their
 * order: a scan that reads several runs then reads one after the other instead of merging them, and a
 * join that has to split its inputs need not put the parts in order again.
 */

import type { Plan } from '../../physical/plan.js';

/** `ordered`: what stands above relies on the order of the plan's rows. */
export function looseScans(plan: Plan, ordered = false): Plan {
  const { action } = plan;
  if (action.kind === 'scan') {
    if (ordered) return plan;
    const request = { ...action.spec.request, unordered: true };
    return { ...plan, action: { ...action, spec: { ...action.spec, request } } };
  }
  const inputs = plan.inputs.map((input, at) => looseScans(input, reliesOnOrder(plan, at, ordered)));
  if (action.kind === 'hashJoin' || action.kind === 'hashSemiJoin' || action.kind === 'intersectJoin') {
    return { ...plan, inputs, action: { ...action, unordered: !ordered } };
  }
  if (action.kind === 'apply') return { ...plan, inputs, action: { ...action, inner: looseScans(action.inner) } };
  return { ...plan, inputs };
}

export function reliesOnOrder({ action }: Plan, input: number, ordered: boolean): boolean {
  switch (action.kind) {
    case 'mergeJoin':
    // Keys that ascend are looked up by going forward.
    case 'indexJoin':
    case 'starJoin':
      return true;
    case 'intersectJoin':
      // The lists of the patterns ascend.
      return input > 0 || ordered;
    case 'hashJoin':
    case 'hashSemiJoin':
      // The rows of the first input come out in their order; the second is put into a table.
      return input === 0 && ordered;
    case 'aggregate':
      return action.sorted || action.aggregates.some(({ adjacent }) => adjacent === true);
    case 'distinct':
      return ordered || action.adjacent === true;
    case 'sort':
    case 'extremes':
    case 'union':
    case 'apply':
    case 'hashLeftJoin':
    case 'closureJoin':
      return false;
    default:
      return ordered;
  }
}
