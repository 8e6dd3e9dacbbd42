/** Hash functions (SPARQL 1.1, 17.4.6): lower-case hexadecimal digits of the hash of the UTF-8 bytes. */

import { hash as digest } from 'node:crypto';
import type { FunctionName } from '../../algebra/expression.js';
import { type FunctionDefinition, ofString, plainText, unary } from './definition.js';

export const HASH_FUNCTIONS = {
  md5: hash('md5'),
  sha1: hash('sha1'),
  sha256: hash('sha256'),
  sha384: hash('sha384'),
  sha512: hash('sha512'),
} as const satisfies Partial<Record<FunctionName, FunctionDefinition>>;

function hash(algorithm: string): FunctionDefinition {
  return unary((operand, scope) => {
    const text = plainText(operand);
    if (text === null) return null;
    scope.spend(text.length);
    return ofString(digest(algorithm, text, 'hex'));
  });
}
