/** Expressions of the algebra to bundles of columns. What they compute is null where SPARQL has an error. */

import type { CallExpression, Expression } from '../../../query/algebra/expression.js';
import { terms, XSD } from '../../../rdf/terms.js';
import {
  all,
  any,
  coalesce,
  equal,
  FALSE,
  isNotNull,
  not,
  nothing,
  type Scalar,
  scalarSize,
  TRUE,
  UNKNOWN,
  type When,
  when,
} from '../scalars.js';
import {
  constantTerm,
  FIELD_NAMES,
  FIELDS,
  type Field,
  type Fields,
  isBound,
  type KnownTerm,
  ofBoolean,
  RESOURCES,
  type SqlTerm,
  sameTerm,
  UNBOUND_TERM,
  type ValueClass,
} from '../sql-terms.js';
import { cast } from './casts.js';
import { compare, type Order } from './comparison.js';
import { evaluateFunction } from './functions.js';
import { type Arithmetic, arithmetic, negative, truthOf } from './numbers.js';
import type { ExpressionScope } from './scope.js';

/** Greater ones become columns before they are read more than once. */
const SIZE_MAX = 12;

export function evaluate(expression: Expression, scope: ExpressionScope): KnownTerm {
  switch (expression.kind) {
    case 'variable':
      return scope.known(expression.name) ?? UNBOUND_TERM;
    case 'term':
      return constantTerm(expression.term);
    case 'exists':
      return ofBoolean(scope.exists(expression));
    case 'function':
      return cast(
        expression.iri,
        expression.args.map((arg) => operand(arg, scope)),
      );
    case 'call':
      return evaluateCall(expression, scope);
  }
}

/** An expression that is read more than once. */
export function operand(expression: Expression, scope: ExpressionScope): KnownTerm {
  return kept(evaluate(expression, scope), scope);
}

export function kept(term: KnownTerm, scope: ExpressionScope): KnownTerm {
  const size = FIELD_NAMES.reduce((sum, field) => sum + scalarSize(term.fields[field]), 0);
  return size <= SIZE_MAX + FIELD_NAMES.length ? term : { ...term, fields: scope.keep(term) };
}

/** The value of a condition: true, false, or null for an error. */
export function condition(expression: Expression, scope: ExpressionScope): Scalar {
  if (expression.kind === 'exists') return scope.exists(expression);
  if (expression.kind === 'call') {
    const decided = connective(expression, scope);
    if (decided !== null) return decided;
  }
  return truthOf(evaluate(expression, scope));
}

/** Operators whose value is a condition; null for the others. */
function connective({ operator, args }: CallExpression, scope: ExpressionScope): Scalar | null {
  const [first, second] = args as [Expression, Expression];
  switch (operator) {
    case '&&':
      return all(...args.map((arg) => condition(arg, scope)));
    case '||':
      return any(...args.map((arg) => condition(arg, scope)));
    case '!':
      return not(condition(first, scope));
    case 'bound': {
      const bound = first.kind === 'variable' ? scope.term(first.name) : evaluate(first, scope);
      return bound === undefined ? FALSE : isBound(bound);
    }
    case '=':
      return equality(first, second, scope);
    case '!=':
      return not(equality(first, second, scope));
    case 'sameterm':
      return whereBound(sameById(first, second, scope) ?? sameOperands(first, second, scope), [first, second], scope);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compare(operator as Order, operand(first, scope), operand(second, scope));
    case 'in':
      return isIn(args, scope);
    case 'notin':
      return not(isIn(args, scope));
    default:
      return null;
  }
}

function sameOperands(first: Expression, second: Expression, scope: ExpressionScope): Scalar {
  return sameTerm(operand(first, scope), operand(second, scope));
}

function whereBound(answer: Scalar, sides: readonly Expression[], scope: ExpressionScope): Scalar {
  const bound = sides.map((side) => {
    if (side.kind === 'term') return TRUE;
    const term = side.kind === 'variable' ? scope.term(side.name) : evaluate(side, scope);
    return term === undefined ? FALSE : isBound(term);
  });
  return when([[all(...bound), coalesce(answer, FALSE)]], UNKNOWN);
}

