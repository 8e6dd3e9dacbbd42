/**
 * The scalar form of a condition for the rows that nothing has decided before: row by row, or once per
 * distinct id where it looks at one variable.
 */

import { type Expression, isRepeatable } from '../algebra/expression.js';
import type { Operand } from '../terms/operand.js';
import { type Decide, ERROR, FALSE, TRUE, UNDECIDED } from './answers.js';
import type { BatchContext } from './batch-context.js';
import { distinctOperands } from './distinct-operands.js';
import { IdAnswers } from './id-answers.js';
import { columnsRead, compileSpending } from './row-values.js';
import { truthOf } from './scalar.js';

/** Decides the rows that are still UNDECIDED. */
export function compileRest(expression: Expression, context: BatchContext): Decide {
  const columns = columnsRead(expression, context);
  if (columns.length === 1 && isRepeatable(expression)) return askedById(expression, columns[0] as number, context);
  const scalar = compileSpending(expression, (name) => context.reader(name), context);
  return (out, rows) => {
    for (let row = 0; row < rows; row++) if (out[row] === UNDECIDED) out[row] = answerOf(scalar(row));
  };
}

function answerOf(operand: Operand | null): number {
  const truth = truthOf(operand);
  return truth === null ? ERROR : truth ? TRUE : FALSE;
}

/** Compiled when a row first needs it; only for what surely is not refused. */
export function later(compile: () => Decide): Decide {
  let compiled: Decide | null = null;
  return (out, rows) => {
    compiled ??= compile();
    compiled(out, rows);
  };
}

const BY_VALUE = new Uint8Array(256).fill(255);

function askedById(expression: Expression, column: number, context: BatchContext): Decide {
  const operands = distinctOperands(context);
  const scalar = compileSpending(expression, operands.reader, context);
  const known = new IdAnswers(BY_VALUE, ({ ids, count, answers }) => {
    operands.load(ids, count);
    for (let at = 0; at < count; at++) answers[at] = answerOf(scalar(at));
    operands.clear();
  });
  return (out, rows) => {
    known.decide(context.column(column), rows, out);
  };
}
