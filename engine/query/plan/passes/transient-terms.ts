/**
 * Whether the terms that a plan computes only pass through: each is in a batch on its way to the answer, and no
 * operator has it in a table, a sort or a set. Then the query may forget terms of batches that are done
 * (`QueryTerms.forgetMade`), and its memory does not grow with its rows.
 */

import type { Aggregate } from '../../algebra/algebra.js';
import type { Expression } from '../../algebra/expression.js';
import type { Plan, PlanAction } from '../../physical/plan.js';

/** Operators that are done with a batch of their input when they ask for the next one. */
const HANDING_ON: ReadonlySet<PlanAction['kind']> = new Set(['project', 'slice', 'filter', 'extend', 'union']);
/** Aggregates that keep numbers and texts, not terms. */
const KEEPING_NO_TERM: ReadonlySet<Aggregate['function']> = new Set(['count', 'sum', 'avg', 'group_concat']);

export function onlyPassComputed(plan: Plan): boolean {
  return passes(plan, false);
}

/** Whether terms are computed below a plan. */
export function computesBelow({ inputs }: Plan): boolean {
  return inputs.some((input) => computes(input.action) || computesBelow(input));
}

/** `kept`: an operator above keeps what it is given. */
function passes(plan: Plan, kept: boolean): boolean {
  const { action, inputs } = plan;
  if (computes(action) && (kept || keepsOwn(action))) return false;
  if (action.kind === 'apply' && !passes(action.inner, true)) return false;
  const below = kept || !(HANDING_ON.has(action.kind) || onlySums(action));
  return inputs.every((input) => passes(input, below));
}

/** One group, of which no term is kept. */
function onlySums(action: PlanAction): boolean {
  return action.kind === 'aggregate' && action.keys.length === 0 && !action.aggregates.some(keepsTerms);
}

function keepsTerms({ distinct, function: name }: Aggregate): boolean {
  return distinct || !KEEPING_NO_TERM.has(name);
}

function computes(action: PlanAction): boolean {
  switch (action.kind) {
    case 'extend':
      return isComputed(action.expression);
    case 'sort':
      return action.keys.some(({ expression }) => isComputed(expression));
    case 'aggregate':
    case 'service':
    case 'template':
      return true;
    default:
      return false;
  }
}

/** Whether it keeps the terms that it computes itself. */
function keepsOwn(action: PlanAction): boolean {
  switch (action.kind) {
    case 'extend':
      return false;
    case 'aggregate':
      return action.aggregates.some((aggregate) => isComputed(aggregate.expression) && keepsTerms(aggregate));
    default:
      return true;
  }
}

function isComputed(expression: Expression | null): boolean {
  return expression !== null && expression.kind !== 'variable' && expression.kind !== 'term';
}
