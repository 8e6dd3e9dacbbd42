/**
 * The effective boolean value (SPARQL 17.2.2): what a FILTER makes of a value. Strings, with or
 * without language, are true unless empty.
 */

import { type Term, XSD } from '../terms.js';
import { INTEGER_TYPES } from './integer-types.js';
import { parseValue } from './parse.js';
import type { Value } from './value.js';

const NUMERIC_TYPES = new Set([
  ...INTEGER_TYPES.keys(),
  `${XSD}decimal`,
  `${XSD}double`,
  `${XSD}float`,
  `${XSD}boolean`,
]);

/** Null = a type error. Ill-typed numbers and booleans are false. */
export function effectiveBooleanOfValue(value: Value): boolean | null {
  switch (value.kind) {
    case 'boolean':
      return value.value;
    case 'string':
    case 'langString':
      return value.value !== '';
    case 'integer':
    case 'float':
    case 'double':
      return !(Number.isNaN(value.value) || Number(value.value) === 0);
    case 'decimal':
      return value.unscaled !== 0n;
    case 'illTyped':
      return NUMERIC_TYPES.has(value.datatype) ? false : null;
    default:
      return null;
  }
}

export function effectiveBoolean(term: Term): boolean | null {
  return term.termType === 'Literal' ? effectiveBooleanOfValue(parseValue(term)) : null;
}
