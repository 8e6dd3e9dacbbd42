/** The order of ORDER BY as a list of scalars to sort by, after `rdf/values/order.ts`. */

import { TERM_KINDS } from '../layout.js';
import { isExactNumber } from './expressions/numbers.js';
import { isInlineTerm } from './inline-fields.js';
import type { Sorting } from './relations.js';
import {
  all,
  any,
  call,
  coalesce,
  double,
  equal,
  int,
  isNotNull,
  isNull,
  not,
  nothing,
  refuse,
  type Scalar,
  TRUE,
  type When,
  when,
} from './scalars.js';
import { isBound, isClass, type KnownTerm } from './sql-terms.js';

/** Ascending, nulls first; of what never is there, nothing. */
export function orderKeys(term: KnownTerm): Scalar[] {
  const { fields, classes } = term;
  const number = isClass(term, 'number');
  const isText = any(...(['string', 'lang', 'unknown', 'iri', 'blank'] as const).map((name) => isClass(term, name)));
  const keys: Scalar[] = [kindOf(term), groupOf(term)];
  if (isExactNumber(term)) keys.push(fields.exact);
  else if (classes.has('number')) {
    if (!isInlineTerm(term)) keys.push(when([[all(number, call('isNaN', fields.num)), int(0)]], int(1)));
    keys.push(when([[number, fields.num]], nothing('double')));
    if (fields.exact.kind !== 'null') keys.push(when([[number, exactOf(fields)]], nothing('decimal')));
  }
  if (classes.has('boolean')) keys.push(coalesce(fields.bool, { kind: 'boolean', value: false }));
  if (classes.has('dateTime') || classes.has('date')) {
    const dated = any(isClass(term, 'dateTime'), isClass(term, 'date'));
    keys.push(when([[dated, fields.time]], nothing('bigint')));
    keys.push(when([[all(dated, fields.zoned), int(1)]], int(0)));
  }
  if (classes.has('unknown')) keys.push(when([[isClass(term, 'unknown'), fields.datatype]], nothing('varchar')));
  keys.push(when([[isText, fields.text]], nothing('varchar')));
  if (classes.has('lang')) {
    keys.push(when([[isNotNull(fields.lang), call('lower', fields.lang)]], { kind: 'text', value: '' }));
    keys.push(coalesce(fields.dir, { kind: 'text', value: '' }));
  }
  return keys.filter((key) => key.kind === 'column' || key.kind === 'call' || key.kind === 'case');
}

/** What is sorted by, as arguments of a call: each value, and whether downwards. */
export function flatOrder(order: readonly Sorting[]): Scalar[] {
  return order.flatMap(({ value, descending }): Scalar[] => [value, { kind: 'boolean', value: descending }]);
}

/** Whole doubles stand with the integers that they equal, so that the next key decides between them. */
function exactOf({ exact, num }: KnownTerm['fields']): Scalar {
  if (num.kind === 'null') return exact;
  const isWhole = all(
    isNull(exact),
    equal(num, call('floorDouble', num)),
    call('<', call('absolute', num), double(WHOLE_MAX)),
  );
  return when([[isWhole, call('decimalOfDouble', num)]], exact);
}

/** Below it, each whole double is a decimal in every dialect. */
const WHOLE_MAX = 1e15;
const UNBOUND = 0;

function kindOf(term: KnownTerm): Scalar {
  const { kind } = term.fields;
  const { classes } = term;
  const literals = [...classes].some((name) => name !== 'iri' && name !== 'blank' && name !== 'triple');
  const of = (possible: boolean, which: number, place: number): When[] =>
    possible ? [[equal(kind, int(which)), int(place)]] : [];
  const whens: When[] = [
    [not(isBound(term)), int(UNBOUND)],
    ...of(classes.has('blank'), TERM_KINDS.blankNode, 1),
    ...of(classes.has('iri'), TERM_KINDS.iri, 2),
    ...of(literals, TERM_KINDS.literal, 3),
  ];
  if (classes.has('triple')) return when(whens, refuse('triple terms are not sorted in SQL', 'int'));
  // The last of them needs no test.
  const last = whens.pop() as When;
  return when(whens, last[1]);
}

function groupOf(term: KnownTerm): Scalar {
  return when(
    [
      [isClass(term, 'number'), int(0)],
      [any(isClass(term, 'string'), isClass(term, 'lang')), int(1)],
      [isClass(term, 'boolean'), int(2)],
      [isClass(term, 'dateTime'), int(3)],
      [isClass(term, 'date'), int(4)],
      [
        isClass(term, 'other'),
        refuse('times of day, parts of dates, durations and dates beyond the year 9999 are not sorted in SQL', 'int'),
      ],
    ],
    int(5),
  );
}

export { isNull, TRUE };
