/** The one list of functions by name. */

import type { CallExpression, Expression, FunctionName } from '../../algebra/expression.js';
import { DATE_FUNCTIONS } from './dates.js';
import type { FunctionDefinition } from './definition.js';
import { NUMBER_FUNCTIONS } from './numbers.js';
import { PATTERN_FUNCTIONS } from './patterns.js';
import { STRING_FUNCTIONS } from './strings.js';
import { LANGUAGE_FUNCTIONS, TERM_FUNCTIONS } from './terms.js';

export const FUNCTIONS: Readonly<Record<FunctionName, FunctionDefinition>> = {
  ...TERM_FUNCTIONS,
  ...STRING_FUNCTIONS,
  ...PATTERN_FUNCTIONS,
  ...LANGUAGE_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...DATE_FUNCTIONS,
};

/**
 * Functions and operators all of whose values are made by themselves, so that none has its id from the store. STR and IRI are
 * not among them: what they give is often a term of the store, whose id takes no memory.
 */
const MAKING: ReadonlySet<string> = new Set([
  ...['ucase', 'lcase', 'substr', 'strbefore', 'strafter', 'replace', 'concat', 'encode_for_uri'],
  ...['md5', 'sha1', 'sha256', 'sha384', 'sha512', 'uuid', 'struuid', 'strdt', 'strlang', 'rand'],
  ...['+', '-', '*', '/', 'uminus', 'abs', 'ceil', 'floor', 'round'],
]);

/** IF and COALESCE hand on ids of others; languages and datatypes are few, and found by ids. */
export function makesOwn(expression: Expression): boolean {
  return expression.kind === 'function' || (expression.kind === 'call' && MAKING.has(expression.operator));
}

/** What a call of a function is defined by; undefined for operators of the syntax. */
export function definitionOf({ operator }: CallExpression): FunctionDefinition | undefined {
  return Object.hasOwn(FUNCTIONS, operator) ? FUNCTIONS[operator as FunctionName] : undefined;
}
