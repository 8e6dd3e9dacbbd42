/** Expressions over whole batches to columns of ids: for BIND, sort keys and counted expressions. */

import { highOf, lowOf } from '../../storage/ids/halves.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import { type CallExpression, type Expression, isRepeatable, someExpression } from '../algebra/expression.js';
import { copyId, fillId, newColumn, writeId } from '../runtime/batch.js';
import type { ComputedTerms } from '../terms/computed-terms.js';
import { blankHalves } from '../terms/terms.js';
import { ERROR, FALSE, TRUE } from './answers.js';
import type { BatchContext } from './batch-context.js';
import { compileCondition } from './condition.js';
import { makesOwn } from './functions/index.js';
import { compileNumbers, DOUBLE, type Numbers, writeIds } from './numbers.js';
import { columnsRead, compileAllRows, compileRows, compileSpending, type WriteRows } from './row-values.js';
import { compileTold, type WriteKnown } from './told.js';

/** Fills the first `rows` ids; 0 where the expression is an error. */
export type Evaluator = (out: IdColumn, rows: number) => void;

/** Puts the value of a branch into the rows that are listed, ascending (of all rows, no list); 0 where it is an error. */
type Branch = (out: IdColumn, rows: number, wanted: Uint32Array, count: number) => void;

const NO_ROWS = new Uint32Array(0);

export function compileEvaluator(expression: Expression, context: BatchContext, computed: ComputedTerms): Evaluator {
  switch (expression.kind) {
    case 'variable': {
      const column = context.columnOf(expression.name);
      if (column < 0) return (out, rows) => out.fill(0, 0, 2 * rows);
      return (out, rows) => out.set(context.column(column).subarray(0, 2 * rows));
    }
    case 'term': {
      const id = context.terms.encodeConstant(expression.term);
      const [low, high] = [lowOf(id), highOf(id)];
      return (out, rows) => fillId(out, rows, low, high);
    }
    default:
      return compileComputed(expression, context, computed);
  }
}

/** The same for an operator that compares the values with each other only; they may be query-local ones. */
export function compileOwnValues(expression: Expression, context: BatchContext): Evaluator {
  const { matched, queryLocal } = context.terms;
  return compileEvaluator(expression, context, makesOwn(expression) ? queryLocal : matched);
}

function compileComputed(expression: Expression, context: BatchContext, computed: ComputedTerms): Evaluator {
  const columns = columnsRead(expression, context);
  const repeatable = isRepeatable(expression);
  const numbers = repeatable && columns.length === 0 ? null : compileNumbers(expression, context);
  if (numbers !== null) {
    const write = numbersFirst(numbers, computed, () => compileRows(expression, context, computed));
    return (out, rows) => write(out, rows, NO_ROWS, rows);
  }
  if (repeatable && columns.length > 0 && expression.kind === 'call') {
    const branches = compileBranches(expression, context, computed);
    if (branches !== null) return branches;
  }
  if (isNewBlank(expression)) return newBlanks(context);
  if (repeatable && columns.length === 0) return constantEvaluator(expression, context);
  const known = compileTold(expression, context);
  if (known !== null) return leaving(known, compileRows(expression, context, computed));
  return compileAllRows(expression, context, computed);
}

/**
 * What is a number is computed a batch at a time, for all rows about as cheaply as for some; the scalar form is for the
 * others, and compiled when there are any.
 */
function numbersFirst(compute: Numbers, computed: ComputedTerms, compileOthers: () => WriteRows): Branch {
  let write: WriteRows | null = null;
  let column = newColumn(0);
  let others = new Uint32Array(0);
  return (out, rows, wanted, count) => {
    const all = count === rows;
    if (!all && column.length < 2 * rows) column = newColumn(capacityFor(rows, column.length / 2));
    const numbers = compute(rows);
    const { left, count: leftCount } = writeIds(numbers, rows, all ? out : column);
    if (!all) for (let at = 0; at < count; at++) copyId(column, wanted[at] as number, out, wanted[at] as number);
    if (others.length < leftCount) others = new Uint32Array(capacityFor(leftCount, others.length));
    let otherCount = 0;
    let next = 0;
    for (let at = 0; at < leftCount; at++) {
      const row = left[at] as number;
      if (!all) {
        while (next < count && (wanted[next] as number) < row) next++;
        if (wanted[next] !== row || next === count) continue;
      }
      if (numbers.kinds[row] === DOUBLE) computed.writeDouble(numbers.values[row] as number, out, row);
      else others[otherCount++] = row;
    }
    if (otherCount === 0) return;
    write ??= compileOthers();
    write(out, others, otherCount);
  };
}

/** Null for what is no number. Lengths of texts are read for the rows that want them only. */
function compileNumberBranch(expression: Expression, context: BatchContext, computed: ComputedTerms): Branch | null {
  if (!isRepeatable(expression) || columnsRead(expression, context).length === 0) return null;
  if (someExpression(expression, (part) => part.kind === 'call' && part.operator === 'strlen')) return null;
  const compute = compileNumbers(expression, context);
  return compute && numbersFirst(compute, computed, () => compileRows(expression, context, computed));
}

/** What is known of a column of ids is written at once; the scalar form is for the rows that are left. */
function leaving(write: WriteKnown, writeRows: WriteRows): Evaluator {
  return (out, rows) => {
    const left = write(out, rows);
    if (left.length > 0) writeRows(out, left, left.length);
  };
}

function isNewBlank(expression: Expression): boolean {
  return expression.kind === 'call' && expression.operator === 'bnode' && expression.args.length === 0;
}

/** Blank nodes that are their numbers: nothing is kept of them. */
function newBlanks({ terms }: BatchContext): Evaluator {
  return (out, rows) => {
    const first = terms.makeBlanks(rows);
    for (let row = 0; row < rows; row++) {
      const [low, high] = blankHalves(first + row);
      out[2 * row] = low;
      out[2 * row + 1] = high;
    }
  };
}

/** The same in every row, and found when there is a row. */
function constantEvaluator(expression: Expression, context: BatchContext): Evaluator {
  const scalar = compileSpending(expression, (name) => context.reader(name), context);
  const constant = newColumn(1);
  let known = false;
  return (out, rows) => {
    const operand = known ? null : scalar(0);
    // The id of a value that stays.
    if (operand !== null) writeId(context.terms.encode(operand.term), constant, 0);
    known = true;
    fillId(out, rows, constant[0] as number, constant[1] as number);
  };
}

/** IF and COALESCE: a condition is decided for all rows; null for other expressions. */
function compileBranches(call: CallExpression, context: BatchContext, computed: ComputedTerms): Evaluator | null {
  if (call.operator === 'coalesce') return coalesce(call.args.map((arg) => compileBranch(arg, context, computed)));
  if (call.operator !== 'if') return null;
  const condition = compileCondition(call.args[0] as Expression, context);
  const yes = compileBranch(call.args[1] as Expression, context, computed);
  const no = compileBranch(call.args[2] as Expression, context, computed);
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

function coalesce(branches: readonly Branch[]): Evaluator {
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

/** A branch that costs little is computed for all rows and taken where it is wanted, any other for the rows that want it only. */
function compileBranch(expression: Expression, context: BatchContext, computed: ComputedTerms): Branch {
  if (!costsLittle(expression)) {
    const numbers = compileNumberBranch(expression, context, computed);
    if (numbers !== null) return numbers;
    const write = compileRows(expression, context, computed);
    return (out, _, wanted, count) => write(out, wanted, count);
  }
  const fill = compileEvaluator(expression, context, computed);
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
