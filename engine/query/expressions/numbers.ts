/**
 * Arithmetic over whole batches, in kernels. A number is its kind and a double: of integers and decimals the
 * digits as a whole number of at most 2^53 with a scale, exact; of doubles the value; of longer exact numbers
 * the nearest double, and of their products and quotients one that is about as near, which mostly tells how
 * two compare. What does not fit, floats, and what is no number are OTHER: the scalar form decides such rows.
 * An unbound operand is an ERROR. The columns belong to the thread: expressions take them by number, as from a stack, and
 * nothing stays in them after a batch. STRLEN counts in the stored bytes of terms, and for values that are their own ids
 * once for each of them.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import { KernelInput, keeping, keptInMemory, threadMemory, whenGivenUp } from '../../kernels/thread-memory.js';
import { type Literal, XSD } from '../../rdf/terms.js';
import { parseValue } from '../../rdf/values/index.js';
import { inlineLexical } from '../../storage/ids/inline.js';
import { TAG } from '../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { Expression } from '../algebra/expression.js';
import { ByteArea } from '../terms/byte-area.js';
import { IdNumbers } from '../terms/id-numbers.js';
import { LOCAL_DOUBLE, LOCAL_EXACT, LOCAL_HIGH } from '../terms/local-dictionary.js';
import { isStoredDouble, prefixesOf, type ReadFacts, StoredFacts } from '../terms/stored-facts.js';
import type { QueryTerms } from '../terms/terms.js';
import type { BatchContext } from './batch-context.js';

/** Kinds of numbers; `numbers.ts` says what they mean. */
export const OTHER = 0;
export const INTEGER = 1;
export const DECIMAL = 2;
export const DOUBLE = 3;
export const ERROR_KIND = 4;
export const NEAREST = 5;

/** An expression that needs more is left to the scalar form. */
export const COLUMNS_MAX = 16;
/** Kind and scale, a byte each, and value. */
const BYTES_PER_ROW = 10;

export interface NumberColumn {
  readonly address: number;
  readonly kinds: Uint8Array;
  readonly scales: Uint8Array;
  readonly values: Float64Array;
}

/** Computes the first `rows` numbers of the batch at hand; valid until others are computed in the same column. */
export type Numbers = (rows: number) => NumberColumn;

const columns = Array.from({ length: COLUMNS_MAX }, () => keptInMemory(makeColumn));

export function numberColumn(number: number): NumberColumn {
  return (columns[number] as () => NumberColumn)();
}

function makeColumn(memory: ThreadMemory): NumberColumn {
  const address = memory.allocate(BYTES_PER_ROW * BATCH_ROWS);
  const kinds = memory.bytesAt(address, BATCH_ROWS);
  const scales = memory.bytesAt(address + BATCH_ROWS, BATCH_ROWS);
  return { address, kinds, scales, values: memory.doublesAt(address + 2 * BATCH_ROWS, BATCH_ROWS) };
}

const idInput = new KernelInput(2 * BATCH_ROWS);
const KIND_OF_LOCAL = new Uint8Array(3);
KIND_OF_LOCAL[LOCAL_EXACT] = NEAREST;
KIND_OF_LOCAL[LOCAL_DOUBLE] = DOUBLE;

/** The numbers of the first `rows` ids; of those that the dictionary keeps the doubles. */
export function readIds(ids: IdColumn, rows: number, column: NumberColumn, { local, doubles }: QueryTerms): void {
  const made = threadMemory().kernels.readNumbers(idInput.addressOf(ids, 2 * rows), rows, column.address);
  if (made === 0) return;
  const { kinds, values } = column;
  doubles.prepare(ids, rows);
  for (let row = 0; row < rows; row++) {
    const high = ids[2 * row + 1] as number;
    if (isStoredDouble(high)) {
      const number = doubles.factOf(ids[2 * row] as number, high);
      if (Number.isNaN(number)) continue;
      kinds[row] = DOUBLE;
      values[row] = number;
      continue;
    }
    if (high !== LOCAL_HIGH) continue;
    const number = ids[2 * row] as number;
    kinds[row] = KIND_OF_LOCAL[local.kinds[number] as number] as number;
    values[row] = local.numbers[number] as number;
  }
}

/** A part of the dates and times among the first `rows` ids, by its place in `DATE_PARTS`. */
export function readDateParts(ids: IdColumn, rows: number, part: number, column: NumberColumn): void {
  threadMemory().kernels.readDateParts(idInput.addressOf(ids, 2 * rows), rows, part, column.address);
}

const written = keptInMemory((memory) => ({
  ids: memory.wordsAt(memory.allocate(8 * BATCH_ROWS), 2 * BATCH_ROWS),
  left: memory.wordsAt(memory.allocate(4 * BATCH_ROWS), BATCH_ROWS),
}));

