/**
 * Comparisons by which the partners of a row are found: `?t3 > ?t && ?t3 < ?t2`, `?y2 = ?y + 1`, `LCASE(?a) = LCASE(?b)`, where
 * one side is made of the pattern's variables and the other of the row's. What is computed becomes a column of its side.
 */

import { addTo } from '../../../base/maps.js';
import { type Expression, isRepeatable, MIRRORED } from '../../algebra/expression.js';
import { variablesOf } from '../../algebra/mentioned.js';
import type { BoundOperator, RangePredicates } from '../../execute/range-join/range-index.js';
import type { Plan } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import { extendPlan } from './columns.js';

/** `value operator bound`. */
interface Comparison {
  readonly operator: BoundOperator;
  readonly value: Expression;
  readonly bound: Expression;
}

export interface RangedSides {
  readonly left: Plan;
  readonly right: Plan;
  readonly range: RangePredicates;
}

/** The sides of a join with the columns that its conditions compare; null where none tells which rows need be tested. */
export function rangedSides(
  left: Plan,
  right: Plan,
  conditions: readonly Expression[],
  context: PlanContext,
): RangedSides | null {
  const own = left.facts.variables;
  const found = conditions.flatMap((condition) => comparisonOf(condition, own, right.facts.variables) ?? []);
  const best = mostTelling(found);
  if (best.length === 0) return null;
  const value = column(right, (best[0] as Comparison).value, context);
  let row = left;
  const bounds = best.map(({ operator, bound }) => {
    const computed = column(row, bound, context);
    row = computed.plan;
    return { operator, variable: computed.name };
  });
  return {
    left: row,
    right: value.plan,
    range: { value: value.name, bounds, whole: best.length === conditions.length },
  };
}

function comparisonOf(condition: Expression, row: readonly string[], partner: readonly string[]): Comparison | null {
  if (condition.kind !== 'call' || !isRepeatable(condition)) return null;
  const operator = condition.operator;
  if (MIRRORED[operator] === undefined || operator === '!=') return null;
  const [first, second] = condition.args as [Expression, Expression];
  const isOfPartner = (side: Expression) => isMadeOf(side, partner) && !isMadeOf(side, row);
  if (isOfPartner(first) && isMadeOf(second, row)) {
    return { operator: operator as BoundOperator, value: first, bound: second };
  }
  if (isOfPartner(second) && isMadeOf(first, row)) {
    return { operator: MIRRORED[operator] as BoundOperator, value: second, bound: first };
  }
  return null;
}

function isMadeOf(expression: Expression, variables: readonly string[]): boolean {
  return [...variablesOf(expression)].every((name) => variables.includes(name));
}

/** The comparisons of one value: those with an equality first, then those that bound it on both sides. */
function mostTelling(comparisons: readonly Comparison[]): readonly Comparison[] {
  const byValue = new Map<string, Comparison[]>();
  for (const comparison of comparisons) addTo(byValue, JSON.stringify(comparison.value), comparison);
  let best: readonly Comparison[] = [];
  for (const group of byValue.values()) if (tells(group) > tells(best)) best = group;
  return best;
}

function tells(comparisons: readonly Comparison[]): number {
  const has = (pattern: RegExp) => comparisons.some(({ operator }) => pattern.test(operator));
  if (has(/^=/)) return 3;
  return Number(has(/^>/)) + Number(has(/^</));
}

/** The variable that holds the value of an expression. */
function column(
  input: Plan,
  expression: Expression,
  context: PlanContext,
): { readonly plan: Plan; readonly name: string } {
  if (expression.kind === 'variable') return { plan: input, name: expression.name };
  const name = `_:~compared${context.nextSlot()}`;
  return { plan: extendPlan(input, name, expression, false), name };
}
