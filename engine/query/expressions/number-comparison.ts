/** Comparisons of computed numbers, such as `?a < ?b + 120`, over whole batches. */

import { threadMemory } from '../../kernels/thread-memory.js';
import type { Expression } from '../algebra/expression.js';
import type { Decide } from './answers.js';
import type { BatchContext } from './batch-context.js';
import { type DecidableOperator, decideOrder } from './decide.js';
import { decideInKernel } from './kernel-answers.js';
import { compileNumbers, isComputed } from './numbers.js';

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
  const second = first === null ? null : compileNumbers(right, context, 1);
  if (first === null || second === null) return null;
  const answers = [-1, 0, 1].reduce((bits, order, at) => bits | (decideOrder(operator, order) << at), 0);
  return (out, rows) => {
    const a = first(rows).address;
    const b = second(rows).address;
    decideInKernel(out, rows, (at) => threadMemory().kernels.compareNumbers(a, b, rows, answers, at));
  };
}
