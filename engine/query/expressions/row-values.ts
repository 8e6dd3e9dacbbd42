/**
 * The scalar form of an expression for rows of a batch, as ids or as answers of a condition: once for each distinct id where
 * it looks at one variable, otherwise row by row.
 */

import { XSD } from '../../rdf/terms.js';
import { INTEGER_TYPES, TEMPORAL_KINDS } from '../../rdf/values/index.js';
import { lexicalStart } from '../../storage/dictionary/stored-term.js';
import { TAG } from '../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn, type StoredTerms } from '../../storage/seam/scan.js';
import { type Expression, expressionSize, isRepeatable } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { copyId } from '../runtime/batch.js';
import type { ComputedTerms } from '../terms/computed-terms.js';
import type { Operand } from '../terms/operand.js';
import { type Decide, ERROR, FALSE, TRUE, UNDECIDED } from './answers.js';
import { type BatchContext, operandsOf, type ReadVariable } from './batch-context.js';
import { type ComputeValues, IdAnswers, IdValues } from './by-id.js';
import { compileScalar, type Scalar, truthOf } from './scalar.js';

/** Puts the values of the first `count` rows that are listed into their places; 0 where the expression is an error. */
export type WriteRows = (out: IdColumn, rows: ArrayLike<number>, count: number) => void;
/** The same for all of the first `rows`. */
export type WriteAll = (out: IdColumn, rows: number) => void;

/** The columns that an expression reads. */
export function columnsRead(expression: Expression, context: BatchContext): readonly number[] {
  return [...variablesOf(expression)].map((name) => context.columnOf(name)).filter((column) => column >= 0);
}

export function compileAllRows(expression: Expression, context: BatchContext, computed: ComputedTerms): WriteAll {
  const columns = columnsRead(expression, context);
  if (columns.length === 1 && isRepeatable(expression)) {
    const values = valuesById(expression, context, computed);
    return (out, rows) => values.write(context.column(columns[0] as number), rows, out);
  }
  const scalar = compileSpending(expression, (name) => context.reader(name), context);
  return (out, rows) => {
    for (let row = 0; row < rows; row++) computed.write(scalar(row), out, row);
  };
}

export function compileRows(expression: Expression, context: BatchContext, computed: ComputedTerms): WriteRows {
  const columns = columnsRead(expression, context);
  if (columns.length === 1 && isRepeatable(expression)) {
    return rowsById(valuesById(expression, context, computed), columns[0] as number, context);
  }
  const scalar = compileSpending(expression, (name) => context.reader(name), context);
  return (out, rows, count) => {
    for (let at = 0; at < count; at++) computed.write(scalar(rows[at] as number), out, rows[at] as number);
  };
}

function rowsById(values: IdValues, column: number, context: BatchContext): WriteRows {
  let own = new Uint32Array(0);
  return (out, rows, count) => {
    if (own.length < 2 * count) own = new Uint32Array(Math.max(2 * count, Math.min(2 * BATCH_ROWS, 2 * own.length)));
    const ids = context.column(column);
    for (let at = 0; at < count; at++) copyId(ids, rows[at] as number, own, at);
    values.write(own, count, own);
    for (let at = 0; at < count; at++) copyId(own, at, out, rows[at] as number);
  };
}

function valuesById(expression: Expression, context: BatchContext, computed: ComputedTerms): IdValues {
  const operands = new DistinctOperands(context);
  const scalar = compileSpending(expression, (name) => operands.reader(name), context);
  const markRefused = compileRefusals(expression, context);
  const compute: ComputeValues = (ids, count, values) => {
    operands.load(ids, count);
    for (let at = 0; at < count; at++) computed.write(scalar(at), values, at);
    operands.clear();
  };
  return new IdValues(computed, markRefused === null ? compute : unlessRefused(markRefused, compute));
}

/** Only for ids that are not refused; the others are errors. */
function unlessRefused(markRefused: MarkRefused, compute: ComputeValues): ComputeValues {
  return (ids, count, values) => {
    const refused = new Uint8Array(count);
    markRefused(ids, count, refused);
    const kept = new Uint32Array(2 * count);
    let keptCount = 0;
    for (let at = 0; at < count; at++) if (refused[at] === 0) copyId(ids, at, kept, keptCount++);
    values.fill(0, 0, 2 * count);
    if (keptCount === 0) return;
    const own = new Uint32Array(2 * keptCount);
    compute(kept, keptCount, own);
    let next = 0;
    for (let at = 0; at < count; at++) if (refused[at] === 0) copyId(own, next++, values, at);
  };
}

