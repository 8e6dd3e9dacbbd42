/** A path of arbitrary or optional length over steps that its first input gives. */

import { WalkOperator, type WalkSpec } from '../execute/rows/walk.js';
import type { Definition, PlanNode } from './physical-operator.js';

function allColumns(plan: PlanNode): string[] {
  return [...plan.facts.variables, ...plan.inputs.flatMap(allColumns)];
}

export const walk: Definition<'walk', { readonly spec: WalkSpec }> = {
  detail: ({ action: { spec } }) => spec.label,
  open: ({ action: { spec }, inputs, facts }, input, { terms, budget }) =>
    new WalkOperator(facts.variables, input(0), inputs.length > 1 ? input(1) : null, spec, terms, budget),
  matches: (plan) => allColumns(plan),
  computes: () => 'kept',
  boundToConstants: true,
};