/**
 * Writes the ids of the numbers that are their own ids, and 0 for errors. Gives how many others there are: `left` lists
 * their rows, until the next call.
 */
export function writeIds({ address }: NumberColumn, rows: number, out: IdColumn): { left: Uint32Array; count: number } {
  const { ids, left } = written();
  const count = threadMemory().kernels.numberIds(address, rows, ids.byteOffset, left.byteOffset);
  out.set(ids.subarray(0, 2 * rows));
  return { left, count };
}

/** A constant decimal of more digits after the point is left to the scalar form, as is one that is inlined. */
const SCALE_MAX = 15;
/** As `readDateParts` numbers them. */
const DATE_PARTS = ['year', 'month', 'day', 'hours', 'minutes', 'seconds'];
/** As `combineNumbers` numbers them. */
const OPERATORS = ['+', '-', '*', '/'];
/** As `roundNumbers` numbers them. */
const ROUNDINGS = ['round', 'ceil', 'floor', 'abs'];

/** Changes the first `rows` numbers of the column at an address. */
type Change = (column: number, rows: number) => void;

const CASTS: ReadonlyMap<string, Change> = new Map<string, Change>([
  [`${XSD}double`, (column, rows) => threadMemory().kernels.castNumbersToDouble(column, rows)],
  [`${XSD}integer`, (column, rows) => threadMemory().kernels.castNumbersToExact(column, rows, 1)],
  [`${XSD}decimal`, (column, rows) => threadMemory().kernels.castNumbersToExact(column, rows, 0)],
]);

/**
 * Null for an expression that is not made of variables, numbers, random ones, arithmetic, rounding, casts to double, decimal and integer,
 * parts of dates and lengths of texts alone. It uses the columns from `first` on, and leaves the result in that one.
 */
export function compileNumbers(expression: Expression, context: BatchContext, first = 0): Numbers | null {
  if (first >= COLUMNS_MAX) return null;
  switch (expression.kind) {
    case 'variable':
      return ofVariable(context.columnOf(expression.name), context, first);
    case 'term':
      return expression.term.termType === 'Literal' ? ofConstant(expression.term, first) : null;
    case 'function':
      return compileCast(expression.iri, expression.args, context, first);
    case 'call':
      return compileCall(expression.operator, expression.args, context, first);
    default:
      return null;
  }
}

/** True for what is computed; variables and constants alone are better compared by their ids. */
export function isComputed(expression: Expression): boolean {
  return expression.kind === 'call' || expression.kind === 'function';
}

function compileCast(iri: string, args: readonly Expression[], context: BatchContext, first: number): Numbers | null {
  const change = CASTS.get(iri);
  return change === undefined || args.length !== 1
    ? null
    : map(compileNumbers(args[0] as Expression, context, first), change);
}

function compileCall(
  operator: string,
  args: readonly Expression[],
  context: BatchContext,
  first: number,
): Numbers | null {
  if (operator === 'rand') return ofRandom(first);
  const [argument] = args;
  if (argument?.kind === 'variable') {
    const column = context.columnOf(argument.name);
    const part = DATE_PARTS.indexOf(operator);
    if (part >= 0) return ofDatePart(part, column, context, first);
  }
  if (operator === 'strlen') return compileTextLength(argument as Expression, context, first);
  const mode = ROUNDINGS.indexOf(operator);
  if (mode >= 0) {
    return map(compileNumbers(argument as Expression, context, first), (column, rows) =>
      threadMemory().kernels.roundNumbers(column, rows, mode),
    );
  }
  const number = OPERATORS.indexOf(operator);
  if (number < 0 && operator !== 'uminus') return null;
  const a = compileNumbers(args[0] as Expression, context, first);
  if (number < 0) return map(a, (column, rows) => threadMemory().kernels.negateNumbers(column, rows));
  const b = a === null ? null : compileNumbers(args[1] as Expression, context, first + 1);
  return a === null || b === null ? null : combine(number, a, b);
}

function ofVariable(column: number, context: BatchContext, first: number): Numbers | null {
  if (column < 0) return null;
  return (rows) => {
    const numbers = numberColumn(first);
    readIds(context.column(column), rows, numbers, context.terms);
    return numbers;
  };
}

function ofConstant(literal: Literal, first: number): Numbers | null {
  const value = parseValue(literal);
  const fill = (kind: number, scale: number, number: number): Numbers => {
    return (rows) => {
      const numbers = numberColumn(first);
      threadMemory().kernels.fillNumbers(numbers.address, rows, kind, scale, number);
      return numbers;
    };
  };
  switch (value.kind) {
    case 'integer':
      return Number.isSafeInteger(value.value) ? fill(INTEGER, 0, Number(value.value)) : null;
    case 'decimal': {
      const digits = Number(value.unscaled);
      return Number.isSafeInteger(digits) && value.scale <= SCALE_MAX ? fill(DECIMAL, value.scale, digits) : null;
    }
    case 'double':
      return fill(DOUBLE, 0, value.value);
    default:
      return null;
  }
}