export function compileSpending(
  expression: Expression,
  variable: (name: string) => ReadVariable,
  context: BatchContext,
): Scalar {
  const { scope } = context.terms;
  const compiled = compileScalar(expression, variable, scope);
  const size = expressionSize(expression);
  return (row) => {
    scope.spend(size);
    return compiled(row);
  };
}

/** The operands of distinct ids, for the scalar form of an expression of one variable, which is asked once for each. */
class DistinctOperands {
  private operands: (Operand | null)[] = [];

  constructor(private readonly context: BatchContext) {}

  /** What the variables are; those that the input does not bind are unbound. */
  reader(name: string): ReadVariable {
    return this.context.columnOf(name) < 0 ? () => null : (row) => this.operands[row] as Operand | null;
  }

  /** The rows of the next calls are the places of these ids. */
  load(ids: IdColumn, count: number): void {
    this.operands = operandsOf(this.context.terms, ids, count);
  }

  /** Lets go of the terms. */
  clear(): void {
    this.operands = [];
  }
}

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
  const operands = new DistinctOperands(context);
  const scalar = compileSpending(expression, (name) => operands.reader(name), context);
  const known = new IdAnswers(BY_VALUE, ({ ids, count, answers }) => {
    operands.load(ids, count);
    for (let at = 0; at < count; at++) answers[at] = answerOf(scalar(at));
    operands.clear();
  });
  return (out, rows) => {
    known.decide(context.column(column), rows, out);
  };
}

/** Marks by 1 those of the first `count` distinct ids whose cast is an error; says nothing of the others. */
export type MarkRefused = (ids: IdColumn, count: number, refused: Uint8Array) => void;

/** What the lexical forms of a type begin with, or more. */
const BEGINNINGS = new Map<string, string>([
  [`${XSD}boolean`, '01tf'],
  ...[...INTEGER_TYPES.keys()].map((iri) => [iri, '+-0123456789'] as const),
  ...['decimal', 'double', 'float'].map((type) => [XSD + type, '+-.0123456789IN'] as const),
  ...TEMPORAL_KINDS.map((kind) => [XSD + kind, '+-0123456789'] as const),
  ...['duration', 'yearMonthDuration', 'dayTimeDuration'].map((type) => [XSD + type, '-P'] as const),
]);
const WHITE_SPACE: ReadonlySet<number> = new Set([...' \t\r\n'].map((space) => space.charCodeAt(0)));

const REFUSED = 1;
const BY_TEXT = 2;

/** Null for all but casts of a variable, or of its STR. */
export function compileRefusals(expression: Expression, context: BatchContext): MarkRefused | null {
  if (expression.kind !== 'function' || expression.args.length !== 1) return null;
  const beginnings = BEGINNINGS.get(expression.iri);
  const [argument] = expression.args;
  const isStr = argument?.kind === 'call' && argument.operator === 'str' && argument.args[0]?.kind === 'variable';
  if (beginnings === undefined || (!isStr && argument?.kind !== 'variable')) return null;
  const tags = new Uint8Array(256);
  tags[TAG.string] = BY_TEXT;
  // Of IRIs and strings with a language only the text can be cast.
  for (const tag of [TAG.iri, TAG.langString, TAG.dirLangString]) tags[tag] = isStr ? BY_TEXT : REFUSED;
  tags[TAG.blank] = REFUSED;
  const begins = Uint8Array.from({ length: 256 }, (_, byte) => Number(beginnings.includes(String.fromCharCode(byte))));
  return (ids, count, refused) => {
    const wanted = new Uint32Array(2 * BATCH_ROWS);
    const rows: number[] = [];
    for (let row = 0; row < count; row++) {
      const answer = tags[(ids[2 * row + 1] as number) >>> 24];
      if (answer === REFUSED) refused[row] = 1;
      else if (answer === BY_TEXT) copyId(ids, row, wanted, rows.push(row) - 1);
    }
    if (rows.length === 0) return;
    context.terms.stored(wanted, rows.length, (terms) => {
      context.terms.scope.spend(terms.count);
      for (let index = 0; index < terms.count; index++) {
        if (!begins[firstByte(terms, index)]) refused[rows[terms.places[index] as number] as number] = 1;
      }
    });
  };
}

/** Of the text behind white space; 0 where there is none. */
function firstByte({ bytes, starts, ends }: StoredTerms, index: number): number {
  const end = ends[index] as number;
  let at = lexicalStart(bytes, starts[index] as number, end);
  while (at < end && WHITE_SPACE.has(bytes[at] as number)) at++;
  return at < end ? (bytes[at] as number) : 0;
}
