/**
 * Arithmetic over whole batches, in kernels. A number is its kind and a double: of integers and decimals the
 * digits as a whole number of at most 2^53 with a scale, exact; of doubles the value; of longer exact numbers
 * the nearest double, and of their products and quotients one that is about as near, which mostly tells how
 * two compare. What does not fit, floats, and what is no number are OTHER: the scalar form decides such rows.
 * An unbound operand is an ERROR.
 */

import { threadMemory } from '../../kernels/thread-memory.js';
import { type Literal, XSD } from '../../rdf/terms.js';
import { parseValue } from '../../rdf/values/index.js';
import type { Expression } from '../algebra/expression.js';
import type { BatchContext } from './batch-context.js';
import {
  COLUMNS_MAX,
  DECIMAL,
  DOUBLE,
  INTEGER,
  type Numbers,
  numberColumn,
  readDateParts,
  readIds,
} from './number-column.js';
import { compileTextLength } from './text-length.js';

/** A constant decimal of more digits after the point is left to the scalar form, as is one that is inlined. */
const SCALE_MAX = 15;
/** As `readDateParts` numbers them. */
const DATE_PARTS = ['year', 'month', 'day', 'hours', 'minutes', 'seconds'];
/** As `combineNumbers` numbers them. */
const OPERATORS = ['+', '-', '*', '/'];
/** As `roundNumbers` numbers them. */
const ROUNDINGS = ['round', 'ceil', 'floor', 'abs'];

/** Changes the first `rows` numbers of the column at an address. */
type Change = (column: number, rows: number) => void;

const CASTS: ReadonlyMap<string, Change> = new Map<string, Change>([
  [`${XSD}double`, (column, rows) => threadMemory().kernels.castNumbersToDouble(column, rows)],
  [`${XSD}integer`, (column, rows) => threadMemory().kernels.castNumbersToExact(column, rows, 1)],
  [`${XSD}decimal`, (column, rows) => threadMemory().kernels.castNumbersToExact(column, rows, 0)],
]);

/**
 * Null for an expression that is not made of variables, numbers, random ones, arithmetic, rounding, casts to double, decimal and integer,
 * parts of dates and lengths of texts alone. It uses the columns from `first` on, and leaves the result in that one.
 */
export function compileNumbers(expression: Expression, context: BatchContext, first = 0): Numbers | null {
  if (first >= COLUMNS_MAX) return null;
  switch (expression.kind) {
    case 'variable':
      return ofVariable(context.columnOf(expression.name), context, first);
    case 'term':
      return expression.term.termType === 'Literal' ? ofConstant(expression.term, first) : null;
    case 'function':
      return compileCast(expression.iri, expression.args, context, first);
    case 'call':
      return compileCall(expression.operator, expression.args, context, first);
    default:
      return null;
  }
}

/** True for what is computed; variables and constants alone are better compared by their ids. */
export function isComputed(expression: Expression): boolean {
  return expression.kind === 'call' || expression.kind === 'function';
}

function compileCast(iri: string, args: readonly Expression[], context: BatchContext, first: number): Numbers | null {
  const change = CASTS.get(iri);
  return change === undefined || args.length !== 1
    ? null
    : map(compileNumbers(args[0] as Expression, context, first), change);
}

function compileCall(
  operator: string,
  args: readonly Expression[],
  context: BatchContext,
  first: number,
): Numbers | null {
  if (operator === 'rand') return ofRandom(first);
  const [argument] = args;
  if (argument?.kind === 'variable') {
    const column = context.columnOf(argument.name);
    const part = DATE_PARTS.indexOf(operator);
    if (part >= 0) return ofDatePart(part, column, context, first);
  }
  if (operator === 'strlen') return compileTextLength(argument as Expression, context, first);
  const mode = ROUNDINGS.indexOf(operator);
  if (mode >= 0) {
    return map(compileNumbers(argument as Expression, context, first), (column, rows) =>
      threadMemory().kernels.roundNumbers(column, rows, mode),
    );
  }
  const number = OPERATORS.indexOf(operator);
  if (number < 0 && operator !== 'uminus') return null;
  const a = compileNumbers(args[0] as Expression, context, first);
  if (number < 0) return map(a, (column, rows) => threadMemory().kernels.negateNumbers(column, rows));
  const b = a === null ? null : compileNumbers(args[1] as Expression, context, first + 1);
  return a === null || b === null ? null : combine(number, a, b);
}

function ofVariable(column: number, context: BatchContext, first: number): Numbers | null {
  if (column < 0) return null;
  return (rows) => {
    const numbers = numberColumn(first);
    readIds(context.column(column), rows, numbers, context.terms);
    return numbers;
  };
}

function ofConstant(literal: Literal, first: number): Numbers | null {
  const value = parseValue(literal);
  const fill = (kind: number, scale: number, number: number): Numbers => {
    return (rows) => {
      const numbers = numberColumn(first);
      threadMemory().kernels.fillNumbers(numbers.address, rows, kind, scale, number);
      return numbers;
    };
  };
  switch (value.kind) {
    case 'integer':
      return Number.isSafeInteger(value.value) ? fill(INTEGER, 0, Number(value.value)) : null;
    case 'decimal': {
      const digits = Number(value.unscaled);
      return Number.isSafeInteger(digits) && value.scale <= SCALE_MAX ? fill(DECIMAL, value.scale, digits) : null;
    }
    case 'double':
      return fill(DOUBLE, 0, value.value);
    default:
      return null;
  }
}

/** Another number in each row. */
function ofRandom(first: number): Numbers {
  return (rows) => {
    const numbers = numberColumn(first);
    for (let row = 0; row < rows; row++) numbers.values[row] = Math.random();
    numbers.kinds.fill(DOUBLE, 0, rows);
    numbers.scales.fill(0, 0, rows);
    return numbers;
  };
}

function ofDatePart(part: number, column: number, context: BatchContext, first: number): Numbers | null {
  if (column < 0) return null;
  return (rows) => {
    const numbers = numberColumn(first);
    readDateParts(context.column(column), rows, part, numbers);
    return numbers;
  };
}

function map(inner: Numbers | null, change: Change): Numbers | null {
  if (inner === null) return null;
  return (rows) => {
    const numbers = inner(rows);
    change(numbers.address, rows);
    return numbers;
  };
}

function combine(operator: number, first: Numbers, second: Numbers): Numbers {
  return (rows) => {
    const a = first(rows);
    const b = second(rows);
    threadMemory().kernels.combineNumbers(operator, a.address, b.address, rows);
    return a;
  };
}
