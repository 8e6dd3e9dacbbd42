/** The second input, an inner plan, is run for batches of rows of the first. */

import { ApplyOperator, type ApplySpec } from '../execute/join/apply.js';
import { named, never, type PhysicalOperator, type PlanNode } from './physical-operator.js';

export interface ApplyAction {
  readonly kind: 'apply';
  readonly spec: ApplySpec;
  readonly label: string;
}

/** Columns of all nodes of a plan. */
function allColumns(plan: PlanNode): string[] {
  return [...plan.facts.variables, ...plan.inputs.flatMap(allColumns)];
}

export const apply: PhysicalOperator<ApplyAction> = {
  detail: ({ action: { label, spec } }) => `${label} for the rows of ${named(spec.outer)}`.trim(),
  open: ({ action }, input, { slots, marks, budget }) =>
    new ApplyOperator(input(0), () => input(1), action.spec, slots, marks, budget),
  pairsRows: ({ action }) => action.spec.kind === 'left',
  usesOrder: never,
  matches: ({ action: { spec }, inputs }) => [
    ...spec.outer,
    ...spec.added,
    ...spec.completed,
    ...allColumns(inputs[1] as PlanNode),
  ],
};
