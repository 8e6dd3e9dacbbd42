/**
 * The guard before the parser: the parser and everything after it recurse, so a text that nests
 * without end would take the stack with it. Brackets, prefix operators and chained patterns are
 * counted outside strings, IRIs and comments, in one pass over the text.
 */

import { SvcError } from '../../base/errors.js';
import { type InterruptLimits, leftMs, timeoutError } from '../../base/interrupt.js';

/** Far beyond what people and generators write; a tenth of what the parser's stack takes. */
export const NESTING_DEPTH_MAX = 200;
/** Logical operators and blocks in a row nest to one side in the algebra. */
export const CHAIN_LENGTH_MAX = 2000;
/** The alternatives of UNION stand side by side. */
export const ALTERNATIVES_MAX = 50_000;
/** The parser compares each selected variable with all before it. */
export const SELECTED_MAX = 10_000;
/** Computed variables of one block nest in the algebra, each within the next. */
export const COMPUTED_MAX = 1000;
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

function guardLength({ length }: string): void {
  if (length <= QUERY_TEXT_MAX) return;
  throw new SvcError('query_complexity', `the query is ${length} characters long; at most ${QUERY_TEXT_MAX} are taken`);
}

export function guardComplexity(text: string): void {
  guardLength(text);
  let depth = 0;
  let prefixes = 0;
  let chained = 0;
  let alternatives = 0;
  /** Null outside of the list after SELECT. */
  let selected: number | null = null;
  /** By block that is open, the outermost first. */
  const computed = [0];
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
    if (character === '{') computed.push(0);
    else if (character === '}' && computed.length > 1) computed.pop();
    else if ((character === 'a' || character === 'A') && namesComputed(text, index)) {
      const count = (computed.pop() as number) + 1;
      if (count > COMPUTED_MAX) throw tooDeep(`more than ${COMPUTED_MAX} variables are computed in one block`);
      computed.push(count);
    }
    if (character === '{') selected = null;
    else if ((character === 's' || character === 'S') && beginsSelect(text, index)) selected = 0;
    else if (selected !== null && (character === '?' || character === '$')) {
      selected++;
      if (selected > SELECTED_MAX) throw tooDeep(`more than ${SELECTED_MAX} variables are selected`);
    }
    if (character === '{' && followsUnion(text, index)) {
      alternatives++;
      if (alternatives > ALTERNATIVES_MAX)
        throw tooDeep(`more than ${ALTERNATIVES_MAX} alternatives stand in the query`);
    } else if (isChainLink(text, character, index)) {
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

const NAMING = /(?<![\w?$:-])AS\s*[?$]/iy;

function namesComputed(text: string, index: number): boolean {
  NAMING.lastIndex = index;
  return NAMING.test(text);
}

function beginsSelect(text: string, index: number): boolean {
  return text.slice(index, index + 6).toUpperCase() === 'SELECT';
}

/** One block of space between UNION and the bracket; more count as a chain. */
function followsUnion(text: string, index: number): boolean {
  let end = index;
  while (end > 0 && /\s/.test(text[end - 1] as string)) end--;
  return text.slice(Math.max(0, end - 5), end).toUpperCase() === 'UNION';
}

/** Texts that are longer than this take a noticeable time to parse, which nothing can interrupt. */
const LONG_TEXT = 65_536;
/** Microseconds a character, on a slow day. */
const PARSE_COST_US = 3;

/** Refuses a text that could not be parsed in time anyway. */
export function guardTime(text: string, { deadline }: InterruptLimits): void {
  if (deadline === undefined || text.length <= LONG_TEXT) return;
  // Too long for any time.
  guardLength(text);
  if ((text.length * PARSE_COST_US) / 1000 <= leftMs(deadline)) return;
  const { timeoutMs } = deadline;
  throw timeoutError(`a query of ${text.length} characters`, { timeoutMs });
}

/** What a stack that overflowed means for a caller; anything else passes through. */
export function asTooDeep(error: unknown): unknown {
  const overflow = error instanceof RangeError && /call stack/.test(error.message);
  return overflow ? tooDeep('its expressions or blocks nest too deeply') : error;
}

export function tooDeep(what: string): SvcError {
  return new SvcError('query_complexity', `the query is too complex: ${what}`, {
    hint: 'split the query, or put long lists of values into VALUES or IN',
  });
}
