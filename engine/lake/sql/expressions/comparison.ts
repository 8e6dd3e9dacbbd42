/** `=`, `<` and their like on bundles of columns, as `rdf/values/compare.ts` has them: null for a type error. */

import { XSD } from '../../../rdf/terms.js';
import { isInlineTerm } from '../inline-fields.js';
import {
  all,
  any,
  bigint,
  call,
  coalesce,
  equal,
  FALSE,
  int,
  isNotNull,
  isOneOf,
  isSame,
  not,
  refuse,
  type Scalar,
  TRUE,
  UNKNOWN,
  type When,
  when,
} from '../scalars.js';
import {
  type Fields,
  isBound,
  isClass,
  type KnownTerm,
  RANK,
  rankOf,
  sameTerm,
  type ValueClass,
} from '../sql-terms.js';
import { isExactNumber } from './numbers.js';

export type Order = '=' | '<' | '<=' | '>' | '>=';

const ORDERED: readonly ValueClass[] = ['number', 'string', 'boolean', 'dateTime', 'date'];
const EQUATED: readonly ValueClass[] = [...ORDERED, 'iri', 'blank', 'lang'];
const DURATIONS = ['duration', 'yearMonthDuration', 'dayTimeDuration'].map((name) => XSD + name);
/** Microseconds: a time without zone is of any within 14 hours of UTC. */
const ZONE_DOUBT = bigint(14n * 3600n * 1_000_000n);

export function compare(order: Order, a: KnownTerm, b: KnownTerm): Scalar {
  const isEquality = order === '=';
  const whens: When[] = [[not(all(isBound(a), isBound(b))), UNKNOWN]];
  for (const name of isEquality ? EQUATED : ORDERED) {
    if (!a.classes.has(name) || !b.classes.has(name)) continue;
    whens.push([all(isClass(a, name), isClass(b, name)), compareIn(order, name, a, b)]);
  }
  const others = [a, b].map((side) => isClass(side, 'other')) as [Scalar, Scalar];
  const either = any(...others);
  whens.push([all(either, isComparedKind(a.fields, b.fields)), compareOthers(isEquality, a, b)]);
  if (!isEquality) return when(whens, UNKNOWN);
  whens.push([not(equal(a.fields.kind, b.fields.kind)), FALSE]);
  whens.push([
    all(isClass(a, 'triple'), isClass(b, 'triple')),
    when([[sameTerm(a, b), TRUE]], refuse('whether two triple terms are equal is not decided in SQL', 'boolean')),
  ]);
  const unknown = any(isClass(a, 'unknown'), isClass(b, 'unknown'));
  whens.push([
    unknown,
    when(
      [
        [any(isClass(a, 'lang'), isClass(b, 'lang')), FALSE],
        [sameTerm(a, b), TRUE],
      ],
      UNKNOWN,
    ),
  ]);
  return when(whens, FALSE);
}

/** Values of one datatype, or two durations. */
function isComparedKind(a: Fields, b: Fields): Scalar {
  return any(
    coalesce(equal(a.datatype, b.datatype), FALSE),
    coalesce(all(isOneOf(a.datatype, DURATIONS), isOneOf(b.datatype, DURATIONS)), FALSE),
  );
}

function compareOthers(isEquality: boolean, a: KnownTerm, b: KnownTerm): Scalar {
  const refusal = refuse(
    'times of day, parts of dates, durations and dates beyond the year 9999 are not compared in SQL',
    'boolean',
  );
  return isEquality ? when([[sameTerm(a, b), TRUE]], refusal) : refusal;
}

function compareIn(order: Order, name: ValueClass, a: KnownTerm, b: KnownTerm): Scalar {
  switch (name) {
    case 'number':
      return compareNumbers(order, a, b);
    case 'boolean':
      return call(order, a.fields.bool, b.fields.bool);
    case 'dateTime':
    case 'date':
      return compareTimes(order, a.fields, b.fields);
    case 'string':
      return ordered(order, a.fields.text, b.fields.text);
    default:
      return sameTerm(a, b);
  }
}

function ordered(order: Order, a: Scalar, b: Scalar): Scalar {
  return order === '=' ? equal(a, b) : call(order, a, b);
}

/** Doubles that differ decide; of equal ones the exact values do, where both numbers are exact. */
export function compareNumbers(order: Order, a: KnownTerm, b: KnownTerm): Scalar {
  const ranks = [rankOf(a), rankOf(b)] as const;
  const [x, y] = [a.fields, b.fields];
  if (isExactNumber(a) && isExactNumber(b)) return call(order, x.exact, y.exact);
  const isOf = (rank: number): Scalar => any(...ranks.map((one) => coalesce(equal(one, int(rank)), FALSE)));
  const byDouble = call(order, x.num, y.num);
  const whens: When[] = [];
  const notNumbers = any(
    ...[a, b].map((side) =>
      isFiniteConstant(side.fields.num) || isInlineTerm(side) ? FALSE : call('isNaN', side.fields.num),
    ),
  );
  whens.push([notNumbers, FALSE]);
  if (ranks.some((rank) => rank.kind === 'number' && Number(rank.text) === RANK.double)) return when(whens, byDouble);
  if (![x, y].some(({ num }) => isShortConstant(num))) {
    const byFloat = call(order, call('toFloat', x.num), call('toFloat', y.num));
    whens.push([all(isOf(RANK.float), not(isOf(RANK.double))), byFloat]);
  }
  whens.push([call('<>', x.num, y.num), byDouble]);
  whens.push([any(isOf(RANK.double), isOf(RANK.float)), byDouble]);
  whens.push([all(isNotNull(x.exact), isNotNull(y.exact)), ordered(order, x.exact, y.exact)]);
  return when(whens, refuse('numbers of more digits than DECIMAL(38, 18) are not told apart in SQL', 'boolean'));
}

function isFiniteConstant(scalar: Scalar): boolean {
  return scalar.kind === 'number' && Number.isFinite(Number(scalar.text));
}

/** A constant that is the same as a float. */
function isShortConstant(scalar: Scalar): boolean {
  return scalar.kind === 'number' && Math.fround(Number(scalar.text)) === Number(scalar.text);
}

function compareTimes(order: Order, a: Fields, b: Fields): Scalar {
  const decided = (sign: number): Scalar => (order === '=' ? FALSE : sign < 0 === order.startsWith('<') ? TRUE : FALSE);
  const later = call('plus', b.time, ZONE_DOUBT);
  const earlier = call('minus', b.time, ZONE_DOUBT);
  return when(
    [
      [isSame(a.zoned, b.zoned), ordered(order, a.time, b.time)],
      [call('<', a.time, earlier), decided(-1)],
      [call('>', a.time, later), decided(1)],
    ],
    UNKNOWN,
  );
}
