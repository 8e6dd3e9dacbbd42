/** Functions on strings (SPARQL 1.1, 17.4.3 and 17.4.6), which count in code points; patterns are in `patterns.ts`. */

import { hash as digest } from 'node:crypto';
import { hasLoneSurrogate } from '../../../rdf/formats/input/term-checks.js';
import type { Literal } from '../../../rdf/terms.js';
import { toDouble } from '../../../rdf/values/index.js';
import type { FunctionName } from '../../algebra/expression.js';
import type { Operand } from '../../terms/operand.js';
import type { QueryScope } from '../../terms/query-scope.js';
import {
  areCompatible,
  binary,
  type FunctionDefinition,
  likeLiteral,
  numberOf,
  ofBoolean,
  ofInteger,
  ofString,
  plainText,
  textLiteral,
  unary,
} from './definition.js';

/** Percent-encoding of one character makes up to so many of it. */
const ENCODED_GROWTH = 9;
const SURROGATE = /[\ud800-\udfff]/;

export const STRING_FUNCTIONS = {
  strlen: unary((operand, scope) => {
    const literal = textLiteral(operand);
    return literal === null ? null : ofInteger(codePointCount(literal.value, scope));
  }),
  substr: { arity: [2, 3], evaluate: substring },
  ucase: mapped((text) => text.toUpperCase()),
  lcase: mapped((text) => text.toLowerCase()),
  strstarts: compared((text, part) => ofBoolean(text.value.startsWith(part))),
  strends: compared((text, part) => ofBoolean(text.value.endsWith(part))),
  contains: compared((text, part) => ofBoolean(text.value.includes(part))),
  strbefore: compared((text, part) => {
    const at = text.value.indexOf(part);
    return at < 0 ? ofString('') : likeLiteral(text, text.value.slice(0, at));
  }),
  strafter: compared((text, part) => {
    const at = text.value.indexOf(part);
    return at < 0 ? ofString('') : likeLiteral(text, text.value.slice(at + part.length));
  }),
  encode_for_uri: unary((operand, scope) => {
    const literal = textLiteral(operand);
    if (literal === null || hasLoneSurrogate(literal.value)) return null;
    scope.assertLength(ENCODED_GROWTH * literal.value.length);
    scope.spend(literal.value.length);
    return ofString(percentEncoded(literal.value));
  }),
  concat: { arity: [0, Number.POSITIVE_INFINITY], evaluate: concatenate },
  md5: hash('md5'),
  sha1: hash('sha1'),
  sha256: hash('sha256'),
  sha384: hash('sha384'),
  sha512: hash('sha512'),
} as const satisfies Partial<Record<FunctionName, FunctionDefinition>>;

/** A function on the text alone, which keeps the language. */
function mapped(change: (text: string) => string): FunctionDefinition {
  return unary((operand, scope) => {
    const literal = textLiteral(operand);
    if (literal === null) return null;
    // A character may become three.
    scope.assertLength(3 * literal.value.length);
    scope.spend(literal.value.length);
    return likeLiteral(literal, change(literal.value));
  });
}

/** A function on a text and a part that must be compatible with it. */
function compared(apply: (text: Literal, part: string) => Operand | null): FunctionDefinition {
  return binary((first, second, scope) => {
    const text = textLiteral(first);
    const part = textLiteral(second);
    if (text === null || part === null || !areCompatible(text, part)) return null;
    scope.spend(text.value.length);
    return apply(text, part.value);
  });
}

function codePointCount(text: string, scope: QueryScope): number {
  scope.spend(text.length);
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    count++;
    if ((text.codePointAt(at) as number) > 0xffff) at++;
  }
  return count;
}

/** As fn:substring: positions count from 1, and both numbers are rounded. */
function substring(args: readonly Operand[], scope: QueryScope): Operand | null {
  const literal = textLiteral(args[0] as Operand);
  const start = numberOf(args[1] as Operand);
  if (literal === null || start === null) return null;
  let end = Number.POSITIVE_INFINITY;
  const first = Math.round(toDouble(start));
  if (args.length > 2) {
    const length = numberOf(args[2] as Operand);
    if (length === null) return null;
    end = first + Math.round(toDouble(length));
  }
  scope.spend(literal.value.length);
  // NaN is neither before nor after anything, so that nothing is taken.
  if (!(first < end)) return likeLiteral(literal, '');
  const from = Math.max(first, 1) - 1;
  return likeLiteral(literal, sliceOfCodePoints(literal.value, from, Math.max(end - 1, from)));
}

function sliceOfCodePoints(text: string, from: number, to: number): string {
  if (!SURROGATE.test(text)) return text.slice(from, to);
  const begin = unitOf(text, 0, from);
  return text.slice(begin, to === Number.POSITIVE_INFINITY ? undefined : unitOf(text, begin, to - from));
}

/** The position `count` code points after the position `at`. */
function unitOf(text: string, at: number, count: number): number {
  let unit = at;
  for (let left = count; left > 0 && unit < text.length; left--) {
    unit += (text.codePointAt(unit) as number) > 0xffff ? 2 : 1;
  }
  return unit;
}

/** All but the unreserved characters of RFC 3986. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Keeps language and direction where all arguments have the same. */
function concatenate(args: readonly Operand[], scope: QueryScope): Operand | null {
  let text = '';
  let model: Literal | null = null;
  let agree = true;
  for (let index = 0; index < args.length; index++) {
    const literal = textLiteral(args[index] as Operand);
    if (literal === null) return null;
    scope.assertLength(text.length + literal.value.length);
    text += literal.value;
    model ??= literal;
    agree &&= areCompatible(model, literal) && areCompatible(literal, model);
  }
  scope.spend(text.length);
  return agree && model !== null ? likeLiteral(model, text) : ofString(text);
}

/** The lower-case hexadecimal digits of the hash of the UTF-8 bytes. */
function hash(algorithm: string): FunctionDefinition {
  return unary((operand, scope) => {
    const text = plainText(operand);
    if (text === null) return null;
    scope.spend(text.length);
    return ofString(digest(algorithm, text, 'hex'));
  });
}
