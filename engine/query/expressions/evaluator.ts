/** Expressions over whole batches to columns of ids: for BIND, sort keys and counted expressions. */

import { highOf, lowOf } from '../../storage/ids/halves.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import { type Expression, isRepeatable, someExpression } from '../algebra/expression.js';
import { copyId } from '../runtime/batch.js';
import type { Operand } from '../terms/operand.js';
import { blankHalves } from '../terms/terms.js';
import type { BatchContext } from './batch-context.js';
import { type Branch, compileBranches } from './branches.js';
import { compileDatatypeIds } from './datatype.js';
import { compileLanguage, type WriteKnown } from './language.js';
import type { Numbers } from './number-column.js';
import { DOUBLE, writeIds } from './number-column.js';
import { compileNumbers } from './numbers.js';
import { columnsRead, compileAllRows, compileRows, compileSpending, type WriteRows } from './row-values.js';
import { compileZone } from './zone.js';

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
  const columns = columnsRead(expression, context);
  const repeatable = isRepeatable(expression);
  const numbers = repeatable && columns.length === 0 ? null : compileNumbers(expression, context);
  if (numbers !== null) return numbersFirst(numbers, expression, context);
  if (repeatable && columns.length > 0 && expression.kind === 'call') {
    const branches = compileBranches(expression, context, {
      column: (part) => compileEvaluator(part, context),
      numbers: (part) => compileNumberBranch(part, context),
      rows: (part) => compileRows(part, context),
    });
    if (branches !== null) return branches;
  }
  if (isNewBlank(expression)) return newBlanks(context);
  if (repeatable && columns.length === 0) return constantEvaluator(expression, context);
  const known =
    compileLanguage(expression, context) ?? compileDatatypeIds(expression, context) ?? compileZone(expression, context);
  if (known !== null) return leaving(known, compileRows(expression, context));
  return compileAllRows(expression, context);
}

/** What is a number is computed a batch at a time; the scalar form is for the others, and compiled when there are any. */
function numbersFirst(compute: Numbers, expression: Expression, context: BatchContext): Evaluator {
  let write: WriteRows | null = null;
  let others = new Uint32Array(0);
  return (out, rows) => {
    const numbers = compute(rows);
    const { kinds, values } = numbers;
    const { left, count } = writeIds(numbers, rows, out);
    if (others.length < count) others = new Uint32Array(Math.max(count, Math.min(BATCH_ROWS, 2 * others.length)));
    let otherCount = 0;
    for (let at = 0; at < count; at++) {
      const row = left[at] as number;
      if (kinds[row] === DOUBLE) context.terms.writeDouble(values[row] as number, out, row, context.apart);
      else others[otherCount++] = row;
    }
    if (otherCount === 0) return;
    write ??= compileRows(expression, context);
    write(out, others, otherCount);
  };
}

/** Lengths of texts are read for the rows that want them only. */
function compileNumberBranch(expression: Expression, context: BatchContext): Branch | null {
  if (!isRepeatable(expression) || columnsRead(expression, context).length === 0) return null;
  if (someExpression(expression, (part) => part.kind === 'call' && part.operator === 'strlen')) return null;
  const compute = compileNumbers(expression, context);
  if (compute === null) return null;
  let write: WriteRows | null = null;
  let column = new Uint32Array(0);
  let others = new Uint32Array(0);
  return (out, rows, wanted, count) => {
    if (others.length < rows) {
      others = new Uint32Array(Math.max(rows, Math.min(BATCH_ROWS, 2 * others.length)));
      column = new Uint32Array(2 * others.length);
    }
    const numbers = compute(rows);
    const { left, count: leftCount } = writeIds(numbers, rows, column);
    for (let at = 0; at < count; at++) copyId(column, wanted[at] as number, out, wanted[at] as number);
    let otherCount = 0;
    let next = 0;
    for (let at = 0; at < leftCount; at++) {
      const row = left[at] as number;
      while (next < count && (wanted[next] as number) < row) next++;
      if (next === count) break;
      if (wanted[next] !== row) continue;
      if (numbers.kinds[row] === DOUBLE)
        context.terms.writeDouble(numbers.values[row] as number, out, row, context.apart);
      else others[otherCount++] = row;
    }
    if (otherCount === 0) return;
    write ??= compileRows(expression, context);
    write(out, others, otherCount);
  };
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
  const constant = new Uint32Array(2);
  let known = false;
  return (out, rows) => {
    if (!known) writeConstant(scalar(0), constant, context);
    known = true;
    for (let row = 0; row < rows; row++) copyId(constant, 0, out, row);
  };
}

/** The id of a value that stays. */
function writeConstant(operand: Operand | null, out: IdColumn, context: BatchContext): void {
  const id = operand === null ? 0n : context.terms.encode(operand.term);
  out[0] = lowOf(id);
  out[1] = highOf(id);
}
