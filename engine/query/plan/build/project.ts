/** The columns of a plan, chosen and put in order; a variable that the input does not have is unbound. */

import type { Plan, PlanFacts } from '../../physical/plan.js';

export function projectPlan(input: Plan, variables: readonly string[]): Plan {
  const { facts } = input;
  if (variables.length === facts.variables.length && variables.every((name, index) => name === facts.variables[index]))
    return input;
  const hidden = facts.order.findIndex((name) => !variables.includes(name));
  const projected: PlanFacts = {
    ...facts,
    variables,
    certain: new Set(variables.filter((name) => facts.certain.has(name))),
    order: hidden < 0 ? facts.order : facts.order.slice(0, hidden),
  };
  return { action: { kind: 'project' }, inputs: [input], facts: projected };
}
