/**
 * Computed values whose ids are never matched with those of stored terms: they are filtered, compared, sorted, grouped,
 * counted, given to functions and shown, but no join, pattern, template or other column has them. Their ids are made without
 * looking for the term in the store, and correspond to terms one to one among themselves.
 *
 * A variable is such where one BIND makes it, by an expression that makes all of its values itself, and no operator says
 * that it matches it.
 */

import { makesOwn } from '../../expressions/functions/index.js';
import { mapInputs, operatorOf, type Plan } from '../../physical/plan.js';

export function markQueryLocal(plan: Plan): Plan {
  const made = new Set<string>();
  const matched = new Set<string>();
  collect(plan, made, matched);
  for (const name of matched) made.delete(name);
  return made.size === 0 ? plan : mark(plan, made);
}

function mark(plan: Plan, names: ReadonlySet<string>): Plan {
  const below = mapInputs(plan, (input) => mark(input, names));
  const { action } = below;
  if (action.kind !== 'extend' || !names.has(action.variable)) return below;
  return { ...below, action: { ...action, queryLocal: true } };
}

function collect(plan: Plan, made: Set<string>, matched: Set<string>): void {
  const { action } = plan;
  if (action.kind === 'extend') {
    if (made.has(action.variable) || !makesOwn(action.expression)) matched.add(action.variable);
    made.add(action.variable);
  }
  for (const name of operatorOf(plan).matches(plan)) matched.add(name);
  for (const input of plan.inputs) collect(input, made, matched);
}
