/**
 * Conditions that other stores may test, as SPARQL: comparisons and functions whose value follows from their arguments alone,
 * and by the standard. This store tests them again, so that what can't be said is left out.
 */

import { termToString } from '../../rdf/canonical/lines.js';
import type { CallExpression, Expression } from '../algebra/algebra.js';
import type { Operator } from '../algebra/operators.js';
import { isSayable } from './combinations.js';

const BETWEEN: ReadonlySet<Operator> = new Set(['=', '!=', '<', '<=', '>', '>=', '&&', '||', '+', '-', '*', '/']);

const CALLS: ReadonlySet<Operator> = new Set([
  'sameterm',
  'isiri',
  'isliteral',
  'isnumeric',
  'str',
  'lang',
  'datatype',
  'strlen',
  'substr',
  'ucase',
  'lcase',
  'strstarts',
  'strends',
  'contains',
  'strbefore',
  'strafter',
  'langmatches',
  'regex',
  'abs',
  'year',
  'month',
  'day',
]);

export function canBeSaid(expression: Expression): boolean {
  if (expression.kind === 'variable') return true;
  if (expression.kind === 'term') return isSayable(expression.term);
  if (expression.kind !== 'call') return false;
  const { operator, args } = expression;
  const isKnown = BETWEEN.has(operator) || CALLS.has(operator) || ['!', 'in', 'notin'].includes(operator);
  return isKnown && args.every(canBeSaid);
}

export function filterTexts(conditions: readonly Expression[], nameOf: (variable: string) => string): string[] {
  return conditions.map((condition) => textOf(condition, nameOf));
}

/** Of an expression that can be said. */
function textOf(expression: Expression, nameOf: (variable: string) => string): string {
  if (expression.kind === 'variable') return nameOf(expression.name);
  if (expression.kind === 'term') return termToString(expression.term);
  const { operator, args } = expression as CallExpression;
  const [first = '', ...others] = args.map((arg) => textOf(arg, nameOf));
  if (operator === 'in' || operator === 'notin') {
    return `(${first} ${operator === 'in' ? 'IN' : 'NOT IN'} (${others.join(', ')}))`;
  }
  if (operator === '!') return `(! ${first})`;
  return BETWEEN.has(operator)
    ? `(${[first, ...others].join(` ${operator} `)})`
    : `${operator.toUpperCase()}(${[first, ...others].join(', ')})`;
}
