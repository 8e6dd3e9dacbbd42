/** Comparisons of computed numbers, such as `?a < ?b + 120`, over whole batches. */

import type { Expression } from '../algebra/expression.js';
import { type Decide, ERROR, UNDECIDED } from './answers.js';
import type { BatchContext } from './batch-context.js';
import { type DecidableOperator, decideOrder } from './decide.js';
import { compareNumbersAt, compileNumbers, ERROR_KIND, isComputed } from './numbers.js';

/** Null where a side is not made of numbers, or where ids decide as well. */
export function compareComputed(
  operator: DecidableOperator,
  left: Expression,
  right: Expression,
  context: BatchContext,
): Decide | null {
  return isComputed(left) || isComputed(right) ? compareNumbers(operator, left, right, context) : null;
}

/** The same of any two sides, variables and constants alone included. */
export function compareNumbers(
  operator: DecidableOperator,
  left: Expression,
  right: Expression,
  context: BatchContext,
): Decide | null {
  const first = compileNumbers(left, context);
  const second = first === null ? null : compileNumbers(right, context);
  if (first === null || second === null) return null;
  return (out, rows) => {
    const a = first(rows);
    const b = second(rows);
    for (let row = 0; row < rows; row++) {
      if (out[row] !== UNDECIDED) continue;
      const failed = a.kinds[row] === ERROR_KIND || b.kinds[row] === ERROR_KIND;
      out[row] = failed ? ERROR : decideOrder(operator, compareNumbersAt(a, b, row));
    }
  };
}
