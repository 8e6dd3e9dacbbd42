/** Expressions over whole batches to columns of ids: for BIND, sort keys and counted expressions. */

import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { IdColumn } from '../../storage/scan.js';
import { type Expression, expressionSize, isRepeatable } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { copyId } from '../operators/batch.js';
import type { BatchContext } from './batch-context.js';
import { type BranchCompiler, compileBranches } from './branches.js';
import { compileDatatypeIds } from './datatype.js';
import { compileLanguage, type WriteKnown } from './language.js';
import type { Numbers } from './number-column.js';
import { DOUBLE, writeIds } from './number-column.js';
import { compileNumbers } from './numbers.js';
import type { Operand } from './operand.js';
import { compileScalar, type Scalar } from './scalar.js';

/** Fills the first `rows` ids; 0 where the expression is an error. */
export type Evaluator = (out: IdColumn, rows: number) => void;

export function compileEvaluator(expression: Expression, context: BatchContext): Evaluator {
  switch (expression.kind) {
    case 'variable': {
      const column = context.columnOf(expression.name);
      if (column < 0) return (out, rows) => out.fill(0, 0, 2 * rows);
      return (out, rows) => out.set(context.column(column).subarray(0, 2 * rows));
    }
    case 'term': {
      const id = context.terms.encodeConstant(expression.term);
      const constant = Uint32Array.of(lowOf(id), highOf(id));
      return (out, rows) => {
        for (let row = 0; row < rows; row++) copyId(constant, 0, out, row);
      };
    }
    default:
      return compileComputed(expression, context);
  }
}

function compileComputed(expression: Expression, context: BatchContext): Evaluator {
  const columns = [...variablesOf(expression)].map((name) => context.columnOf(name)).filter((column) => column >= 0);
  const repeatable = isRepeatable(expression);
  const numbers = repeatable && columns.length === 0 ? null : compileNumbers(expression, context);
  if (numbers !== null) return numbersFirst(numbers, expression, columns, context);
  if (repeatable && columns.length > 0 && expression.kind === 'call') {
    const branches = compileBranches(expression, context, branchCompiler(context));
    if (branches !== null) return branches;
  }
  const scalar = compileSpending(expression, context);
  if (repeatable && columns.length === 0) return constantEvaluator(scalar, context);
  const evaluate = repeatable && columns.length === 1 ? memoised(scalar, columns[0] as number, context) : scalar;
  const known = compileLanguage(expression, context) ?? compileDatatypeIds(expression, context);
  if (known !== null) return leaving(known, evaluate, context);
  return (out, rows) => {
    for (let row = 0; row < rows; row++) writeOperand(evaluate(row), out, row, context);
  };
}

function branchCompiler(context: BatchContext): BranchCompiler {
  return {
    column: (expression) => compileEvaluator(expression, context),
    row: (expression) => {
      const scalar = compileSpending(expression, context);
      const columns = [...variablesOf(expression)].map((name) => context.columnOf(name)).filter((at) => at >= 0);
      const evaluate = columns.length === 1 ? memoised(scalar, columns[0] as number, context) : scalar;
      return (out, row) => writeOperand(evaluate(row), out, row, context);
    },
  };
}

function compileSpending(expression: Expression, context: BatchContext): Scalar {
  const { scope } = context.terms;
  const compiled = compileScalar(expression, (name) => context.reader(name), scope);
  const size = expressionSize(expression);
  return (row) => {
    scope.spend(size);
    return compiled(row);
  };
}

/** What is a number is computed a batch at a time; the scalar form is for the others, and compiled when there are any. */
function numbersFirst(
  compute: Numbers,
  expression: Expression,
  columns: readonly number[],
  context: BatchContext,
): Evaluator {
  let scalar: Scalar | null = null;
  const compile = (): Scalar => {
    const compiled = compileSpending(expression, context);
    return columns.length === 1 ? memoised(compiled, columns[0] as number, context) : compiled;
  };
  return (out, rows) => {
    const numbers = compute(rows);
    const { kinds, values } = numbers;
    const { left, count } = writeIds(numbers, rows, out);
    for (let at = 0; at < count; at++) {
      const row = left[at] as number;
      if (kinds[row] === DOUBLE) context.terms.writeDouble(values[row] as number, out, row);
      else {
        scalar ??= compile();
        writeOperand(scalar(row), out, row, context);
      }
    }
  };
}

/** What is known of a column of ids is written at once; the scalar form is for the rows that are left. */
function leaving(write: WriteKnown, evaluate: Scalar, context: BatchContext): Evaluator {
  return (out, rows) => {
    for (const row of write(out, rows)) writeOperand(evaluate(row), out, row, context);
  };
}

/** The same in every row, and found when there is a row. */
function constantEvaluator(scalar: Scalar, context: BatchContext): Evaluator {
  const constant = new Uint32Array(2);
  let known = false;
  return (out, rows) => {
    if (!known) writeOperand(scalar(0), constant, 0, context);
    known = true;
    for (let row = 0; row < rows; row++) copyId(constant, 0, out, row);
  };
}

function memoised(scalar: Scalar, column: number, context: BatchContext): Scalar {
  let memo: (Operand | null | undefined)[] = [];
  let generation = context.cache.generation;
  return (row) => {
    const number = context.operandNumbers(column)[row] as number;
    if (number < 0) return scalar(row);
    if (generation !== context.cache.generation) {
      memo = [];
      generation = context.cache.generation;
    }
    let result = memo[number];
    if (result === undefined) {
      result = scalar(row);
      memo[number] = result;
    }
    return result;
  };
}

/** The id of a computed value; 0 for an error. */
export function writeOperand(operand: Operand | null, out: IdColumn, row: number, context: BatchContext): void {
  if (operand === null) {
    out[2 * row] = 0;
    out[2 * row + 1] = 0;
    return;
  }
  operand.id ??= context.terms.encode(operand.term);
  out[2 * row] = lowOf(operand.id);
  out[2 * row + 1] = highOf(operand.id);
}
