/** Arithmetic and rounding: two integers or decimals exactly, within DECIMAL(38, 18); a float or a double makes such a one. */

import { isInlineTerm } from '../inline-fields.js';
import {
  all,
  any,
  call,
  coalesce,
  equal,
  FALSE,
  int,
  isNotNull,
  not,
  nothing,
  refuse,
  type Scalar,
  type ScalarFunction,
  TRUE,
  UNKNOWN,
  when,
} from '../scalars.js';
import { isClass, type KnownTerm, ofNumber, RANK, rankOf } from '../sql-terms.js';

const OPERATIONS = {
  '+': ['addDecimals', 'plus'],
  '-': ['subtractDecimals', 'minus'],
  '*': ['multiplyDecimals', 'times'],
  '/': ['divideDecimals', 'over'],
} as const satisfies Record<string, readonly [ScalarFunction, ScalarFunction]>;

export type Arithmetic = keyof typeof OPERATIONS;

export function arithmetic(operator: Arithmetic, a: KnownTerm, b: KnownTerm): KnownTerm {
  const [exactly, loosely] = OPERATIONS[operator];
  const ranks = [rankOf(a), rankOf(b)] as const;
  const rank = commonRank(ranks, operator === '/' ? RANK.decimal : RANK.integer);
  const divides = operator === '/';
  const exact = onExact(rank, () => call(exactly, exactOf(a), exactOf(b)));
  const isZero = divides
    ? all(isExactRank(rank), coalesce(equal(exactOf(b), { kind: 'number', type: 'decimal', text: '0' }), FALSE))
    : FALSE;
  const there = when(
    [
      [temporal(a, b), refuse('arithmetic with dates, times and durations is not done in SQL', 'boolean')],
      [not(all(isClass(a, 'number'), isClass(b, 'number'))), FALSE],
      [isZero, FALSE],
    ],
    TRUE,
  );
  const guarded = when([[there, exact]], nothing('decimal'));
  const num = when(
    [
      [not(there), nothing('double')],
      [isExactRank(rank), call('doubleOfDecimal', guarded)],
      [
        equal(rank, int(RANK.float)),
        call('toFloat', call(loosely, call('toFloat', a.fields.num), call('toFloat', b.fields.num))),
      ],
    ],
    call(loosely, a.fields.num, b.fields.num),
  );
  return ofNumber(rank, num, guarded, there);
}

export function negative(term: KnownTerm): KnownTerm {
  return changed(
    term,
    (exact) => call('subtractDecimals', { kind: 'number', type: 'decimal', text: '0' }, exact),
    (num) => call('negate', num),
    true,
  );
}

const ROUNDINGS = {
  abs: ['absolute', 'absolute'],
  floor: ['floorDecimal', 'floorDouble'],
  ceil: ['ceilDecimal', 'ceilDouble'],
} as const satisfies Record<string, readonly [ScalarFunction, ScalarFunction]>;

export function rounded(mode: keyof typeof ROUNDINGS | 'round', term: KnownTerm): KnownTerm {
  if (mode === 'round') {
    const half = { kind: 'number', type: 'decimal', text: '0.5' } as const;
    return changed(
      term,
      (exact) => call('floorDecimal', call('addDecimals', exact, half)),
      (num) => call('roundDouble', num),
      false,
    );
  }
  const [exactly, loosely] = ROUNDINGS[mode];
  return changed(
    term,
    (exact) => call(exactly, exact),
    (num) => call(loosely, num),
    false,
  );
}

/** The same type of number with another value. */
function changed(
  term: KnownTerm,
  exactly: (exact: Scalar) => Scalar,
  loosely: (num: Scalar) => Scalar,
  durations: boolean,
): KnownTerm {
  const rank = rankOf(term);
  const there = when(
    [
      [durations ? isClass(term, 'other') : FALSE, refuse('arithmetic with durations is not done in SQL', 'boolean')],
      [isClass(term, 'number'), TRUE],
    ],
    FALSE,
  );
  const exact = onExact(rank, () => exactly(exactOf(term)));
  const num = when([[isExactRank(rank), call('doubleOfDecimal', exact)]], loosely(term.fields.num));
  return ofNumber(rank, num, exact, there);
}

export function isExactRank(rank: Scalar): Scalar {
  if (rank.kind === 'null') return FALSE;
  if (rank.kind === 'number') return Number(rank.text) <= RANK.decimal ? TRUE : FALSE;
  return call('<=', rank, int(RANK.decimal));
}

function onExact(rank: Scalar, make: () => Scalar): Scalar {
  const condition = isExactRank(rank);
  return condition === FALSE ? nothing('decimal') : when([[condition, make()]], nothing('decimal'));
}

/** Whether it is an integer or decimal in every row, and `exact` its value: what a query computed, or what its id tells. */
export function isExactNumber(term: KnownTerm): boolean {
  const { classes, fields } = term;
  if (classes.size !== 1 || !classes.has('number')) return false;
  const rank = rankOf(term);
  const isExact = rank.kind === 'number' && Number(rank.text) <= RANK.decimal;
  return isExact && (term.id === null || isInlineTerm(term)) && fields.exact.kind !== 'null';
}

/** The exact value of an integer or decimal; null of any other term. */
export function exactOf(term: KnownTerm): Scalar {
  const { exact } = term.fields;
  if (isInlineTerm(term)) return exact;
  if (term.id === null && exact.kind !== 'column') return exact;
  const rank = rankOf(term);
  return when(
    [
      [isNotNull(exact), exact],
      [coalesce(isExactRank(rank), FALSE), refuse('a number has more digits than DECIMAL(38, 18)', 'decimal')],
    ],
    nothing('decimal'),
  );
}

function commonRank(ranks: readonly Scalar[], least: number): Scalar {
  const isOf = (rank: number): Scalar => any(...ranks.map((one) => equal(one, int(rank))));
  return when(
    [
      [any(...ranks.map((one) => not(isNotNull(one)))), nothing('int')],
      [isOf(RANK.double), int(RANK.double)],
      [isOf(RANK.float), int(RANK.float)],
      [isOf(RANK.decimal), int(RANK.decimal)],
    ],
    int(least),
  );
}

/** True where the store has a value that is no number: a time, a duration. */
function temporal(a: KnownTerm, b: KnownTerm): Scalar {
  const isTime = (term: KnownTerm): Scalar =>
    any(...(['dateTime', 'date', 'other'] as const).map((name) => isClass(term, name)));
  const either = [a, b].map((term) => any(isTime(term), isClass(term, 'number')));
  return all(any(isTime(a), isTime(b)), ...either);
}

/** The effective boolean value; null for an error. */
export function truthOf(term: KnownTerm): Scalar {
  const { fields } = term;
  const zero = { kind: 'number', type: 'double', text: '0' } as const;
  return when(
    [
      [isClass(term, 'boolean'), fields.bool],
      [isClass(term, 'string'), call('<>', fields.text, { kind: 'text', value: '' })],
      [isClass(term, 'number'), all(call('<>', fields.num, zero), not(call('isNaN', fields.num)))],
    ],
    UNKNOWN,
  );
}
