/** What deciding an expression costs a row, roughly, to ask the cheapest of several conditions first. */

import type { Expression } from '../algebra/expression.js';

/** Decided by ids or numbers, a batch in a loop. */
const LOOPS: ReadonlySet<string> = new Set([
  ...['=', '!=', '<', '<=', '>', '>=', 'sameterm', 'in', 'notin', 'bound', 'isiri', 'isblank', 'isliteral'],
  ...['&&', '||', '!', '+', '-', '*', '/', 'uminus', 'datatype', 'isnumeric', 'abs', 'round', 'ceil', 'floor'],
]);
const TERM_COST = 20;

function costOf(expression: Expression): number {
  if (!('args' in expression)) return expression.kind === 'exists' ? TERM_COST : 0;
  const own = expression.kind === 'call' && LOOPS.has(expression.operator) ? 1 : TERM_COST;
  return expression.args.reduce((cost, arg) => cost + costOf(arg), own);
}

/** The cheapest first; those that cost the same keep their sequence. */
export function byCost(expressions: readonly Expression[]): readonly Expression[] {
  return [...expressions].sort((a, b) => costOf(a) - costOf(b));
}
