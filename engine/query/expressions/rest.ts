/**
 * The scalar form of a condition for the rows that nothing has decided before: row by row, or once per
 * distinct id where it looks at one variable.
 */

import { type Expression, expressionSize, isRepeatable } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { type Decide, ERROR, FALSE, TRUE, UNDECIDED } from './answers.js';
import type { BatchContext } from './batch-context.js';
import { compileScalar, truthOf } from './scalar.js';

/** Decides the rows that are still UNDECIDED. */
export function compileRest(expression: Expression, context: BatchContext): Decide {
  const { scope } = context.terms;
  const scalar = compileScalar(expression, (name) => context.reader(name), scope);
  const size = expressionSize(expression);
  const decide = (row: number): number => {
    scope.spend(size);
    const truth = truthOf(scalar(row));
    return truth === null ? ERROR : truth ? TRUE : FALSE;
  };
  const columns = [...variablesOf(expression)].map((name) => context.columnOf(name)).filter((column) => column >= 0);
  if (columns.length === 1 && isRepeatable(expression)) return memoised(decide, columns[0] as number, context);
  return (out, rows) => {
    for (let row = 0; row < rows; row++) if (out[row] === UNDECIDED) out[row] = decide(row);
  };
}

/** Compiled when a row first needs it; only for what surely is not refused. */
export function later(compile: () => Decide): Decide {
  let compiled: Decide | null = null;
  return (out, rows) => {
    compiled ??= compile();
    compiled(out, rows);
  };
}

function memoised(decide: (row: number) => number, column: number, context: BatchContext): Decide {
  let memo = new Uint8Array(0);
  let generation = context.cache.generation;
  return (out, rows) => {
    const numbers = context.operandNumbers(column);
    if (generation !== context.cache.generation) memo.fill(UNDECIDED);
    generation = context.cache.generation;
    if (memo.length < context.cache.operands.length) {
      const grown = new Uint8Array(2 * context.cache.operands.length).fill(UNDECIDED);
      grown.set(memo);
      memo = grown;
    }
    for (let row = 0; row < rows; row++) {
      if (out[row] !== UNDECIDED) continue;
      const number = numbers[row] as number;
      if (number < 0) out[row] = decide(row);
      else {
        if (memo[number] === UNDECIDED) memo[number] = decide(row);
        out[row] = memo[number] as number;
      }
    }
  };
}
