/** Plans with other columns. */

import type { Expression } from '../../algebra/expression.js';
import { orderWithin, type Plan, planOver } from '../../physical/plan.js';
import { EVALUATE_COST } from '../context/costs.js';

/** A computed column; `certain`: every row has a value. */
export function extendPlan(input: Plan, variable: string, expression: Expression, certain: boolean): Plan {
  const { facts } = input;
  return planOver(
    input,
    { kind: 'extend', variable, expression },
    {
      certain: certain ? new Set([...facts.certain, variable]) : facts.certain,
      variables: [...facts.variables, variable],
      cost: facts.cost + facts.rows * EVALUATE_COST,
    },
  );
}

/** Chosen and put in order; a variable that the input does not have is unbound. */
export function projectPlan(input: Plan, variables: readonly string[]): Plan {
  const { facts } = input;
  if (variables.length === facts.variables.length && variables.every((name, index) => name === facts.variables[index]))
    return input;
  const certain = new Set(variables.filter((name) => facts.certain.has(name)));
  return planOver(input, { kind: 'project' }, { variables, certain, order: orderWithin(facts.order, variables) });
}
