/**
 * The guard before the parser: the parser and everything after it recurse, so a text that nests
 * without end would take the stack with it. Brackets, prefix operators and chained patterns are
 * counted outside strings, IRIs and comments, in one pass over the text.
 */

import { SvcError } from '../../base/errors.js';

/** Far beyond what people and generators write; a tenth of what the parser's stack takes. */
export const NESTING_DEPTH_MAX = 200;
/** Logical operators and blocks in a row nest to one side in the algebra. */
export const CHAIN_LENGTH_MAX = 2000;
/** The parser takes some 50 bytes of memory for each byte of text. */
export const QUERY_TEXT_MAX = 4 * 1024 * 1024;

const SKIPPED =
  /"""(?:[^"\\]|\\[\s\S]|"(?!""))*"""|'''(?:[^'\\]|\\[\s\S]|'(?!''))*'''|"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'|<[^<>"{}|^`\\\s]*>|#[^\n\r]*/y;

/** Calls `visit` with each character that is no part of a string, an IRI or a comment. */
export function visitCode(text: string, visit: (character: string, index: number) => void): void {
  for (let index = 0; index < text.length; ) {
    const character = text[index] as string;
    if (character === '"' || character === "'" || character === '<' || character === '#') {
      SKIPPED.lastIndex = index;
      const skipped = SKIPPED.exec(text);
      if (skipped) {
        index += skipped[0].length;
        continue;
      }
    }
    visit(character, index);
    index++;
  }
}

export function guardComplexity(text: string): void {
  if (text.length > QUERY_TEXT_MAX) {
    throw new SvcError(
      'query_complexity',
      `the query is ${text.length} characters long; at most ${QUERY_TEXT_MAX} are taken`,
    );
  }
  let depth = 0;
  let prefixes = 0;
  let chained = 0;
  visitCode(text, (character, index) => {
    if (character === '(' || character === '{' || character === '[') {
      depth++;
      if (depth > NESTING_DEPTH_MAX) throw tooDeep(`brackets nest deeper than ${NESTING_DEPTH_MAX} levels`);
    } else if (character === ')' || character === '}' || character === ']') depth--;
    if (character === '!' || character === '-' || character === '+' || character === '^') {
      prefixes++;
      if (prefixes > NESTING_DEPTH_MAX)
        throw tooDeep(`more than ${NESTING_DEPTH_MAX} prefix operators follow one another`);
    } else if (character.trim() !== '') prefixes = 0;
    if (isChainLink(text, character, index)) {
      chained++;
      if (chained > CHAIN_LENGTH_MAX)
        throw tooDeep(`more than ${CHAIN_LENGTH_MAX} logical operators or blocks stand in the query`);
    }
  });
}

function isChainLink(text: string, character: string, index: number): boolean {
  if (character === '|' || character === '&') return text[index + 1] === character;
  return character === '{';
}

export function tooDeep(what: string): SvcError {
  return new SvcError('query_complexity', `the query is too complex: ${what}`, {
    hint: 'split the query, or put long lists of values into VALUES or IN',
  });
}
