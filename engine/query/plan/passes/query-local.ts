/**
 * Computed values whose ids are never matched with those of stored terms: they are filtered, compared, sorted, grouped,
 * counted, given to functions and shown, but no join, pattern, template or other column has them. Their ids are made without
 * looking for the term in the store, and correspond to terms one to one among themselves.
 *
 * A variable is such where one BIND makes it, by an expression that makes all of its values itself, and the plan names it
 * nowhere else but in places that are known to look at values, or at ids of that one column. Whatever is not known counts
 * as matching.
 */

import type { Expression } from '../../algebra/expression.js';
import { makesOwn } from '../../expressions/own-values.js';
import type { Plan, PlanAction } from '../../physical/plan.js';

/** By which name it is switched off. */
export const APART_VALUES = 'apart-values';

/** Functions that hand on a value, or compare by ids. */
const HANDING_ON: ReadonlySet<string> = new Set(['if', 'coalesce', 'sameterm', 'in', 'notin']);

export function markApart(plan: Plan): Plan {
  const made = new Set<string>();
  const matched = new Set<string>();
  lookAt(plan, made, matched);
  for (const name of matched) made.delete(name);
  return made.size === 0 ? plan : marked(plan, made);
}

function marked(plan: Plan, made: ReadonlySet<string>): Plan {
  const inputs = plan.inputs.map((input) => marked(input, made));
  const { action } = plan;
  const isApart = action.kind === 'extend' && made.has(action.variable);
  return { ...plan, inputs, action: isApart ? { ...action, apart: true } : action };
}

function lookAt({ action, inputs }: Plan, made: Set<string>, matched: Set<string>): void {
  lookAtAction(action, made, matched);
  for (const input of inputs) lookAt(input, made, matched);
}

function lookAtAction(action: PlanAction, made: Set<string>, matched: Set<string>): void {
  switch (action.kind) {
    case 'extend': {
      const { expression, variable } = action;
      if (made.has(variable) || !makesOwn(expression)) matched.add(variable);
      made.add(variable);
      lookAtExpression(expression, matched);
      return;
    }
    case 'filter':
      for (const condition of action.conditions) lookAtExpression(condition, matched);
      return;
    case 'sort':
      for (const { expression } of action.keys)
        if (expression.kind !== 'variable') lookAtExpression(expression, matched);
      return;
    case 'aggregate':
      // MIN, MAX and SAMPLE look for the values that they give.
      for (const { variable, expression } of action.aggregates) {
        matched.add(variable);
        if (expression !== null && expression.kind !== 'variable') lookAtExpression(expression, matched);
      }
      return;
    case 'project':
    case 'distinct':
    case 'slice':
      return;
    default:
      addTexts(action, matched);
  }
}

function lookAtExpression(expression: Expression, matched: Set<string>): void {
  switch (expression.kind) {
    case 'variable':
      matched.add(expression.name);
      return;
    case 'call':
    case 'function':
      for (const arg of expression.args) {
        const handedOn = expression.kind === 'call' && HANDING_ON.has(expression.operator);
        if (arg.kind !== 'variable' || handedOn) lookAtExpression(arg, matched);
      }
      return;
    case 'exists':
      addTexts(expression, matched);
      return;
    case 'term':
      return;
  }
}

/** All names of variables, and other texts beside them. */
function addTexts(data: unknown, into: Set<string>): void {
  if (typeof data === 'string') into.add(data);
  else if (data instanceof Set || data instanceof Map) for (const part of data) addTexts(part, into);
  else if (Array.isArray(data)) for (const part of data) addTexts(part, into);
  else if (typeof data === 'object' && data !== null && !ArrayBuffer.isView(data)) {
    for (const part of Object.values(data)) addTexts(part, into);
  }
}
