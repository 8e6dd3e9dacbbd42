/**
 * Whether the terms that a plan computes only pass through: each is in a batch on its way to the answer, and no
 * operator has it in a table, a sort or a set. Then the query may forget terms of batches that are done
 * (`QueryTerms.forgetMade`), and its memory does not grow with its rows.
 */

import { markExtends, operatorOf, type Plan } from '../../physical/plan.js';

export function onlyPassComputed(plan: Plan): boolean {
  return passes(plan, false);
}

/** `kept`: an operator above keeps what it is given. */
function passes(plan: Plan, kept: boolean): boolean {
  const definition = operatorOf(plan);
  const computed = definition.computes?.(plan) ?? null;
  if (computed === 'kept' || (computed === 'passing' && kept)) return false;
  const below = kept || definition.handsOnRows?.(plan) !== true;
  return plan.inputs.every((input) => passes(input, below));
}

/** Tells the operators that compute terms of a batch first, below which none does: with them a new batch begins. */
export function markFirstComputed(plan: Plan): Plan {
  return markExtends(plan, { first: true }, (_, { inputs }) => !inputs.some(computes));
}

function computes(plan: Plan): boolean {
  return (operatorOf(plan).computes?.(plan) ?? null) !== null || plan.inputs.some(computes);
}