/** Another number in each row. */
function ofRandom(first: number): Numbers {
  return (rows) => {
    const numbers = numberColumn(first);
    for (let row = 0; row < rows; row++) numbers.values[row] = Math.random();
    numbers.kinds.fill(DOUBLE, 0, rows);
    numbers.scales.fill(0, 0, rows);
    return numbers;
  };
}

function ofDatePart(part: number, column: number, context: BatchContext, first: number): Numbers | null {
  if (column < 0) return null;
  return (rows) => {
    const numbers = numberColumn(first);
    readDateParts(context.column(column), rows, part, numbers);
    return numbers;
  };
}

function map(inner: Numbers | null, change: Change): Numbers | null {
  if (inner === null) return null;
  return (rows) => {
    const numbers = inner(rows);
    change(numbers.address, rows);
    return numbers;
  };
}

function combine(operator: number, first: Numbers, second: Numbers): Numbers {
  return (rows) => {
    const a = first(rows);
    const b = second(rows);
    threadMemory().kernels.combineNumbers(operator, a.address, b.address, rows);
    return a;
  };
}

const TEXTS = [TAG.string, TAG.langString, TAG.dirLangString];
const INLINED = [
  ...[TAG.integer, TAG.decimal, TAG.double, TAG.float],
  ...[TAG.boolean, TAG.date, TAG.dateTime, TAG.dateTimeMs],
];

interface Lengths {
  /** By the upper 16 bits of an id: 1 where the dictionary has the text. */
  readonly stored: Uint8Array;
  /** By tag, what the length is; what the query made, and triple terms, are OTHER. */
  readonly kinds: Uint8Array;
}

function lengthsOf(stored: readonly number[], inlined: readonly number[]): Lengths {
  const kinds = new Uint8Array(256).fill(ERROR_KIND);
  for (const tag of [...stored, ...inlined]) kinds[tag] = INTEGER;
  kinds[TAG.local] = OTHER;
  if (inlined.length > 0) kinds[TAG.triple] = OTHER;
  return { stored: prefixesOf(stored), kinds };
}

const OF_TEXT = lengthsOf(TEXTS, []);
const OF_STR = lengthsOf([...TEXTS, TAG.typed, TAG.iri], INLINED);

/** Null for the length of anything else. */
export function compileTextLength(argument: Expression, context: BatchContext, first: number): Numbers | null {
  const isStr = argument.kind === 'call' && argument.operator === 'str';
  const variable = isStr ? argument.args[0] : argument;
  const column = context.variableColumn(variable);
  if (column < 0) return null;
  const { stored, kinds: kindsByTag } = isStr ? OF_STR : OF_TEXT;
  const lengths = new StoredFacts(context.terms, context.terms.scope, readLengths, stored);
  const known = new IdNumbers();
  return (rows) => {
    const numbers = numberColumn(first);
    const { kinds, values } = numbers;
    const ids = context.column(column);
    known.begin();
    for (let row = 0; row < rows; row++) {
      const high = ids[2 * row + 1] as number;
      kinds[row] = kindsByTag[high >>> 24] as number;
      if (kinds[row] !== INTEGER || stored[high >>> 16] === 1) continue;
      const low = ids[2 * row] as number;
      const before = known.count;
      const entry = known.entryOf(low, high);
      if (entry === before) known.numbers[entry] = inlineLexical(low, high).length;
      values[row] = known.numbers[entry] as number;
    }
    numbers.scales.fill(0, 0, rows);
    lengths.resolve(ids, rows, (row, length) => {
      values[row] = length;
    });
    return numbers;
  };
}

const texts = new ByteArea();
const lengths = new ByteArea();
whenGivenUp(() => {
  texts.forget();
  lengths.forget();
});

/** Lengths of texts in code points. */
const readLengths: ReadFacts = ({ bytes, count, places, starts, ends }, put) => {
  const from = starts[0] as number;
  const to = ends[count - 1] as number;
  const text = keeping(() => texts.reserve(to - from));
  const at = keeping(() => lengths.reserve(12 * count));
  const { bytes: all, words, kernels } = threadMemory();
  all.set(bytes.subarray(from, to), text);
  const first = at >>> 2;
  for (let index = 0; index < count; index++) {
    words[first + index] = (starts[index] as number) - from;
    words[first + count + index] = (ends[index] as number) - from;
  }
  kernels.textLengths(text, at, at + 4 * count, count, at + 8 * count);
  for (let index = 0; index < count; index++) put(places[index] as number, words[first + 2 * count + index] as number);
};
