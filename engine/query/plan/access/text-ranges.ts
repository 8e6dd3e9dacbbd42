/**
 * Conditions that a pattern's object contains a text (CONTAINS, STRSTARTS, STRENDS, REGEX with literal parts, each of LCASE, UCASE or
 * STR as well) as the ids of the terms that the text index finds. The index compares without regard to case, so that it finds all
 * terms that pass, and others; the filter stays.
 */

import { SvcError } from '../../../base/errors.js';
import { type Literal, XSD_STRING } from '../../../rdf/terms.js';
import type { TermId } from '../../../storage/ids/layout.js';
import type { FileView } from '../../../storage/indexes/secondary-index.js';
import { TEXT } from '../../../storage/indexes/text/text-index.js';
import { idIn } from '../../../storage/seam/rows.js';
import type { CountRequest, IdRange, IndexView, StorageSnapshot } from '../../../storage/seam/scan.js';
import { type Expression, VOLATILE } from '../../algebra/expression.js';
import { plainTerm } from '../../algebra/slot.js';
import { literalParts } from './literal-parts.js';
import type { ObjectRanges } from './value-ranges.js';

export interface TextBound {
  readonly variable: string;
  /** A term that passes contains this one, without regard to case. */
  readonly text: string;
  /** IRIs, and values of every datatype, are compared by their text. */
  readonly anyTerm: boolean;
  readonly condition: Expression;
}

const OPERATORS = new Set<string>(['contains', 'strstarts', 'strends', 'regex']);
/** Shorter texts are in too many terms. */
const TEXT_BYTES_MIN = 3;
/** Terms that are looked up one by one; and the part of the pattern's rows that they may be at most. */
const TERMS_MAX = 16_384;
const SHARE_MAX = 1 / 4;
/** Terms outside of the index, which are read for every plan. */
const LAG_MAX = 262_144;
/** Terms whose rows are counted; the others are taken to have as many. */
const COUNTED = 64;
/** What the lexical form of a value within an id can hold: no index has these. */
const WITHIN_ID = /^[0-9+\-.:tzeruefalsinf]*$/i;

export function textBoundOf(condition: Expression): TextBound | null {
  if (condition.kind !== 'call' || !OPERATORS.has(condition.operator)) return null;
  const [subject, sought, flags] = condition.args;
  const text = sought === undefined ? null : stringOf(sought);
  const flagText = flags === undefined ? '' : stringOf(flags);
  const whose = subject === undefined ? null : variableIn(subject);
  if (text === null || flagText === null || whose === null) return null;
  const parts = condition.operator === 'regex' ? literalParts(text, flagText) : [text];
  const longest = parts.reduce((a, b) => (b.length > a.length ? b : a), '');
  if (Buffer.byteLength(longest) < TEXT_BYTES_MIN || (whose.anyTerm && WITHIN_ID.test(longest))) return null;
  return { variable: whose.name, anyTerm: whose.anyTerm, text: longest, condition };
}

function stringOf(expression: Expression): string | null {
  if (expression.kind !== 'term') return null;
  const term = plainTerm(expression.term);
  if (term.termType !== 'Literal') return null;
  const { value, datatype, language } = term as Literal;
  return datatype.value === XSD_STRING && !language ? value : null;
}

/** The variable whose text, in whatever case, an expression is. */
function variableIn(expression: Expression): { readonly name: string; readonly anyTerm: boolean } | null {
  if (expression.kind === 'variable') return { name: expression.name, anyTerm: false };
  if (expression.kind !== 'call' || expression.args.length !== 1 || VOLATILE.has(expression.operator)) return null;
  const inner = variableIn(expression.args[0] as Expression);
  if (inner === null) return null;
  if (expression.operator === 'str') return { name: inner.name, anyTerm: true };
  return expression.operator === 'lcase' || expression.operator === 'ucase' ? inner : null;
}

/**
 * The ids that may pass all bounds, ascending; null where they are too many, or the store has no index to ask, or one that is
 * damaged: all rows are read then, and the filter finds the same.
 */
export function textRanges(
  snapshot: StorageSnapshot,
  request: CountRequest,
  rows: number,
  bounds: readonly TextBound[],
): ObjectRanges | null {
  const ids = unlessDamaged(() => idsOf(snapshot, rows, bounds));
  if (ids === null) return null;
  const ranges = ids.map((id): IdRange => ({ from: id, to: id + 1n }));
  return { ranges, exact: false, rows: rowsOf(snapshot, request, ids) };
}

function unlessDamaged<Found>(find: () => Found): Found | null {
  try {
    return find();
  } catch (error) {
    if (error instanceof SvcError && error.code === 'store_corrupt') return null;
    throw error;
  }
}

function idsOf(snapshot: StorageSnapshot, rows: number, bounds: readonly TextBound[]): readonly TermId[] | null {
  // Terms of a stage are in no index.
  const view = snapshot.staged ? null : snapshot.indexView();
  if (view === null || !isOfFile(view)) return null;
  const texts = TEXT.at(view);
  if (!texts.wanted.includes('parts') || texts.lag('parts') > LAG_MAX) return null;
  const sized = bounds.map((bound) => ({ bound, terms: texts.estimate(bound.text) }));
  const { bound, terms } = sized.reduce((a, b) => (b.terms < a.terms ? b : a));
  const most = Math.min(TERMS_MAX, rows * SHARE_MAX);
  if (terms - texts.lag('parts') > 4 * most) return null;
  const found = texts.containing(bound.text, bound.anyTerm ? 'both' : 'literals', () => undefined);
  if (found.length / 2 > most) return null;
  return Array.from({ length: found.length / 2 }, (_, at) => idIn(found, at));
}

function isOfFile(view: IndexView): view is FileView {
  return 'dictionary' in view;
}

function rowsOf(snapshot: StorageSnapshot, request: CountRequest, ids: readonly TermId[]): number {
  const step = Math.max(1, Math.floor(ids.length / COUNTED));
  let [rows, counted] = [0, 0];
  for (let at = 0; at < ids.length; at += step) {
    const o = { kind: 'id', id: ids[at] as TermId } as const;
    rows += snapshot.estimate({ ...request, pattern: { ...request.pattern, o } }).rows;
    counted++;
  }
  return counted === 0 ? 0 : Math.ceil((rows * ids.length) / counted);
}