function equality(first: Expression, second: Expression, scope: ExpressionScope): Scalar {
  const byId = isResource(first, scope) || isResource(second, scope) ? sameById(first, second, scope) : null;
  if (byId !== null) return whereBound(byId, [first, second], scope);
  return compare('=', operand(first, scope), operand(second, scope));
}

/** IRIs and blank nodes are equal to themselves alone. */
function isResource(side: Expression, scope: ExpressionScope): boolean {
  if (side.kind === 'term') return side.term.termType === 'NamedNode';
  if (side.kind !== 'variable') return false;
  const possible = scope.term(side.name)?.classes;
  return possible !== undefined && [...possible].every((name) => RESOURCES.has(name));
}

/** By their ids, of variables and constants that have one; null where one does not. */
function sameById(first: Expression, second: Expression, scope: ExpressionScope): Scalar | null {
  const [a, b] = [idOf(first, scope), idOf(second, scope)];
  return a === null || b === null || (first.kind === 'term' && second.kind === 'term') ? null : equal(a, b);
}

function idOf(side: Expression, scope: ExpressionScope): Scalar | null {
  if (side.kind === 'term') return scope.constantId(side.term);
  return side.kind === 'variable' ? (scope.term(side.name)?.id ?? null) : null;
}

function isIn(args: readonly Expression[], scope: ExpressionScope): Scalar {
  const [wanted, ...list] = args as [Expression, ...Expression[]];
  const bound = isBound(
    wanted.kind === 'variable' ? (scope.term(wanted.name) ?? UNBOUND_TERM) : operand(wanted, scope),
  );
  return when([[bound, any(...list.map((one) => equality(wanted, one, scope)))]], UNKNOWN);
}

function evaluateCall(expression: CallExpression, scope: ExpressionScope): KnownTerm {
  const decided = connective(expression, scope);
  if (decided !== null) return ofBoolean(decided);
  const { operator, args } = expression;
  const [first] = args as [Expression];
  switch (operator) {
    case 'if': {
      const [test, then, otherwise] = args as [Expression, Expression, Expression];
      const truth = condition(test, scope);
      return chosen([
        [truth, operand(then, scope)],
        [not(truth), operand(otherwise, scope)],
      ]);
    }
    case 'coalesce':
      return chosen(
        args.map((arg) => {
          const term = operand(arg, scope);
          return [isBound(term), term] as const;
        }),
      );
    case '+':
    case '-':
    case '*':
    case '/': {
      const [a, b] = args.map((arg) => operand(arg, scope)) as [KnownTerm, KnownTerm];
      return arithmetic(operator as Arithmetic, a, b);
    }
    case 'uminus':
      return negative(operand(first, scope));
    case 'uplus': {
      const term = operand(first, scope);
      const isNumber = term.classes.has('number') ? isNotNull(term.fields.num) : FALSE;
      return chosen([[isNumber, { ...term, classes: new Set<ValueClass>(['number']) }]]);
    }
    default:
      return evaluateFunction(operator, args, scope, operand);
  }
}

/** The term of the first condition that is true; nothing where none is. */
export function chosen(cases: readonly (readonly [Scalar, KnownTerm])[]): KnownTerm {
  const field = (name: Field): Scalar =>
    when(
      cases.map(([test, term]): When => [test, term.fields[name]]),
      nothing(FIELDS[name]),
    );
  const fields = Object.fromEntries(FIELD_NAMES.map((name) => [name, field(name)])) as Record<Field, Scalar>;
  const ids = cases.map(([, { id }]) => id);
  const id = ids.every((one) => one !== null)
    ? when(
        cases.map(([test, term]): When => [test, term.id as Scalar]),
        nothing('bigint'),
      )
    : null;
  const classes = new Set(cases.flatMap(([, term]) => [...term.classes]));
  return { certain: false, id: id?.kind === 'null' ? null : id, fields, classes };
}

export const DATE_TIME = `${XSD}dateTime`;
export function nowTerm(scope: ExpressionScope): KnownTerm {
  return constantTerm(terms.literal(scope.now, terms.namedNode(DATE_TIME)));
}

export type { Fields, SqlTerm };
