/** Expressions of the algebra, and what can be said about them without evaluating them. */

import type { Term } from '../../rdf/terms.js';
import type { Algebra } from './algebra.js';

/** Operators that are written between or before their operands, and forms that do not evaluate all of them. */
const SYNTAX_OPERATORS = [
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
  'if',
  'coalesce',
] as const;

/** Functions by their SPARQL name in lower case (SPARQL 1.1, 17.4, and SPARQL 1.2). */
const FUNCTIONS = [
  'sameterm',
  'isiri',
  'isblank',
  'isliteral',
  'isnumeric',
  'str',
  'lang',
  'datatype',
  'iri',
  'bnode',
  'strdt',
  'strlang',
  'uuid',
  'struuid',
  'strlen',
  'substr',
  'ucase',
  'lcase',
  'strstarts',
  'strends',
  'contains',
  'strbefore',
  'strafter',
  'encode_for_uri',
  'concat',
  'langmatches',
  'regex',
  'replace',
  'abs',
  'round',
  'ceil',
  'floor',
  'rand',
  'now',
  'year',
  'month',
  'day',
  'hours',
  'minutes',
  'seconds',
  'timezone',
  'tz',
  'md5',
  'sha1',
  'sha256',
  'sha384',
  'sha512',
  'langdir',
  'strlangdir',
  'haslang',
  'haslangdir',
  'istriple',
  'triple',
  'subject',
  'predicate',
  'object',
] as const;

export const OPERATORS = [...SYNTAX_OPERATORS, ...FUNCTIONS] as const;

export type Operator = (typeof OPERATORS)[number];
export type FunctionName = (typeof FUNCTIONS)[number];

/** Functions whose value differs from call to call, so that nothing may move, fold or remember them. */
export const VOLATILE: ReadonlySet<Operator> = new Set(['rand', 'uuid', 'struuid', 'bnode']);

export type Expression =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'term'; readonly term: Term }
  | { readonly kind: 'call'; readonly operator: Operator; readonly args: readonly Expression[] }
  /** A function named by its IRI: casts (SPARQL 1.1, 17.5) and extensions. */
  | { readonly kind: 'function'; readonly iri: string; readonly args: readonly Expression[] }
  /** EXISTS and NOT EXISTS; the pattern reads the variables of the row it is asked for. */
  | { readonly kind: 'exists'; readonly negated: boolean; readonly pattern: Algebra };

export type CallExpression = Extract<Expression, { kind: 'call' }>;
export type ExistsExpression = Extract<Expression, { kind: 'exists' }>;

/** The expression with its operands replaced by `change(operand)`; patterns of EXISTS stay. */
export function mapOperands(expression: Expression, change: (operand: Expression) => Expression): Expression {
  return 'args' in expression ? { ...expression, args: expression.args.map(change) } : expression;
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
