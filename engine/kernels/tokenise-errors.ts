/** The messages of the errors that the tokeniser kernels and their twins find, by their result codes. */

import { TOKENISE } from './as/tokenise-codes.js';

export { TOKENISE };

type TokeniseErrorName = Exclude<
  keyof typeof TOKENISE,
  'ok' | 'recordsFull' | 'scratchFull' | 'needsSlowPath' | 'incomplete'
>;

/** `[` and `(` may stand in each other this deep. */
export const NESTING_MAX = 512;
/** Prefixes that one document may have in force. */
export const PREFIXES_MAX = 4096;
/** Bytes that the record of a term has for its length. */
export const TERM_BYTES_MAX = 0x0fff_ffff;

const MESSAGES: Readonly<Record<TokeniseErrorName, string>> = {
  invalidUtf8: 'invalid UTF-8',
  invalidIriCharacter: 'invalid character in IRI',
  unterminatedIri: "unterminated IRI: no '>' before the end of the line",
  relativeIri: 'relative IRI without a base',
  invalidEscape: 'invalid escape',
  invalidCodePoint: 'escape of a code point that is a surrogate or above U+10FFFF',
  unterminatedString: 'unterminated string',
  invalidLanguageTag: 'invalid language tag: expected subtags of 1 to 8 letters or digits',
  invalidDirection: "invalid base direction: expected 'ltr' or 'rtl'",
  invalidBlankLabel: 'invalid blank node label',
  expectedSubject: 'expected a subject: an IRI or a blank node',
  expectedPredicate: 'expected a predicate: an IRI',
  expectedObject: 'expected an object: an IRI, a blank node or a literal',
  expectedGraph: "expected a graph name (an IRI or a blank node) or '.'",
  expectedDot: "expected '.'",
  expectedLineEnd: "expected the end of the line behind '.'",
  expectedDatatype: 'expected a datatype IRI',
  taglessLanguageString: 'a literal of this datatype needs a language tag, not its datatype',
  termTooLong: `a term is longer than ${TERM_BYTES_MAX} bytes`,
  expectedVersion: 'expected a version string',
  undeclaredPrefix: 'undeclared prefix',
  expectedPrefixName: "expected a prefix name that ends with ':'",
  expectedIri: 'expected an IRI in angle brackets',
  invalidLocalName: 'invalid local name in a prefixed name',
  invalidNumber: 'invalid number',
  tooDeep: `brackets and lists are nested deeper than ${NESTING_MAX}`,
  tooManyPrefixes: `more than ${PREFIXES_MAX} prefixes, or their names and IRIs take too much memory`,
  tooManyAnonymous: `more than ${TERM_BYTES_MAX} anonymous blank nodes`,
  unexpectedEnd: 'the input ends inside a statement',
  expectedListEnd: "expected an object or ')'",
  expectedBracket: "expected ']'",
  expectedBrace: "expected '}'",
  graphsNotAllowed: 'graph blocks belong to TriG, not to Turtle',
  unknownDirective: 'unknown directive: expected @prefix, @base or @version',
  graphNameTooLong: 'the name of a graph block is too long',
  expectedName: "expected ':' in a prefixed name, or a keyword",
};

const BY_CODE = new Map<number, string>(
  Object.entries(MESSAGES).map(([name, text]) => [TOKENISE[name as TokeniseErrorName], text]),
);

export function isTokeniseError(code: number): boolean {
  return code >= 16;
}

/** What is wrong, without the place. */
export function tokeniseMessage(code: number): string {
  return BY_CODE.get(code) ?? `tokeniser result ${code}`;
}
