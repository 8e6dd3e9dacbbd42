/**
 * Comparisons of columns with constants and with each other over whole batches: by ids, and of computed numbers, such as
 * `?a < ?b + 120`, by their numbers. A kernel decides all rows that it can; what ids do not decide stays UNDECIDED.
 *
 * Two ids decide without their terms: they correspond to terms one to one, so equal ids are the same term; inlined ids hold
 * their value; IRIs, blank nodes and strings differ when their ids do; values of different kinds differ, and have no order.
 */

import { KernelInput, threadMemory } from '../../kernels/thread-memory.js';
import { type Term, XSD_STRING } from '../../rdf/terms.js';
import { compareInlineHalves, numericOfHalves, ORDERED_PREFIXES } from '../../storage/ids/halves.js';
import { makeId, TAG, TERM_NUMBER_MAX, type TermId, tagOf } from '../../storage/ids/layout.js';
import { BATCH_ROWS, type IdColumn } from '../../storage/seam/scan.js';
import type { Expression } from '../algebra/expression.js';
import { type Decide, decideInKernel, ERROR, UNDECIDED } from './answers.js';
import type { BatchContext } from './batch-context.js';
import { compileNumbers } from './numbers.js';

/** Fewer rows are not worth a kernel. */
const KERNEL_ROWS_MIN = 16;
/** To find the bounds of a constant takes about as long as comparing so many rows one by one. */
const BOUNDS_ROWS_MIN = 64;
const TWO_TO_32 = 2 ** 32;
const PAYLOADS = 2 ** 48;

const inputA = new KernelInput(2 * BATCH_ROWS);
const inputB = new KernelInput(2 * BATCH_ROWS);

/** Gives the column of the batch at hand, or a single id, which is a constant; called once a batch. */
export type ReadColumn = () => IdColumn;

export function compareColumns(operator: DecidableOperator, readA: ReadColumn, readB: ReadColumn): Decide {
  const answers = answersByOrder(operator);
  const asked = operator === 'sameterm' ? 2 : operator === '=' || operator === '!=' ? 1 : 0;
  const known = new Map<number, Bounds>();
  return (out, rows) => {
    const a = readA();
    const b = readB();
    const isConstant = b.length === 2;
    if (rows >= KERNEL_ROWS_MIN) {
      const first = inputA.addressOf(a, 2 * rows);
      const second = inputB.addressOf(b, isConstant ? 2 : 2 * rows);
      const { kernels } = threadMemory();
      let left = 0;
      decideInKernel(out, rows, (at) => {
        left = kernels.compareIds(first, second, isConstant ? 0 : 8, rows, asked, answers, at);
      });
      if (left === 0) return;
      if (isConstant && left >= BOUNDS_ROWS_MIN) decideByBounds(operator, a, b, rows, out, known);
    }
    const step = isConstant ? 0 : 2;
    for (let row = 0; row < rows; row++) {
      if (out[row] !== UNDECIDED) continue;
      const [lowB, highB] = [b[step * row] as number, b[step * row + 1] as number];
      out[row] = decideComparison(operator, a[2 * row] as number, a[2 * row + 1] as number, lowB, highB);
    }
  };
}

function decideByBounds(
  operator: DecidableOperator,
  ids: IdColumn,
  constant: IdColumn,
  rows: number,
  out: Uint8Array,
  known: Map<number, Bounds>,
): void {
  let [prefix, from, to, below, middle, above] = [-1, 0, 0, 0, 0, 0];
  for (let row = 0; row < rows; row++) {
    const high = ids[2 * row + 1] as number;
    if (out[row] !== UNDECIDED || ORDERED_PREFIXES[high >>> 16] === 0) continue;
    if (high >>> 16 !== prefix) {
      prefix = high >>> 16;
      const bounds = known.get(prefix) ?? boundsOf(operator, prefix, constant);
      known.set(prefix, bounds);
      ({ from, to, below, middle, above } = bounds);
    }
    const payload = (high & 0xffff) * TWO_TO_32 + (ids[2 * row] as number);
    out[row] = payload < from ? below : payload < to ? middle : above;
  }
}

/**
 * What comparing ids with a constant gives where the kernel does not say it, such as times of another precision or zone: ids
 * of one ordered prefix are in the order of their values, so that two payloads cut them into three parts with one answer each.
 */
interface Bounds {
  readonly from: number;
  readonly to: number;
  readonly below: number;
  readonly middle: number;
  readonly above: number;
}

function boundsOf(operator: DecidableOperator, prefix: number, constant: IdColumn): Bounds {
  const low = constant[0] as number;
  const high = constant[1] as number;
  const halves = (payload: number): readonly [number, number] => [
    payload % TWO_TO_32,
    prefix * 2 ** 16 + Math.floor(payload / TWO_TO_32),
  ];
  const order = (payload: number) => compareInlineHalves(...halves(payload), low, high);
  const answer = (payload: number) => decideComparison(operator, ...halves(payload), low, high);
  const from = firstPayload((payload) => !(order(payload) < 0));
  const to = firstPayload((payload) => order(payload) > 0);
  const middle = answer(Math.min(from, PAYLOADS - 1));
  return { from, to, below: answer(Math.max(0, from - 1)), middle, above: answer(Math.min(to, PAYLOADS - 1)) };
}

