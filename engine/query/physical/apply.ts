/** Runs an inner plan for batches of the rows of the first input: OPTIONAL, EXISTS and NOT EXISTS that no join takes, UNION and subqueries. */

import { ApplyOperator, type ApplySpec, pairsRows } from '../execute/join/apply.js';
import { type Definition, named, never, type PlanNode } from './physical-operator.js';

/** Columns of all nodes of a plan. */
function allColumns(plan: PlanNode): string[] {
  return [...plan.facts.variables, ...plan.inputs.flatMap(allColumns)];
}

/** The second input, an inner plan, is run for batches of rows of the first. */
export const apply: Definition<'apply', { readonly spec: ApplySpec; readonly label: string }> = {
  detail: ({ action: { label, spec } }) => `${label} for the rows of ${named(spec.outer)}`.trim(),
  open: ({ action }, input, { slots, marks, budget }) =>
    new ApplyOperator(input(0), () => input(1), action.spec, slots, marks, budget),
  pairsRows: ({ action }) => pairsRows(action.spec.kind),
  usesOrder: never,
  matches: ({ action: { spec }, inputs }) => [
    ...spec.outer,
    ...spec.added,
    ...spec.completed,
    ...allColumns(inputs[1] as PlanNode),
  ],
};
