/**
 * The effective boolean value: what a FILTER makes of a value. By SPARQL 1.2 (17.2.2) strings with a
 * language and ill-typed numbers and booleans have none; SPARQL 1.1 made them true unless empty, and false.
 */

import type { Term } from '../terms.js';
import { parseValue } from './parse.js';
import type { Value } from './value.js';

/** Null = a type error. */
export function effectiveBooleanOfValue(value: Value): boolean | null {
  switch (value.kind) {
    case 'boolean':
      return value.value;
    case 'string':
      return value.value !== '';
    case 'integer':
    case 'float':
    case 'double':
      return !(Number.isNaN(value.value) || Number(value.value) === 0);
    case 'decimal':
      return value.unscaled !== 0n;
    default:
      return null;
  }
}

export function effectiveBoolean(term: Term): boolean | null {
  return term.termType === 'Literal' ? effectiveBooleanOfValue(parseValue(term)) : null;
}
