/**
 * Functions of one variable over whole batches where ids tell the value (`ToldById`): DATATYPE, LANG, TZ, TIMEZONE. Most is
 * told by the upper 16 bits of an id; languages and datatypes that have no code stand with the literals in the dictionary.
 */

import { getOrInsert } from '../../base/maps.js';
import { qualifierEnd } from '../../storage/dictionary/stored-term.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { CallExpression, Expression } from '../algebra/expression.js';
import type { Operand } from '../terms/operand.js';
import { type ReadFacts, StoredFacts } from '../terms/stored-facts.js';
import { type Decide, ERROR, FALSE, TRUE, UNDECIDED } from './answers.js';
import type { BatchContext } from './batch-context.js';
import type { ToldById } from './functions/definition.js';
import { definitionOf } from './functions/index.js';
import { DATATYPE_BY_ID } from './functions/terms.js';

/** Writes the ids of the first `rows` rows, 0 for errors; gives the rows that are left. */
export type WriteKnown = (out: IdColumn, rows: number) => readonly number[];

type Halves = readonly [low: number, high: number];
const NOTHING: Halves = [0, 0];

/** Null for other expressions. */
export function compileTold(expression: Expression, context: BatchContext): WriteKnown | null {
  if (expression.kind !== 'call') return null;
  const told = definitionOf(expression)?.told;
  const column = context.variableColumn(expression.args[0]);
  if (told === undefined || column < 0) return null;
  const halvesOf = (operand: Operand | null): Halves => {
    if (operand === null) return NOTHING;
    const id = context.terms.encode(operand.term);
    return [lowOf(id), highOf(id)];
  };
  const wanted = new Uint8Array(2 ** 16);
  const byPrefix = new Map<number, Halves | 'stored' | 'row'>();
  const learn = (prefix: number): Halves | 'stored' | 'row' => {
    const value = told.ofPrefix(prefix);
    if (value === 'stored') wanted[prefix] = 1;
    const learned = typeof value === 'string' ? value : halvesOf(value);
    byPrefix.set(prefix, learned);
    return learned;
  };
  const texts: string[] = [];
  const ids: Halves[] = [];
  const read = numberedBy(texts, told.qualifier ?? (() => ''));
  const facts = new StoredFacts(context.terms, context.terms.scope, read, wanted, 'qualifiers');
  return (out, rows) => {
    const from = context.column(column);
    const left: number[] = [];
    let anyStored = false;
    let prefix = -1;
    let value: Halves | 'stored' | 'row' = NOTHING;
    let [low, high] = NOTHING;
    for (let row = 0; row < rows; row++) {
      const own = (from[2 * row + 1] as number) >>> 16;
      if (own !== prefix) {
        prefix = own;
        value = byPrefix.get(prefix) ?? learn(prefix);
        const halves = typeof value === 'string' ? NOTHING : value;
        low = halves[0];
        high = halves[1];
        anyStored ||= value === 'stored';
      }
      out[2 * row] = low;
      out[2 * row + 1] = high;
      if (value === 'row') left.push(row);
    }
    if (anyStored) {
      facts.resolve(from, rows, (row, number) => {
        ids[number] ??= halvesOf((told.ofText as (text: string) => Operand)(texts[number] as string));
        out.set(ids[number] as Halves, 2 * row);
      });
    }
    return left;
  };
}

/** A comparison of a datatype with an IRI; null for others. */
export function compileDatatypeTest({ operator, args }: CallExpression, context: BatchContext): Decide | null {
  if (operator !== '=' && operator !== '!=') return null;
  const [left, right] = args as [Expression, Expression];
  const [call, constant] = left.kind === 'term' ? [right, left] : [left, right];
  if (constant.kind !== 'term' || constant.term.termType !== 'NamedNode') return null;
  if (call.kind !== 'call' || call.operator !== 'datatype') return null;
  const column = context.variableColumn(call.args[0]);
  if (column < 0) return null;
  const wanted = constant.term.value;
  const answerOf = (prefix: number): number => {
    const datatype = DATATYPE_BY_ID.ofPrefix(prefix);
    if (datatype === null) return ERROR;
    if (typeof datatype === 'string') return UNDECIDED;
    return (datatype.term.value === wanted) === (operator === '=') ? TRUE : FALSE;
  };
  return (out, rows) => {
    const ids = context.column(column);
    let prefix = -1;
    let answer = ERROR;
    for (let row = 0; row < rows; row++) {
      if (out[row] !== UNDECIDED) continue;
      const own = (ids[2 * row + 1] as number) >>> 16;
      if (own !== prefix) {
        prefix = own;
        answer = answerOf(prefix);
      }
      out[row] = answer;
    }
  };
}

/** Gives each qualifier of literals, as `read` has it, its number in a list that grows. */
function numberedBy(texts: string[], read: NonNullable<ToldById['qualifier']>): ReadFacts {
  const numbers = new Map<string, number>();
  return ({ bytes, count, places, starts, ends }, put) => {
    let last = -1;
    for (let index = 0; index < count; index++) {
      const start = starts[index] as number;
      const text = read(bytes, start, qualifierEnd(bytes, start, ends[index] as number));
      // Neighbours mostly have the same one.
      if (last < 0 || texts[last] !== text) last = getOrInsert(numbers, text, () => texts.push(text) - 1);
      put(places[index] as number, last);
    }
  };
}
