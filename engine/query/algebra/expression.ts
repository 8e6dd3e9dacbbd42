/** Expressions of the algebra, and what can be said about them without evaluating them. */

import type { Term } from '../../rdf/terms.js';

/** Operators and functions that this engine evaluates, by their SPARQL name in lower case. */
export const OPERATORS = [
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '&&',
  '||',
  '!',
  '+',
  '-',
  '*',
  '/',
  'uplus',
  'uminus',
  'in',
  'notin',
  'bound',
  'sameterm',
  'isiri',
  'isblank',
  'isliteral',
  'isnumeric',
  'str',
  'lang',
  'datatype',
  'if',
  'coalesce',
] as const;

export type Operator = (typeof OPERATORS)[number];

export type Expression =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'term'; readonly term: Term }
  | { readonly kind: 'call'; readonly operator: Operator; readonly args: readonly Expression[] };

export type CallExpression = Extract<Expression, { kind: 'call' }>;

export function collectVariables(expression: Expression, into: Set<string>): void {
  if (expression.kind === 'variable') into.add(expression.name);
  else if (expression.kind === 'call') for (const arg of expression.args) collectVariables(arg, into);
}

export function variablesOf(expression: Expression): Set<string> {
  const found = new Set<string>();
  collectVariables(expression, found);
  return found;
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

export function formatTerm(term: Term): string {
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
