/**
 * Conditions over whole batches: one byte a row, 0 false, 1 true, 2 error. Logic combines the bytes
 * of its parts; tests that the id decides (kinds of term, equality of IRIs and strings, comparison
 * of inlined values) never decode; what is left goes row by row to the scalar form, once per distinct
 * id where the condition looks at one variable.
 */

import { highOf, lowOf } from '../../storage/ids/halves.js';
import { TAG } from '../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/scan.js';
import { type CallExpression, type Expression, expressionSize, isRepeatable } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { isUnboundAt, tagAt } from '../operators/ids.js';
import type { BatchContext } from './batch-context.js';
import { type DecidableOperator, decideComparison, UNDECIDED } from './decide.js';
import { isLongList } from './in-list.js';
import { compileScalar, truthOf } from './scalar.js';

export const FALSE = 0;
export const TRUE = 1;
export const ERROR = 2;

/** Fills the first `rows` bytes. */
export type Condition = (out: Uint8Array, rows: number) => void;

const COMPARISONS: ReadonlySet<string> = new Set(['=', '!=', '<', '<=', '>', '>=']);

export function compileCondition(expression: Expression, context: BatchContext): Condition {
  if (expression.kind !== 'call') return fallback(expression, context);
  const { operator, args } = expression;
  switch (operator) {
    case '&&':
    case '||':
      return compileLogic(
        operator,
        args.map((arg) => compileCondition(arg, context)),
      );
    case '!':
      return compileNot(compileCondition(args[0] as Expression, context));
    case 'bound':
      return compileBound(args[0] as Expression, context);
    case 'isiri':
      return compileKind(expression, context, (tag) => tag === TAG.iri);
    case 'isblank':
      return compileKind(expression, context, (tag) => tag === TAG.blank);
    case 'isliteral':
      return compileKind(expression, context, (tag) => tag >= TAG.string && tag < TAG.triple);
    case 'sameterm':
      return compileComparison(expression, 'sameterm', context);
    case 'in':
      return isLongList(args) ? fallback(expression, context) : compileIn(args, context);
    case 'notin':
      return isLongList(args) ? fallback(expression, context) : compileNot(compileIn(args, context));
    default:
      if (!COMPARISONS.has(operator)) return fallback(expression, context);
      return compileComparison(expression, operator as DecidableOperator, context);
  }
}

function compileLogic(operator: '&&' | '||', parts: readonly Condition[]): Condition {
  const scratch = new Uint8Array(BATCH_ROWS);
  const deciding = operator === '&&' ? FALSE : TRUE;
  return (out, rows) => {
    (parts[0] as Condition)(out, rows);
    for (let part = 1; part < parts.length; part++) {
      (parts[part] as Condition)(scratch, rows);
      for (let row = 0; row < rows; row++) {
        if (out[row] === deciding) continue;
        if (scratch[row] === deciding || scratch[row] === ERROR) out[row] = scratch[row] as number;
      }
    }
  };
}

function compileNot(inner: Condition): Condition {
  return (out, rows) => {
    inner(out, rows);
    for (let row = 0; row < rows; row++) if (out[row] !== ERROR) out[row] = (out[row] as number) ^ 1;
  };
}

function compileBound(arg: Expression, context: BatchContext): Condition {
  const column = arg.kind === 'variable' ? context.columnOf(arg.name) : -1;
  return (out, rows) => {
    if (column < 0) out.fill(FALSE, 0, rows);
    else for (let row = 0; row < rows; row++) out[row] = isUnboundAt(context.column(column), row) ? FALSE : TRUE;
  };
}

function compileKind(call: CallExpression, context: BatchContext, test: (tag: number) => boolean): Condition {
  const arg = call.args[0] as Expression;
  const column = arg.kind === 'variable' ? context.columnOf(arg.name) : -1;
  if (column < 0) return fallback(call, context);
  const rest = compileRest(call, context);
  return (out, rows) => {
    const ids = context.column(column);
    let undecided = false;
    for (let row = 0; row < rows; row++) {
      const tag = tagAt(ids, row);
      if (tag === TAG.unbound) out[row] = ERROR;
      else if (tag === TAG.local) {
        out[row] = UNDECIDED;
        undecided = true;
      } else out[row] = test(tag) ? TRUE : FALSE;
    }
    if (undecided) rest(out, rows);
  };
}

/** `?x IN (a, b, …)` is a chain of equalities. */
function compileIn(args: readonly Expression[], context: BatchContext): Condition {
  const [wanted, ...list] = args as [Expression, ...Expression[]];
  if (list.length === 0) return (out, rows) => out.fill(FALSE, 0, rows);
  return compileLogic(
    '||',
    list.map((item) => compileCondition({ kind: 'call', operator: '=', args: [wanted, item] }, context)),
  );
}

interface Side {
  readonly column: () => IdColumn;
  /** 1 for a column, 0 for a constant, whose column has one row. */
  readonly stride: 0 | 1;
}

function compileComparison(call: CallExpression, operator: DecidableOperator, context: BatchContext): Condition {
  const left = sideOf(call.args[0] as Expression, context);
  const right = sideOf(call.args[1] as Expression, context);
  if (left === null || right === null) return fallback(call, context);
  const rest = compileRest(call, context);
  return (out, rows) => {
    const a = left.column();
    const b = right.column();
    let undecided = false;
    for (let row = 0; row < rows; row++) {
      const atA = 2 * row * left.stride;
      const atB = 2 * row * right.stride;
      const answer = decideComparison(
        operator,
        a[atA] as number,
        a[atA + 1] as number,
        b[atB] as number,
        b[atB + 1] as number,
      );
      if (answer === UNDECIDED) undecided = true;
      out[row] = answer;
    }
    if (undecided) rest(out, rows);
  };
}

function sideOf(expression: Expression, context: BatchContext): Side | null {
  if (expression.kind === 'term') {
    const id = context.terms.encode(expression.term);
    const constant = Uint32Array.of(lowOf(id), highOf(id));
    return { column: () => constant, stride: 0 };
  }
  if (expression.kind !== 'variable') return null;
  const column = context.columnOf(expression.name);
  return column < 0 ? null : { column: () => context.column(column), stride: 1 };
}

/** The scalar form for every row. */
function fallback(expression: Expression, context: BatchContext): Condition {
  const rest = compileRest(expression, context);
  return (out, rows) => {
    out.fill(UNDECIDED, 0, rows);
    rest(out, rows);
  };
}

/** Decides the rows that are still UNDECIDED. */
function compileRest(expression: Expression, context: BatchContext): Condition {
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

function memoised(decide: (row: number) => number, column: number, context: BatchContext): Condition {
  let memo = new Uint8Array(BATCH_ROWS).fill(UNDECIDED);
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
