/**
 * Expressions on one row: closures over operands, null for an error or an unbound variable. The
 * vector forms in `condition.ts` decide most rows by their ids alone and ask here for the rest.
 */

import { SvcError } from '../../base/errors.js';
import {
  applyComparison,
  arithmetic,
  compareTerms,
  effectiveBooleanOfValue,
  isNumeric,
  negate,
  negatedDuration,
  temporalArithmetic,
  type Value,
} from '../../rdf/values/index.js';
import type { CallExpression, Expression } from '../algebra/expression.js';
import { unsupported } from '../parse/unsupported.js';
import { Operand } from '../terms/operand.js';
import type { QueryScope } from '../terms/query-scope.js';
import type { ReadVariable } from './batch-context.js';
import { knownFunction } from './functions/casts.js';
import { binary, type FunctionDefinition, numberOf, ofBoolean, unary } from './functions/definition.js';
import { FUNCTIONS } from './functions/index.js';
import { InList, isLongList } from './in-list.js';

export type Scalar = (row: number) => Operand | null;

/** Beyond some three hundred digits. */
const LONG_NUMBER = 1n << 1024n;
const LONG_NUMBER_WORK = 20_000;

/** The effective boolean value; null = error. */
export function truthOf(operand: Operand | null): boolean | null {
  if (operand === null) return null;
  const value = operand.value;
  return value === null ? null : effectiveBooleanOfValue(value);
}

/** Throws for what is not known or not evaluated, so that a query is refused before it runs. */
export function compileScalar(
  expression: Expression,
  variable: (name: string) => ReadVariable,
  scope: QueryScope,
): Scalar {
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
        expression.args.map((arg) => compileScalar(arg, variable, scope)),
        scope,
      );
    case 'function':
      return compileStrict(
        definitionOf(expression),
        expression.args.map((arg) => compileScalar(arg, variable, scope)),
        scope,
      );
    case 'exists':
      throw unsupported('EXISTS');
  }
}

function definitionOf({ iri, args }: Extract<Expression, { kind: 'function' }>): FunctionDefinition {
  const definition = knownFunction(iri);
  const [min, max] = definition.arity;
  if (args.length < min || args.length > max) {
    throw new SvcError(
      'parse_error',
      `the function <${iri}> takes ${min} argument${min === 1 ? '' : 's'}, not ${args.length}`,
    );
  }
  return definition;
}

function compileCall(
  { operator, args: expressions }: CallExpression,
  args: readonly Scalar[],
  scope: QueryScope,
): Scalar {
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
    case 'in': {
      const contains = compileList(expressions, args, scope);
      return (row) => ofBoolean(contains(row));
    }
    case 'notin': {
      const contains = compileList(expressions, args, scope);
      return (row) => ofBoolean(not(contains(row)));
    }
    case 'bound':
      return (row) => ofBoolean(first(row) !== null);
    case 'if':
      return compileIf(first, second, args[2] as Scalar);
    case 'coalesce':
      return (row) => firstValue(args, row);
    case '+':
    case '-':
    case '*':
    case '/':
      return compileStrict(
        binary((a, b) => ofResult(calculate(operator, a, b), scope)),
        args,
        scope,
      );
    case 'uplus':
      return compileStrict(
        unary((operand) => (numberOf(operand) === null ? null : operand)),
        args,
        scope,
      );
    case 'uminus':
      return compileStrict(
        unary(({ value }) => ofResult(value === null ? null : negated(value), scope)),
        args,
        scope,
      );
    default: {
      const definition = FUNCTIONS[operator];
      definition.refuse?.(expressions.map((arg) => (arg.kind === 'term' ? arg.term : null)));
      return compileStrict(definition, args, scope);
    }
  }
}

/** A function that is an error whenever one of its arguments is. */
function compileStrict({ evaluate }: FunctionDefinition, args: readonly Scalar[], scope: QueryScope): Scalar {
  const values = new Array<Operand>(args.length);
  return (row) => {
    for (let index = 0; index < args.length; index++) {
      const operand = (args[index] as Scalar)(row);
      if (operand === null) return null;
      values[index] = operand;
    }
    return evaluate(values, scope);
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

function ofResult(value: Value | null, scope: QueryScope): Operand | null {
  if (value === null) return null;
  // Numbers of thousands of digits take their time, so that a batch of them must be interruptible.
  if (value.kind === 'decimal' && isLong(value.unscaled)) scope.spend(LONG_NUMBER_WORK);
  else if (value.kind === 'integer' && typeof value.value === 'bigint' && isLong(value.value))
    scope.spend(LONG_NUMBER_WORK);
  return Operand.ofValue(value);
}

function isLong(value: bigint): boolean {
  return value > LONG_NUMBER || value < -LONG_NUMBER;
}

function calculate(operator: '+' | '-' | '*' | '/', { value: a }: Operand, { value: b }: Operand): Value | null {
  if (a === null || b === null) return null;
  if (isNumeric(a) && isNumeric(b)) return arithmetic(operator, a, b);
  return temporalArithmetic(operator, a, b);
}

function negated(value: Value): Value | null {
  return value.kind === 'duration' ? negatedDuration(value) : negate(value);
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

function compileList(
  expressions: readonly Expression[],
  args: readonly Scalar[],
  scope: QueryScope,
): (row: number) => boolean | null {
  if (!isLongList(expressions)) return (row) => isIn(args, row);
  const list = new InList(expressions.slice(1), (a, b) => compareOperands('=', a, b), scope);
  const wanted = args[0] as Scalar;
  return (row) => list.contains(wanted(row));
}

function isIn(args: readonly Scalar[], row: number): boolean | null {
  const wanted = (args[0] as Scalar)(row);
  // An error also where there is nothing to compare it with (SPARQL 1.1, 17.3).
  if (wanted === null) return null;
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
