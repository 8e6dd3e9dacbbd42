/**
 * The text of a query as the parser knows lines and characters: a byte order mark in front is a space, a
 * carriage return ends a line and with it a comment, half a surrogate pair is no character. Offsets stay
 * what they are.
 */

import { SvcError } from '../../base/errors.js';
import { visitCode } from './guard.js';
import { positionAt } from './position.js';

const BYTE_ORDER_MARK = 0xfeff;
const HALF_PAIR = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

export function plainText(text: string): string {
  const half = HALF_PAIR.exec(text);
  if (half !== null) {
    const code = half[0].charCodeAt(0).toString(16).toUpperCase();
    throw new SvcError('parse_error', `the text holds half a surrogate pair (U+${code})`, {
      position: positionAt(text, half.index),
    });
  }
  const unmarked = text.charCodeAt(0) === BYTE_ORDER_MARK ? ` ${text.slice(1)}` : text;
  return /\r(?!\n)/.test(unmarked) ? withLineFeeds(unmarked) : unmarked;
}

/** Outside strings, where a carriage return is one. */
function withLineFeeds(text: string): string {
  let lines = '';
  let from = 0;
  visitCode(text, (character, index) => {
    if (character !== '\r' || text[index + 1] === '\n') return;
    lines += `${text.slice(from, index)}\n`;
    from = index + 1;
  });
  return lines + text.slice(from);
}

const APART = /\bnot(?! (?:exists|in)\b)[\s#]/i;
const NEGATION = /not((?:\s|#[^\n]*\n)+)(?=(?:exists|in)\b)/iy;

/**
 * `NOT EXISTS` and `NOT IN` with one space inside, as the parser has them for one token, wherever a text has line ends,
 * more spaces or comments there. Offsets stay what they are; line ends may move.
 */
export function withNegationsTogether(text: string): string {
  if (!APART.test(text)) return text;
  let joined = '';
  let from = 0;
  visitCode(text, (character, index) => {
    if ((character !== 'n' && character !== 'N') || /[\w:?$@.%-]/.test(text[index - 1] ?? ' ')) return;
    NEGATION.lastIndex = index;
    const gap = NEGATION.exec(text)?.[1];
    if (gap === undefined || gap === ' ') return;
    joined += `${text.slice(from, index)}${' '.repeat(gap.length - 1)}NOT `;
    from = index + 'NOT'.length + gap.length;
  });
  return joined + text.slice(from);
}

const SELECT = /select\b/iy;
const VARIABLE = /[?$]([\p{L}\p{N}\p{M}_\u00b7\u203f\u2040]+)/uy;

/**
 * Spaces in place of each variable that stands a second time by itself in a list after SELECT: what is selected is a
 * set (SPARQL 1.1, 18.2.4.4), and the parser takes no variable twice. Offsets stay what they are.
 */
export function withoutRepeatedVariables(text: string): string {
  let once = text;
  let depth = 0;
  /** Names of the list; null outside of one. */
  let selected: Set<string> | null = null;
  visitCode(text, (character, index) => {
    if (character === '{') selected = null;
    else if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === 's' || character === 'S') {
      SELECT.lastIndex = index;
      if (!SELECT.test(text) || /[\w:?$@.%-]/.test(text[index - 1] ?? ' ')) return;
      selected = new Set();
      depth = 0;
    } else if ((character === '?' || character === '$') && selected !== null && depth === 0) {
      VARIABLE.lastIndex = index;
      const found = VARIABLE.exec(text);
      if (found === null) return;
      const [written, name = ''] = found;
      if (selected.has(name)) {
        once = once.slice(0, index) + ' '.repeat(written.length) + once.slice(index + written.length);
      } else selected.add(name);
    }
  });
  return once;
}
