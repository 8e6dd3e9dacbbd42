/**
 * Conditions over whole batches: one byte a row, 0 false, 1 true, 2 error. Logic asks its cheapest part
 * first and the others only about the rows that are still open; what ids or numbers decide never decodes;
 * what is left goes row by row to the scalar form, once per distinct id where the condition looks at one
 * variable.
 */

import { highOf, INTEGER_PREFIX, isNumericTag, lowOf, numericOfHalves } from '../../storage/ids/halves.js';
import { TAG } from '../../storage/ids/layout.js';
import { BATCH_ROWS } from '../../storage/seam/scan.js';
import type { CallExpression, Expression } from '../algebra/expression.js';
import { isUnboundAt, tagAt } from '../runtime/ids.js';
import { type Decide, ERROR, FALSE, SKIPPED, TRUE, UNDECIDED } from './answers.js';
import type { BatchContext } from './batch-context.js';
import {
  compareColumns,
  compareNumbers,
  type DecidableOperator,
  idToCompare,
  plainTagOf,
  type ReadColumn,
} from './comparison.js';
import { compileIdList, isLongList } from './in-list.js';
import { compileRest, later } from './row-values.js';
import { compileTextCondition } from './text-condition.js';
import { compileDatatypeTest } from './told.js';

export { ERROR, FALSE, TRUE } from './answers.js';

/** Fills the first `rows` bytes. */
export type Condition = (out: Uint8Array, rows: number) => void;

