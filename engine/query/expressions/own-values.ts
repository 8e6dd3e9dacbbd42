/**
 * Expressions whose values are all made by one function, so that none of them has its id from the store. STR and IRI are not
 * among them: what they give is often a term of the store, whose id takes no memory.
 */

import type { Expression, FunctionName } from '../algebra/expression.js';
import type { Operator } from '../algebra/operators.js';

const MAKING: ReadonlySet<Operator | FunctionName> = new Set<Operator | FunctionName>([
  'ucase',
  'lcase',
  'substr',
  'strbefore',
  'strafter',
  'replace',
  'concat',
  'encode_for_uri',
  'md5',
  'sha1',
  'sha256',
  'sha384',
  'sha512',
  'uuid',
  'struuid',
  'strdt',
  'strlang',
  'rand',
  '+',
  '-',
  '*',
  '/',
  'uminus',
  'abs',
  'ceil',
  'floor',
  'round',
]);

/** IF and COALESCE hand on ids of others; languages and datatypes are few, and found by ids. */
export function makesOwn(expression: Expression): boolean {
  return expression.kind === 'function' || (expression.kind === 'call' && MAKING.has(expression.operator));
}
