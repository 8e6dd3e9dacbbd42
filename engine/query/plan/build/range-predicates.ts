/**
 * Comparisons by which the partners of a row are found: `?t3 > ?t && ?t3 < ?t2`, `?y2 = ?y + 1`, `LCASE(?a) = LCASE(?b)`, where
 * one side is made of the pattern's variables and the other of the row's. What is computed becomes a column of its side.
 */

import { addTo } from '../../../base/maps.js';
import {
  type CallExpression,
  callOf,
  type Expression,
  isRepeatable,
  MIRRORED,
  someExpression,
  variableOf,
} from '../../algebra/expression.js';
import { variablesOf } from '../../algebra/mentioned.js';
import { isSlot } from '../../algebra/slot.js';
import type { BoundOperator, RangePredicates } from '../../execute/range-join/range-index.js';
import type { Plan } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import { extendPlan } from './columns.js';

/** `value operator bound`. */
interface Comparison {
  readonly condition: Expression;
  readonly operator: BoundOperator;
  readonly value: Expression;
  readonly bound: Expression;
}

export interface RangedSides {
  readonly left: Plan;
  readonly right: Plan;
  readonly range: RangePredicates;
  /** The conditions, with the columns in place of what they compare. */
  readonly tested: readonly Expression[];
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
  const compared = new Map<Expression, Expression>();
  const bounds = best.map(({ condition, operator, bound }) => {
    const computed = column(row, bound, context);
    row = computed.plan;
    compared.set(condition, callOf(operator, variableOf(value.name), variableOf(computed.name)));
    return { operator, variable: computed.name };
  });
  return {
    left: row,
    right: value.plan,
    range: { value: value.name, bounds, whole: best.length === conditions.length },
    tested: conditions.map((condition) => compared.get(condition) ?? condition),
  };
}

/** The two sides of a comparison that can tell partners; null where it can't. */
export function comparedSides(condition: Expression): readonly [Expression, Expression] | null {
  if (condition.kind !== 'call' || !isRepeatable(condition)) return null;
  if (MIRRORED[condition.operator] === undefined || condition.operator === '!=') return null;
  return condition.args as readonly Expression[] as readonly [Expression, Expression];
}

function comparisonOf(condition: Expression, row: readonly string[], partner: readonly string[]): Comparison | null {
  const sides = comparedSides(condition);
  if (sides === null) return null;
  const { operator } = condition as CallExpression;
  const [first, second] = sides;
  const isOfPartner = (side: Expression) => isMadeOf(side, partner) && !isMadeOf(side, row);
  if (isOfPartner(first) && isMadeOf(second, row)) {
    return { condition, operator: operator as BoundOperator, value: first, bound: second };
  }
  if (isOfPartner(second) && isMadeOf(first, row)) {
    return { condition, operator: MIRRORED[operator] as BoundOperator, value: second, bound: first };
  }
  return null;
}

function isMadeOf(expression: Expression, variables: readonly string[]): boolean {
  return [...variablesOf(expression)].every((name) => variables.includes(name));
}

/** The comparisons of one value: those with an equality first, then those that bound it on both sides. */
function mostTelling(comparisons: readonly Comparison[]): readonly Comparison[] {
  const byValue = new Map<string, Comparison[]>();
  for (const [at, comparison] of comparisons.entries()) addTo(byValue, keyOf(comparison.value, at), comparison);
  let best: readonly Comparison[] = [];
  for (const group of byValue.values()) if (tells(group) > tells(best)) best = group;
  return best;
}

/** Constants that are equal in this query need not be so in the next one of the plan. */
function keyOf(value: Expression, at: number): string {
  const hasSlot = someExpression(value, (part) => part.kind === 'term' && isSlot(part.term));
  return hasSlot ? String(at) : JSON.stringify(value);
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