const COMPARISONS: ReadonlySet<string> = new Set(['=', '!=', '<', '<=', '>', '>=']);
/** The operator that says the same with its sides exchanged. */
const MIRRORED = { '=': '=', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=', sameterm: 'sameterm' } as const;

export function compileCondition(expression: Expression, context: BatchContext): Condition {
  const decide = compileDecide(expression, context);
  return (out, rows) => {
    out.fill(UNDECIDED, 0, rows);
    decide(out, rows);
  };
}

function compileDecide(expression: Expression, context: BatchContext): Decide {
  if (expression.kind !== 'call') return compileRest(expression, context);
  const { operator, args } = expression;
  switch (operator) {
    case '&&':
    case '||':
      return compileLogic(
        operator,
        byCost(args).map((arg) => compileDecide(arg, context)),
      );
    case '!':
      return compileNot(compileDecide(args[0] as Expression, context));
    case 'bound':
      return compileBound(args[0] as Expression, context);
    case 'isiri':
      return compileKind(expression, context, (tag) => tag === TAG.iri);
    case 'isblank':
      return compileKind(expression, context, (tag) => tag === TAG.blank);
    case 'isliteral':
      return compileKind(expression, context, (tag) => tag >= TAG.string && tag < TAG.triple);
    case 'isnumeric':
      return compileIsNumeric(expression, context);
    case 'sameterm':
      return compileComparison(expression, 'sameterm', context);
    case 'in':
      return compileIn(expression, context);
    case 'notin':
      return compileNot(compileIn({ ...expression, operator: 'in' }, context));
    default: {
      const text = compileTextCondition(expression, context);
      if (text !== null) return text;
      if (!COMPARISONS.has(operator)) return compileRest(expression, context);
      return compileComparison(expression, operator as DecidableOperator, context);
    }
  }
}

function compileLogic(operator: '&&' | '||', parts: readonly Decide[]): Decide {
  let scratch = new Uint8Array(0);
  const deciding = operator === '&&' ? FALSE : TRUE;
  return (out, rows) => {
    if (scratch.length < rows) scratch = new Uint8Array(Math.max(rows, Math.min(BATCH_ROWS, 2 * scratch.length)));
    (parts[0] as Decide)(out, rows);
    for (let part = 1; part < parts.length; part++) {
      let open = 0;
      for (let row = 0; row < rows; row++) {
        const decided = out[row] === deciding || out[row] === SKIPPED;
        scratch[row] = decided ? SKIPPED : UNDECIDED;
        open += decided ? 0 : 1;
      }
      if (open === 0) return;
      (parts[part] as Decide)(scratch, rows);
      for (let row = 0; row < rows; row++) {
        if (scratch[row] === deciding || scratch[row] === ERROR) out[row] = scratch[row] as number;
      }
    }
  };
}

function compileNot(inner: Decide): Decide {
  return (out, rows) => {
    inner(out, rows);
    for (let row = 0; row < rows; row++) if ((out[row] as number) <= TRUE) out[row] = (out[row] as number) ^ 1;
  };
}

function compileBound(arg: Expression, context: BatchContext): Decide {
  const column = context.variableColumn(arg);
  return (out, rows) => {
    for (let row = 0; row < rows; row++) {
      if (out[row] !== UNDECIDED) continue;
      out[row] = column < 0 || isUnboundAt(context.column(column), row) ? FALSE : TRUE;
    }
  };
}

function compileKind(call: CallExpression, context: BatchContext, test: (tag: number) => boolean): Decide {
  return compileByTag(call, context, (tag) => (test(tag) ? TRUE : FALSE));
}

/** Other literals of the dictionary may be numbers. */
function compileIsNumeric(call: CallExpression, context: BatchContext): Decide {
  const byTag = compileByTag(call, context, (tag) => {
    if (tag === TAG.typed || tag === TAG.integer) return UNDECIDED;
    return isNumericTag(tag) ? TRUE : FALSE;
  });
  const [arg] = call.args;
  const column = context.variableColumn(arg);
  if (column < 0) return byTag;
  return (out, rows) => {
    const ids = context.column(column);
    for (let row = 0; row < rows; row++) {
      const high = ids[2 * row + 1] as number;
      if (out[row] !== UNDECIDED || high >>> 24 !== TAG.integer) continue;
      // An integer out of the range of its type is no number.
      const inRange = high >>> 16 === INTEGER_PREFIX || !Number.isNaN(numericOfHalves(ids[2 * row] as number, high));
      out[row] = inRange ? TRUE : FALSE;
    }
    byTag(out, rows);
  };
}

/** `answer` is not asked about what is unbound, or computed by the query. */
function compileByTag(call: CallExpression, context: BatchContext, answer: (tag: number) => number): Decide {
  const arg = call.args[0] as Expression;
  const column = context.variableColumn(arg);
  if (column < 0) return compileRest(call, context);
  const rest = laterRest(call, context);
  const answers = Uint8Array.from({ length: 256 }, (_, tag) => answer(tag));
  answers[TAG.unbound] = ERROR;
  answers[TAG.local] = UNDECIDED;
  return (out, rows) => {
    const ids = context.column(column);
    let undecided = false;
    for (let row = 0; row < rows; row++) {
      if (out[row] === UNDECIDED) out[row] = answers[tagAt(ids, row)] as number;
      undecided ||= out[row] === UNDECIDED;
    }
    if (undecided) rest(out, rows);
  };
}

/** `?x IN (a, b, …)` is a chain of equalities, of which those with plain constants are asked at once. */
function compileIn(call: CallExpression, context: BatchContext): Decide {
  const [wanted, ...list] = call.args as [Expression, ...Expression[]];
  const ids = list.length === 0 ? null : compileIdList(call, context);
  if (ids !== null) return whereUndecided(ids, laterRest(call, context));
  // Of an empty list it matters whether what is looked for is an error.
  if (list.length === 0) return compileRest(call, context);
  const plain = list.filter((item) => item.kind === 'term' && plainTagOf(item.term) !== null);
  if (wanted.kind === 'variable' && plain.length > 1 && plain.length < list.length) {
    const others = list.filter((item) => !plain.includes(item));
    const parts = [plain, others].map((items) => compileIn({ ...call, args: [wanted, ...items] }, context));
    return compileLogic('||', parts);
  }
  if (isLongList(call.args)) return compileRest(call, context);
  return compileLogic(
    '||',
    list.map((item) => compileDecide({ kind: 'call', operator: '=', args: [wanted, item] }, context)),
  );
}

function compileComparison(call: CallExpression, operator: DecidableOperator, context: BatchContext): Decide {
  const [left, right] = call.args as [Expression, Expression];
  const byIds = compareIds(operator, left, right, context) ?? compileDatatypeTest(call, context);
  const byNumbers = operator === 'sameterm' ? null : compareNumbers(operator, left, right, context);
  if (byIds === null && byNumbers === null) return compileRest(call, context);
  const rest = laterRest(call, context);
  const byValues = byNumbers === null ? rest : whereUndecided(byNumbers, rest);
  return byIds === null ? byValues : whereUndecided(byIds, byValues);
}

/** Null where one side is neither a column nor a constant. */
function compareIds(
  operator: DecidableOperator,
  left: Expression,
  right: Expression,
  context: BatchContext,
): Decide | null {
  if (left.kind === 'term' && right.kind !== 'term') return compareIds(MIRRORED[operator], right, left, context);
  const first = columnOf(left, context);
  if (first === null) return null;
  if (right.kind === 'term') {
    const id = idToCompare(operator, right.term, (term) => context.terms.encode(term));
    const constant = Uint32Array.of(lowOf(id), highOf(id));
    return compareColumns(operator, first, () => constant);
  }
  const second = columnOf(right, context);
  return second === null ? null : compareColumns(operator, first, second);
}

function columnOf(expression: Expression, context: BatchContext): ReadColumn | null {
  if (expression.kind !== 'variable') return null;
  const column = context.columnOf(expression.name);
  return column < 0 ? null : () => context.column(column);
}

/** For known operators on variables and constants: nothing is refused when the rest is compiled. */
function laterRest(call: CallExpression, context: BatchContext): Decide {
  return later(() => compileRest(call, context));
}

function whereUndecided(decide: Decide, rest: Decide): Decide {
  return (out, rows) => {
    decide(out, rows);
    for (let row = 0; row < rows; row++) {
      if (out[row] !== UNDECIDED) continue;
      rest(out, rows);
      return;
    }
  };
}

/** Decided by ids or numbers, a batch in a loop. */
const LOOPS: ReadonlySet<string> = new Set([
  ...['=', '!=', '<', '<=', '>', '>=', 'sameterm', 'in', 'notin', 'bound', 'isiri', 'isblank', 'isliteral'],
  ...['&&', '||', '!', '+', '-', '*', '/', 'uminus', 'datatype', 'isnumeric', 'abs', 'round', 'ceil', 'floor'],
]);
const TERM_COST = 20;

function costOf(expression: Expression): number {
  if (!('args' in expression)) return expression.kind === 'exists' ? TERM_COST : 0;
  const own = expression.kind === 'call' && LOOPS.has(expression.operator) ? 1 : TERM_COST;
  return expression.args.reduce((cost, arg) => cost + costOf(arg), own);
}

/** The cheapest first; those that cost the same keep their sequence. */
export function byCost(expressions: readonly Expression[]): readonly Expression[] {
  return [...expressions].sort((a, b) => costOf(a) - costOf(b));
}
