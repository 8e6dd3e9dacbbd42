/**
 * Comparisons of columns with constants and with each other over whole batches: by ids, and of computed numbers, such as
 * `?a < ?b + 120`, by their numbers. A kernel decides all rows that it can; what ids do not decide stays UNDECIDED.
 */

import { KernelInput, threadMemory } from '../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { Expression } from '../algebra/expression.js';
import { type Decide, decideInKernel, UNDECIDED } from './answers.js';
import type { BatchContext } from './batch-context.js';
import { type DecidableOperator, decideComparison, decideOrder } from './decide.js';
import { compileNumbers } from './numbers.js';

/** Fewer rows are not worth a kernel. */
const KERNEL_ROWS_MIN = 16;

const inputA = new KernelInput(2 * BATCH_ROWS);
const inputB = new KernelInput(2 * BATCH_ROWS);

/** Gives the column of the batch at hand, or a single id, which is a constant; called once a batch. */
export type ReadColumn = () => IdColumn;

export function compareColumns(operator: DecidableOperator, readA: ReadColumn, readB: ReadColumn): Decide {
  const answers = answersByOrder(operator);
  const asked = operator === 'sameterm' ? 2 : operator === '=' || operator === '!=' ? 1 : 0;
  return (out, rows) => {
    const a = readA();
    const b = readB();
    const step = b.length === 2 ? 0 : 1;
    if (rows >= KERNEL_ROWS_MIN) {
      const first = inputA.addressOf(a, 2 * rows);
      const second = inputB.addressOf(b, step === 0 ? 2 : 2 * rows);
      const { kernels } = threadMemory();
      let left = 0;
      decideInKernel(out, rows, (at) => {
        left = kernels.compareIds(first, second, 8 * step, rows, asked, answers, at);
      });
      if (left === 0) return;
    }
    for (let row = 0; row < rows; row++) {
      if (out[row] !== UNDECIDED) continue;
      const [low, high] = [b[2 * step * row] as number, b[2 * step * row + 1] as number];
      out[row] = decideComparison(operator, a[2 * row] as number, a[2 * row + 1] as number, low, high);
    }
  };
}

/** By their values; null where a side is not made of numbers. */
export function compareNumbers(
  operator: DecidableOperator,
  left: Expression,
  right: Expression,
  context: BatchContext,
): Decide | null {
  const first = compileNumbers(left, context);
  const second = first === null ? null : compileNumbers(right, context, 1);
  if (first === null || second === null) return null;
  const answers = answersByOrder(operator);
  return (out, rows) => {
    const a = first(rows).address;
    const b = second(rows).address;
    decideInKernel(out, rows, (at) => threadMemory().kernels.compareNumbers(a, b, rows, answers, at));
  };
}

/** By the order of two values (less, equal, greater) a bit that says whether the comparison holds. */
function answersByOrder(operator: DecidableOperator): number {
  return [-1, 0, 1].reduce((bits, order, at) => bits | (decideOrder(operator, order) << at), 0);
}
