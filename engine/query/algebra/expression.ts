/** Expressions of the algebra: what can be said about them without evaluating them. */

import type { Term } from '../../rdf/terms.js';
import { type Algebra, type CallExpression, type Expression, mapExpressions } from './algebra.js';
import { type Operator, VOLATILE } from './operators.js';
import { plainTerm } from './slot.js';

export type { CallExpression, ExistsExpression, Expression } from './algebra.js';
export { type FunctionName, OPERATORS, type Operator, VOLATILE } from './operators.js';

/** The expression with its operands replaced by `change(operand)`; patterns of EXISTS stay. */
export function mapOperands(expression: Expression, change: (operand: Expression) => Expression): Expression {
  return 'args' in expression ? { ...expression, args: expression.args.map(change) } : expression;
}

/** The node with the patterns of EXISTS in its own expressions replaced. */
export function mapExists(node: Algebra, change: (pattern: Algebra) => Algebra): Algebra {
  const enter = (expression: Expression): Expression =>
    expression.kind === 'exists'
      ? { ...expression, pattern: change(expression.pattern) }
      : mapOperands(expression, enter);
  return mapExpressions(node, enter);
}

export function variableOf(name: string): Expression {
  return { kind: 'variable', name };
}

export function callOf(operator: Operator, ...args: readonly Expression[]): CallExpression {
  return { kind: 'call', operator, args };
}

/** The parts of a condition that all have to be true. */
export function conjunctsOf(condition: Expression): Expression[] {
  const conjuncts: Expression[] = [];
  collectConjuncts(condition, conjuncts);
  return conjuncts;
}

function collectConjuncts(condition: Expression, into: Expression[]): void {
  if (condition.kind !== 'call' || condition.operator !== '&&') into.push(condition);
  else for (const arg of condition.args) collectConjuncts(arg, into);
}

/** One condition of all; null of none. */
export function conjunctionOf(conditions: readonly Expression[]): Expression | null {
  const [first, ...others] = conditions;
  return first === undefined ? null : others.reduce((all, one) => callOf('&&', all, one), first);
}

/** True when `test` holds for the expression or an operand at any depth. */
export function someExpression(expression: Expression, test: (part: Expression) => boolean): boolean {
  if (test(expression)) return true;
  return 'args' in expression && expression.args.some((arg) => someExpression(arg, test));
}

export function isVolatile(expression: Expression): boolean {
  return someExpression(expression, (part) => part.kind === 'call' && VOLATILE.has(part.operator));
}

/** True when equal rows give equal values within one query. */
export function isRepeatable(expression: Expression): boolean {
  return !isVolatile(expression) && !hasExists(expression);
}

/** The number of its parts. */
export function expressionSize(expression: Expression): number {
  let size = 1;
  if ('args' in expression) for (const arg of expression.args) size += expressionSize(arg);
  return size;
}

export function hasExists(expression: Expression): boolean {
  return someExpression(expression, (part) => part.kind === 'exists');
}

/** Comparison operators as seen from the other side. */
export const MIRRORED: Readonly<Record<string, Operator>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/** The text of an expression, as EXPLAIN shows it. */
export function formatExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'variable':
      return expression.name.startsWith('_:') ? expression.name : `?${expression.name}`;
    case 'term':
      return formatTerm(expression.term);
    case 'call':
      return formatCall(expression);
    case 'function':
      return `<${expression.iri}>(${expression.args.map(formatExpression).join(', ')})`;
    case 'exists':
      return `${expression.negated ? 'NOT EXISTS' : 'EXISTS'} { … }`;
  }
}

function formatCall(call: CallExpression): string {
  const args = call.args.map(formatExpression);
  if (call.operator === 'in' || call.operator === 'notin') {
    return `(${args[0]} ${call.operator === 'in' ? 'IN' : 'NOT IN'} (${args.slice(1).join(', ')}))`;
  }
  if (/^[a-z]/.test(call.operator)) return `${call.operator.toUpperCase()}(${args.join(', ')})`;
  return args.length === 1 ? `${call.operator}${args[0]}` : `(${args.join(` ${call.operator} `)})`;
}

export function formatTerm(shown: Term): string {
  const term = plainTerm(shown);
  switch (term.termType) {
    case 'NamedNode':
      return `<${term.value}>`;
    case 'BlankNode':
      return `_:${term.value}`;
    case 'Literal': {
      const text = JSON.stringify(term.value);
      if (term.language) return `${text}@${term.language}`;
      return term.datatype.value.endsWith('#string') ? text : `${text}^^<${term.datatype.value}>`;
    }
    default:
      return term.termType === 'Quad' ? '<<( … )>>' : term.value;
  }
}
