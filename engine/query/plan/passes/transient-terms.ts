/**
 * Whether the terms that a plan computes are transient: each only passes through, in a batch on its way to the answer, and no
 * operator has it in a table, a sort or a set. Then terms of batches that are done may be forgotten
 * (`QueryTerms.forgetTransient`), and the memory of the query does not grow with its rows.
 *
 * They are forgotten where a new batch begins: with the operators below which none computes terms. Only there no batch that is
 * held back on its way up has any.
 */

import { mapInputs, operatorOf, type Plan } from '../../physical/plan.js';

export function markTransient(plan: Plan): Plan {
  return onlyPass(plan, false) ? markFirst(plan) : plan;
}

/** `kept`: an operator above keeps what it is given. */
function onlyPass(plan: Plan, kept: boolean): boolean {
  const definition = operatorOf(plan);
  const computed = definition.computes?.(plan) ?? null;
  if (computed === 'kept' || (computed === 'passing' && kept)) return false;
  const below = kept || definition.handsOnRows?.(plan) !== true;
  return plan.inputs.every((input) => onlyPass(input, below));
}

function markFirst(plan: Plan): Plan {
  const below = mapInputs(plan, markFirst);
  return computes(plan) && !plan.inputs.some(computes) ? { ...below, forgetsTerms: true } : below;
}

function computes(plan: Plan): boolean {
  return (operatorOf(plan).computes?.(plan) ?? null) !== null || plan.inputs.some(computes);
}
