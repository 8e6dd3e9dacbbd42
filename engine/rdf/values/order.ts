/**
 * The order of ORDER BY over all terms, defined here and nowhere else. It is a total preorder:
 * transitive, and agreeing with `<` wherever `<` answers (but see 3). Terms with the same value, such as `1` and
 * `01`, are equal in it, so that the next sort key decides; `orderTermsStrictly` breaks such ties.
 *
 * 1. Unbound, then blank nodes, IRIs, literals, triple terms.
 * 2. Blank nodes by label and IRIs by text, in code points.
 * 3. Literals in groups, in this sequence:
 *    a. numbers of all numeric types by their exact real value, NaN before all others. (`<` rounds
 *       to float or double where such a value takes part; this order does not, since rounding would
 *       make it intransitive.);
 *    b. strings, with or without language, by the code points of their text; at equal text those
 *       without language first, then by language, then by base direction;
 *    c. booleans, false first;
 *    d. dateTimes by instant, those without zone read as UTC, and before one with zone at the same
 *       instant;
 *    e. dates, times, gYearMonth, gYear, gMonthDay, gDay, gMonth, each kind in the same way;
 *    f. durations by length, a month counting as 2,629,746 seconds; at equal length by months;
 *    g. everything else (ill-typed literals, unknown datatypes) by datatype IRI, then lexical form,
 *       both in code points.
 * 4. Triple terms by subject, predicate, object.
 */

import { compareCodePoints } from '../../base/text.js';
import type { Literal, Quad, Term } from '../terms.js';
import { orderDurations } from './duration.js';
import { orderNumbers } from './numeric.js';
import { parseValue } from './parse.js';
import { orderTemporals } from './temporal.js';
import { type DurationValue, type NumericValue, TEMPORAL_KINDS, type TemporalValue, type Value } from './value.js';

type Sign = -1 | 0 | 1;

const KINDS: Readonly<Record<string, number>> = { BlankNode: 1, NamedNode: 2, Literal: 3, Quad: 4 };

const GROUPS: Readonly<Record<Value['kind'], number>> = {
  integer: 0,
  decimal: 0,
  float: 0,
  double: 0,
  string: 1,
  langString: 1,
  boolean: 2,
  ...(Object.fromEntries(TEMPORAL_KINDS.map((kind, at) => [kind, 3 + at])) as Record<TemporalValue['kind'], number>),
  duration: 3 + TEMPORAL_KINDS.length,
  illTyped: 4 + TEMPORAL_KINDS.length,
  opaque: 4 + TEMPORAL_KINDS.length,
};

/** The ORDER BY order; null and undefined are unbound. */
export function orderTerms(a: Term | null | undefined, b: Term | null | undefined): Sign {
  const byKind = sign(kindOf(a) - kindOf(b));
  if (byKind !== 0 || !a || !b || a === b) return byKind;
  switch (a.termType) {
    case 'Literal':
      return orderValues(parseValue(a), parseValue(b as Literal));
    case 'Quad':
      return orderQuads(a as Quad, b as Quad, orderTerms);
    default:
      return compareCodePoints(a.value, b.value);
  }
}

/** The same on values that are already parsed, as a sort does that parses each key once. */
export function orderValues(a: Value, b: Value): Sign {
  const byGroup = sign(GROUPS[a.kind] - GROUPS[b.kind]);
  if (byGroup !== 0) return byGroup;
  switch (a.kind) {
    case 'integer':
    case 'decimal':
    case 'float':
    case 'double':
      return orderNumbers(a, b as NumericValue);
    case 'string':
    case 'langString':
      return orderStrings(a, b as typeof a);
    case 'boolean':
      return sign(Number(a.value) - Number((b as typeof a).value));
    case 'duration':
      return orderDurations(a, b as DurationValue);
    case 'illTyped':
    case 'opaque':
      return orderOthers(a, b as typeof a);
    default:
      return orderTemporals(a, b as TemporalValue);
  }
}

/** The ORDER BY order, ties broken by datatype and lexical form: 0 only for the same term. */
export function orderTermsStrictly(a: Term | null | undefined, b: Term | null | undefined): Sign {
  const loose = orderTerms(a, b);
  if (loose !== 0 || !a || !b) return loose;
  if (a.termType === 'Quad') return orderQuads(a as Quad, b as Quad, orderTermsStrictly);
  if (a.termType !== 'Literal') return 0;
  const other = b as Literal;
  return compareCodePoints(a.datatype.value, other.datatype.value) || compareCodePoints(a.value, other.value);
}

function kindOf(term: Term | null | undefined): number {
  return term ? (KINDS[term.termType] ?? 0) : 0;
}

type StringKey = { kind: string; value: string; language?: string; direction?: string };

function orderStrings(a: StringKey, b: StringKey): Sign {
  return (
    compareCodePoints(a.value, b.value) ||
    compareCodePoints(a.language ?? '', b.language ?? '') ||
    compareCodePoints(a.direction ?? '', b.direction ?? '')
  );
}

function orderOthers(a: { datatype: string; lexical: string }, b: { datatype: string; lexical: string }): Sign {
  return compareCodePoints(a.datatype, b.datatype) || compareCodePoints(a.lexical, b.lexical);
}

function orderQuads(a: Quad, b: Quad, order: (a: Term, b: Term) => Sign): Sign {
  return order(a.subject, b.subject) || order(a.predicate, b.predicate) || order(a.object, b.object);
}

function sign(value: number): Sign {
  return value < 0 ? -1 : value > 0 ? 1 : 0;
}
