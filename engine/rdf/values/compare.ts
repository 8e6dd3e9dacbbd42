/**
 * The operators `=`, `!=`, `<`, `<=`, `>`, `>=` of SPARQL on values and on terms. Each answers
 * true, false, or null: a type error.
 *
 * `=`
 * 1. The same term is equal to itself, whatever its datatype (but for NaN, which equals nothing).
 * 2. Numbers are compared after promotion; values of other known datatypes within their kind.
 * 3. Values of two known datatypes of different kinds are different: a date is no dateTime.
 * 4. Where the value is not known (ill-typed, or of an unknown datatype) nothing can be said of it
 *    and another literal: an error. Only a language-tagged string is surely different from it.
 * 5. A time with a zone and one without, too near for certainty: an error (XSD 1.1).
 * 6. Triple terms are equal when their parts are.
 *
 * `<` is defined within numbers, strings, booleans, each kind of date and time, and durations; all
 * else is an error. Language-tagged strings, IRIs and blank nodes have no `<`.
 */

import { compareCodePoints } from '../../base/text.js';
import type { Literal, Quad, Term } from '../terms.js';
import { compareDurations } from './duration.js';
import { compareNumbers } from './numeric.js';
import { parseValue } from './parse.js';
import { compareTemporals } from './temporal.js';
import { isNumeric, isTemporal, type Value } from './value.js';

export type ComparisonOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** NaN: both have a value, but no order (the number NaN); null: a type error. */
export type Comparison = number | null;

/** -1, 0, 1, NaN where one of two numbers is NaN, null for a type error. */
export function compareValues(a: Value, b: Value): Comparison {
  if (isNumeric(a)) return isNumeric(b) ? compareNumbers(a, b) : null;
  if (isTemporal(a)) return isTemporal(b) && a.kind === b.kind ? compareTemporals(a, b) : null;
  switch (a.kind) {
    case 'string':
      return b.kind === 'string' ? compareCodePoints(a.value, b.value) : null;
    case 'boolean':
      return b.kind === 'boolean' ? Number(a.value) - Number(b.value) : null;
    case 'duration':
      return b.kind === 'duration' ? compareDurations(a, b) : null;
    default:
      return null;
  }
}

export function equalValues(a: Value, b: Value): boolean | null {
  const aUnknown = a.kind === 'illTyped' || a.kind === 'opaque';
  const bUnknown = b.kind === 'illTyped' || b.kind === 'opaque';
  if (aUnknown && bUnknown) return a.datatype === b.datatype && a.lexical === b.lexical ? true : null;
  if (aUnknown || bUnknown) return a.kind === 'langString' || b.kind === 'langString' ? false : null;
  if (a.kind === 'langString' && b.kind === 'langString') {
    return a.value === b.value && a.language === b.language && a.direction === b.direction;
  }
  if (a.kind !== b.kind && !(isNumeric(a) && isNumeric(b))) return false;
  // Durations that have no order are different all the same.
  if (a.kind === 'duration') return compareValues(a, b) === 0;
  const comparison = compareValues(a, b);
  return comparison === null ? null : comparison === 0;
}

export function applyComparison(operator: ComparisonOperator, a: Value, b: Value): boolean | null {
  if (operator === '=') return equalValues(a, b);
  if (operator === '!=') return negation(equalValues(a, b));
  const comparison = compareValues(a, b);
  if (comparison === null) return null;
  switch (operator) {
    case '<':
      return comparison < 0;
    case '<=':
      return comparison <= 0;
    case '>':
      return comparison > 0;
    case '>=':
      return comparison >= 0;
  }
}

/** SPARQL `=` on terms of any kind. */
export function equalTerms(a: Term, b: Term): boolean | null {
  if (a.termType !== b.termType) return false;
  switch (a.termType) {
    case 'Literal':
      return equalValues(parseValue(a), parseValue(b as Literal));
    case 'Quad':
      return equalQuads(a as Quad, b as Quad);
    default:
      return a.value === b.value;
  }
}

function equalQuads(a: Quad, b: Quad): boolean | null {
  let result: boolean | null = true;
  for (const part of ['subject', 'predicate', 'object'] as const) {
    const equal = equalTerms(a[part], b[part]);
    if (equal === false) return false;
    if (equal === null) result = null;
  }
  return result;
}

/** Any operator on terms of any kind. */
export function compareTerms(operator: ComparisonOperator, a: Term, b: Term): boolean | null {
  if (operator === '=') return equalTerms(a, b);
  if (operator === '!=') return negation(equalTerms(a, b));
  if (a.termType !== 'Literal' || b.termType !== 'Literal') return null;
  return applyComparison(operator, parseValue(a), parseValue(b));
}

/** The same term: kind, lexical form, datatype, and language without regard to case. */
export function sameTerm(a: Term, b: Term): boolean {
  if (a.termType !== b.termType) return false;
  if (a.termType === 'Quad') {
    const other = b as Quad;
    return (
      sameTerm(a.subject, other.subject) && sameTerm(a.predicate, other.predicate) && sameTerm(a.object, other.object)
    );
  }
  if (a.value !== b.value) return false;
  if (a.termType !== 'Literal') return true;
  const other = b as Literal;
  return (
    a.datatype.value === other.datatype.value &&
    a.language.toLowerCase() === other.language.toLowerCase() &&
    (a.direction || '') === (other.direction || '')
  );
}

function negation(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}