/** The first payload for which `test` holds, as it does for all behind it; one past the last when there is none. */
function firstPayload(test: (payload: number) => boolean): number {
  let from = 0;
  let to = PAYLOADS;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (test(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
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

export type DecidableOperator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'sameterm';

export function decideComparison(
  operator: DecidableOperator,
  aLow: number,
  aHigh: number,
  bLow: number,
  bHigh: number,
): number {
  const aTag = aHigh >>> 24;
  const bTag = bHigh >>> 24;
  if (aTag === TAG.unbound || bTag === TAG.unbound) return 2;
  const same = aLow === bLow && aHigh === bHigh;
  if (operator === 'sameterm') return same ? 1 : 0;
  if (isInline(aTag) && isInline(bTag)) {
    const order = compareInlineHalves(aLow, aHigh, bLow, bHigh);
    if (!Number.isNaN(order)) return decideOrder(operator, order);
  }
  const equality = operator === '=' || operator === '!=';
  if (equality && isPlain(aTag) && isPlain(bTag)) return same === (operator === '=') ? 1 : 0;
  if (!areApart(kindOf(aLow, aHigh), aTag, kindOf(bLow, bHigh), bTag, equality)) return UNDECIDED;
  return equality ? (operator === '!=' ? 1 : 0) : ERROR;
}

/** NaN leaves it undecided. */
export function decideOrder(operator: DecidableOperator, order: number): number {
  if (Number.isNaN(order)) return UNDECIDED;
  switch (operator) {
    case '=':
    case 'sameterm':
      return order === 0 ? 1 : 0;
    case '!=':
      return order !== 0 ? 1 : 0;
    case '<':
      return order < 0 ? 1 : 0;
    case '<=':
      return order <= 0 ? 1 : 0;
    case '>':
      return order > 0 ? 1 : 0;
    default:
      return order >= 0 ? 1 : 0;
  }
}

export function isInline(tag: number): boolean {
  return tag >= TAG.integer && tag <= TAG.float;
}

/** Kinds whose terms are equal exactly when they are the same. */
export function isPlain(tag: number): boolean {
  return (
    tag === TAG.iri || tag === TAG.blank || tag === TAG.string || tag === TAG.langString || tag === TAG.dirLangString
  );
}

/** Literals whose value only the dictionary tells, and what the query computed. */
const KIND_UNTOLD = 0;
/** Up to this one kinds have no order. */
const KIND_LANG = 4;
/** Kinds of values by tag: values of different kinds are different, and have no order. */
const KINDS = new Uint8Array(256);
for (const [kind, tags] of [
  [1, [TAG.iri]],
  [2, [TAG.blank]],
  [3, [TAG.triple]],
  [KIND_LANG, [TAG.langString, TAG.dirLangString]],
  [5, [TAG.string]],
  [6, [TAG.integer, TAG.decimal, TAG.double, TAG.float]],
  [7, [TAG.boolean]],
  [8, [TAG.date]],
  [9, [TAG.dateTime, TAG.dateTimeMs]],
] as const) {
  for (const tag of tags) KINDS[tag] = kind;
}

/** An integer out of the range of its type has no value. */
function kindOf(low: number, high: number): number {
  const tag = high >>> 24;
  if (tag === TAG.integer && Number.isNaN(numericOfHalves(low, high))) return KIND_UNTOLD;
  return KINDS[tag] as number;
}

/** The tag of the ids of such terms as the constant, where they are plain; null for another one. */
export function plainTagOf(term: Term): number | null {
  if (term.termType === 'NamedNode') return TAG.iri;
  if (term.termType === 'BlankNode') return TAG.blank;
  if (term.termType !== 'Literal') return null;
  if (term.datatype.value === XSD_STRING) return TAG.string;
  if (term.language === '') return null;
  return term.direction ? TAG.dirLangString : TAG.langString;
}

/**
 * The id to compare a column with. A plain constant that the store does not have gets one that no stored term has, whose tag
 * says what it is; to be the same term as a value that the query made is asked of its own id.
 */
export function idToCompare(operator: DecidableOperator, term: Term, encode: (term: Term) => TermId): TermId {
  const id = encode(term);
  const tag = operator === 'sameterm' || tagOf(id) !== TAG.local ? null : plainTagOf(term);
  return tag === null ? id : makeId(tag, 0, BigInt(TERM_NUMBER_MAX));
}

/** True where `=` surely is false or, for the comparisons of order, an error; of plain terms order is asked only. */
function areApart(a: number, aTag: number, b: number, bTag: number, equality: boolean): boolean {
  if (a !== KIND_UNTOLD && b !== KIND_UNTOLD) return a !== b || (!equality && a <= KIND_LANG);
  // No literal of the dictionary equals a term or a string with a language, or has an order with one.
  const told = a | b;
  return told !== KIND_UNTOLD && told <= KIND_LANG && (aTag === TAG.typed || bTag === TAG.typed);
}
