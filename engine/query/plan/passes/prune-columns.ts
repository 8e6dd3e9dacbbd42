/**
 * Lets joins carry only the columns that something above them reads: the variables of each join are
 * narrowed to what is shown, compared or computed with further up. Operators that only hand rows on
 * follow their inputs.
 */

import { mapInputs, operatorOf, type Plan } from '../../physical/plan.js';

type Names = ReadonlySet<string>;

/** The plan without the columns that nobody reads; its own stay all. */
export function pruneColumns(plan: Plan): Plan {
  return pruned(plan, new Set(plan.facts.variables));
}

function pruned(plan: Plan, read: Names): Plan {
  const definition = operatorOf(plan);
  const { columns } = definition;
  if (columns === undefined) return mapInputs(plan, pruneColumns);
  const below = mapInputs(plan, (input, at) => {
    const shown = columns !== 'own' && definition.showsInput?.(at) !== false ? read : [];
    return pruned(input, new Set([...shown, ...(definition.reads?.(plan, at) ?? [])]));
  });
  if (below === plan && columns !== 'joined') return plan;
  const kept = columns === 'joined' ? read : withoutDropped(plan, below);
  const variables = columns === 'own' ? plan.facts.variables : plan.facts.variables.filter((name) => kept.has(name));
  return { ...below, facts: { ...plan.facts, variables } };
}

/** The columns of a plan without those that its first input has no more. */
function withoutDropped(plan: Plan, below: Plan): Names {
  const kept = new Set(plan.facts.variables);
  for (const name of plan.inputs[0]?.facts.variables ?? []) kept.delete(name);
  for (const name of below.inputs[0]?.facts.variables ?? []) kept.add(name);
  return kept;
}
