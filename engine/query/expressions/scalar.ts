/**
 * Expressions on one row: closures over operands, null for an error or an unbound variable. The
 * vector forms in `condition.ts` decide most rows by their ids alone and ask here for the rest.
 */

import { terms } from '../../rdf/terms.js';
import {
  applyComparison,
  arithmetic,
  booleanValue,
  compareTerms,
  effectiveBooleanOfValue,
  isNumeric,
  negate,
  sameTerm,
  type Value,
} from '../../rdf/values/index.js';
import type { CallExpression, Expression, Operator } from '../algebra/expression.js';
import { unsupported } from '../parse/unsupported.js';
import { Operand } from './operand.js';

/** What a variable is in the row that is being looked at. */
export type ReadVariable = (row: number) => Operand | null;
export type Scalar = (row: number) => Operand | null;

const TRUE = Operand.ofValue(booleanValue(true));
const FALSE = Operand.ofValue(booleanValue(false));

export function ofBoolean(value: boolean | null): Operand | null {
  return value === null ? null : value ? TRUE : FALSE;
}

/** The effective boolean value; null = error. */
export function truthOf(operand: Operand | null): boolean | null {
  if (operand === null) return null;
  if (operand === TRUE) return true;
  if (operand === FALSE) return false;
  const value = operand.value;
  return value === null ? null : effectiveBooleanOfValue(value);
}

export function compileScalar(expression: Expression, variable: (name: string) => ReadVariable): Scalar {
  switch (expression.kind) {
    case 'variable':
      return variable(expression.name);
    case 'term': {
      const constant = new Operand(expression.term);
      return () => constant;
    }
    case 'call':
      return compileCall(
        expression,
        expression.args.map((arg) => compileScalar(arg, variable)),
      );
    case 'function':
      throw unsupported(`the function <${expression.iri}>`);
    case 'exists':
      throw unsupported('EXISTS');
  }
}

function compileCall({ operator }: CallExpression, args: readonly Scalar[]): Scalar {
  const [first, second] = args as [Scalar, Scalar];
  switch (operator) {
    case '&&':
      return (row) => ofBoolean(and(truthOf(first(row)), () => truthOf(second(row))));
    case '||':
      return (row) => ofBoolean(or(truthOf(first(row)), () => truthOf(second(row))));
    case '!':
      return (row) => ofBoolean(not(truthOf(first(row))));
    case '=':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return (row) => ofBoolean(compareOperands(operator, first(row), second(row)));
    case 'in':
      return (row) => ofBoolean(isIn(args, row));
    case 'notin':
      return (row) => ofBoolean(not(isIn(args, row)));
    case 'bound':
      return (row) => (first(row) === null ? FALSE : TRUE);
    case 'if':
      return compileIf(first, second, args[2] as Scalar);
    case 'coalesce':
      return (row) => firstValue(args, row);
    case 'sameterm':
      return binary(first, second, (a, b) => ofBoolean(sameTerm(a.term, b.term)));
    case '+':
    case '-':
    case '*':
    case '/':
      return binary(first, second, (a, b) => ofNumber(calculate(operator, a, b)));
    default:
      return compileUnary(operator, first);
  }
}

function compileUnary(operator: Operator, arg: Scalar): Scalar {
  switch (operator) {
    case 'isiri':
      return unary(arg, ({ term }) => ofBoolean(term.termType === 'NamedNode'));
    case 'isblank':
      return unary(arg, ({ term }) => ofBoolean(term.termType === 'BlankNode'));
    case 'isliteral':
      return unary(arg, ({ term }) => ofBoolean(term.termType === 'Literal'));
    case 'isnumeric':
      return unary(arg, ({ value }) => ofBoolean(value !== null && isNumeric(value)));
    case 'uplus':
      return unary(arg, (operand) => (operand.value !== null && isNumeric(operand.value) ? operand : null));
    case 'uminus':
      return unary(arg, ({ value }) => ofNumber(value === null ? null : negate(value)));
    case 'str':
      return unary(arg, strOf);
    case 'lang':
      return unary(arg, ({ term }) => (term.termType === 'Literal' ? new Operand(terms.literal(term.language)) : null));
    default:
      return unary(arg, ({ term }) => (term.termType === 'Literal' ? new Operand(term.datatype) : null));
  }
}

function unary(arg: Scalar, apply: (operand: Operand) => Operand | null): Scalar {
  return (row) => {
    const operand = arg(row);
    return operand === null ? null : apply(operand);
  };
}

function binary(first: Scalar, second: Scalar, apply: (a: Operand, b: Operand) => Operand | null): Scalar {
  return (row) => {
    const a = first(row);
    const b = a === null ? null : second(row);
    return a === null || b === null ? null : apply(a, b);
  };
}

function compileIf(condition: Scalar, then: Scalar, otherwise: Scalar): Scalar {
  return (row) => {
    const truth = truthOf(condition(row));
    return truth === null ? null : truth ? then(row) : otherwise(row);
  };
}

function firstValue(args: readonly Scalar[], row: number): Operand | null {
  for (const arg of args) {
    const operand = arg(row);
    if (operand !== null) return operand;
  }
  return null;
}

function strOf({ term }: Operand): Operand | null {
  if (term.termType !== 'NamedNode' && term.termType !== 'Literal') return null;
  return new Operand(terms.literal(term.value));
}

function ofNumber(value: Value | null): Operand | null {
  return value === null ? null : Operand.ofValue(value);
}

function calculate(operator: '+' | '-' | '*' | '/', a: Operand, b: Operand): Value | null {
  return a.value === null || b.value === null ? null : arithmetic(operator, a.value, b.value);
}

export function compareOperands(
  operator: '=' | '!=' | '<' | '<=' | '>' | '>=',
  a: Operand | null,
  b: Operand | null,
): boolean | null {
  if (a === null || b === null) return null;
  if (a.value !== null && b.value !== null) return applyComparison(operator, a.value, b.value);
  return compareTerms(operator, a.term, b.term);
}

function isIn(args: readonly Scalar[], row: number): boolean | null {
  const wanted = (args[0] as Scalar)(row);
  let answer: boolean | null = false;
  for (let index = 1; index < args.length; index++) {
    const equal = compareOperands('=', wanted, (args[index] as Scalar)(row));
    if (equal === true) return true;
    if (equal === null) answer = null;
  }
  return answer;
}

function and(a: boolean | null, b: () => boolean | null): boolean | null {
  if (a === false) return false;
  const second = b();
  return second === false ? false : a === null ? null : second;
}

function or(a: boolean | null, b: () => boolean | null): boolean | null {
  if (a === true) return true;
  const second = b();
  return second === true ? true : a === null ? null : second;
}

function not(a: boolean | null): boolean | null {
  return a === null ? null : !a;
}
