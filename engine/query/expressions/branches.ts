/**
 * IF and COALESCE over whole batches. A condition is decided for all rows; a branch that costs little is computed for all
 * of them and taken where it is wanted, any other for the rows that want it only.
 */

import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { CallExpression, Expression } from '../algebra/expression.js';
import { copyId, newColumn } from '../runtime/batch.js';
import { ERROR, FALSE, TRUE } from './answers.js';
import type { BatchContext } from './batch-context.js';
import { compileCondition } from './condition.js';
import type { WriteRows } from './row-values.js';

/** Puts the value of a branch into the rows that are listed, ascending; 0 where it is an error. */
export type Branch = (out: IdColumn, rows: number, wanted: Uint32Array, count: number) => void;

export interface BranchCompiler {
  /** All rows of the batch. */
  column(expression: Expression): (out: IdColumn, rows: number) => void;
  /** Some rows of what is computed in kernels for all rows about as cheaply; null for other expressions. */
  numbers(expression: Expression): Branch | null;
  /** Some rows. */
  rows(expression: Expression): WriteRows;
}

type Fill = (out: IdColumn, rows: number) => void;

/** Null for other expressions. */
export function compileBranches(call: CallExpression, context: BatchContext, compiler: BranchCompiler): Fill | null {
  if (call.operator === 'coalesce') return coalesce(call.args.map((arg) => compileBranch(arg, compiler)));
  if (call.operator !== 'if') return null;
  const condition = compileCondition(call.args[0] as Expression, context);
  const yes = compileBranch(call.args[1] as Expression, compiler);
  const no = compileBranch(call.args[2] as Expression, compiler);
  let answers = new Uint8Array(0);
  let wanted = new Uint32Array(0);
  return (out, rows) => {
    if (answers.length < rows) {
      answers = new Uint8Array(capacityFor(rows, answers.length));
      wanted = new Uint32Array(answers.length);
    }
    condition(answers, rows);
    let errors = 0;
    for (const [answer, branch] of [
      [TRUE, yes],
      [FALSE, no],
    ] as const) {
      let count = 0;
      for (let row = 0; row < rows; row++) {
        wanted[count] = row;
        count += answers[row] === answer ? 1 : 0;
      }
      errors += count;
      if (count > 0) branch(out, rows, wanted, count);
    }
    if (errors === rows) return;
    for (let row = 0; row < rows; row++) if (answers[row] === ERROR) out.fill(0, 2 * row, 2 * row + 2);
  };
}

/** Batches of few rows, of which there are many kinds, need little. */
function capacityFor(rows: number, held: number): number {
  return Math.max(rows, Math.min(BATCH_ROWS, 2 * held));
}

function coalesce(branches: readonly Branch[]): Fill {
  let open = new Uint32Array(0);
  return (out, rows) => {
    if (open.length < rows) open = new Uint32Array(capacityFor(rows, open.length));
    out.fill(0, 0, 2 * rows);
    let count = rows;
    for (let row = 0; row < rows; row++) open[row] = row;
    for (const branch of branches) {
      branch(out, rows, open, count);
      let left = 0;
      for (let at = 0; at < count; at++) {
        const row = open[at] as number;
        open[left] = row;
        left += out[2 * row] === 0 && out[2 * row + 1] === 0 ? 1 : 0;
      }
      count = left;
      if (count === 0) return;
    }
  };
}

function compileBranch(expression: Expression, compiler: BranchCompiler): Branch {
  if (!costsLittle(expression)) {
    const numbers = compiler.numbers(expression);
    if (numbers !== null) return numbers;
    const write = compiler.rows(expression);
    return (out, _, wanted, count) => write(out, wanted, count);
  }
  const fill = compiler.column(expression);
  let column = newColumn(0);
  return (out, rows, wanted, count) => {
    if (count === rows) {
      fill(out, rows);
      return;
    }
    if (column.length < 2 * rows) column = newColumn(capacityFor(rows, column.length / 2));
    fill(column, rows);
    for (let at = 0; at < count; at++) copyId(column, wanted[at] as number, out, wanted[at] as number);
  };
}

/** Computed for rows that don't want it, it costs less than being asked row by row. */
function costsLittle(expression: Expression): boolean {
  if (expression.kind === 'variable' || expression.kind === 'term') return true;
  const isBranching =
    expression.kind === 'call' && (expression.operator === 'if' || expression.operator === 'coalesce');
  return isBranching && expression.args.slice(expression.operator === 'if' ? 1 : 0).every(costsLittle);
}
