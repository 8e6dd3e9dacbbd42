/** A filter above a plan, and how many rows it leaves. */

import { type Expression, hasExists } from '../../algebra/expression.js';
import { distinctOf, type Plan, planOver } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import { conditionCost } from '../context/costs.js';
import { existsPlan, markExists } from './exists.js';

const RANGE_SELECTIVITY = 0.33;
const OTHER_SELECTIVITY = 0.5;

export function filterPlan(input: Plan, conditions: readonly Expression[], context: PlanContext): Plan {
  // What the row alone decides comes before what has to be looked up for it.
  const plain = plainFilter(
    input,
    conditions.filter((condition) => !hasExists(condition)),
    context,
  );
  return conditions.filter(hasExists).reduce((plan, condition) => {
    if (condition.kind === 'exists') return existsPlan(plan, condition, context);
    const marked = markExists(plan, condition, context);
    return plainFilter(marked.plan, [marked.expression], context);
  }, plain);
}

function plainFilter(input: Plan, conditions: readonly Expression[], context: PlanContext): Plan {
  if (conditions.length === 0) return input;
  const { facts } = input;
  const distinctIn = (name: string) => (facts.variables.includes(name) ? distinctOf(facts, name) : null);
  const open = conditions.filter((condition) => !context.counted.has(condition));
  const selectivity = open.reduce((product, condition) => product * selectivityOf(condition, distinctIn), 1);
  const work = facts.rows * conditions.reduce((sum, condition) => sum + conditionCost(condition), 0);
  const certain = withBound(facts.certain, conditions);
  const rows = Math.max(1, facts.rows * selectivity);
  return planOver(input, { kind: 'filter', conditions }, { certain, rows, cost: facts.cost + work });
}

/** The rows that are left bind what a condition asks to be bound. */
function withBound(certain: ReadonlySet<string>, conditions: readonly Expression[]): ReadonlySet<string> {
  const names = conditions.flatMap((condition) => {
    const [arg] = condition.kind === 'call' && condition.operator === 'bound' ? condition.args : [];
    return arg?.kind === 'variable' ? [arg.name] : [];
  });
  return names.length === 0 ? certain : new Set([...certain, ...names]);
}

/** The share of rows that a condition is guessed to keep; `distinctIn` counts the values of a variable, null = unknown. */
export function selectivityOf(condition: Expression, distinctIn: (name: string) => number | null): number {
  if (condition.kind !== 'call') return OTHER_SELECTIVITY;
  switch (condition.operator) {
    case '=':
    case 'sameterm':
      return equalitySelectivity(condition.args, distinctIn);
    case 'in': {
      // An empty list counts as a list of one: rows are divided by this share again.
      const listed = Math.max(1, condition.args.length - 1);
      return Math.min(1, listed * equalitySelectivity(condition.args.slice(0, 1), distinctIn));
    }
    case '!=':
    case 'bound':
    case 'notin':
      return 0.9;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return RANGE_SELECTIVITY;
    default:
      return OTHER_SELECTIVITY;
  }
}

function equalitySelectivity(args: readonly Expression[], distinctIn: (name: string) => number | null): number {
  const counts = args.flatMap((arg) => (arg.kind === 'variable' ? (distinctIn(arg.name) ?? []) : []));
  return counts.length === 0 ? 0.1 : 1 / Math.max(...counts);
}
