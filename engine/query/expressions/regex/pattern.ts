/**
 * A pattern of REGEX and REPLACE, compiled. Patterns that are plain text, perhaps at the start or end
 * of the whole, are searched as text; all others run on the linear engine.
 */

import { SvcError } from '../../../base/errors.js';
import { emitRegex, STEPS_MAX, weighRegex } from './emit.js';
import { LinearRegex, type Match } from './linear-engine.js';
import { parseFlags, parseRegex, type RegexFlags } from './parse-regex.js';
import { type RegexNode, RegexUnsupported } from './syntax.js';

const LENGTH_MAX = 10_000;
/**
 * One call can't be interrupted, so this bounds how late a deadline may be noticed: a few hundred
 * milliseconds where every step of the machine is taken for every character; usually far less.
 */
const WORK_MAX = 2 ** 24;

export interface Pattern {
  /** Groups that a replacement may name. */
  readonly groups: number;
  test(text: string): boolean;
  matches(text: string): Iterable<Match>;
}

/** Throws `RegexSyntaxError` or `RegexUnsupported`. */
export function compilePattern(text: string, flagText: string): Pattern {
  if (text.length > LENGTH_MAX)
    throw new RegexUnsupported(`a regular expression of more than ${LENGTH_MAX} characters`);
  const flags = parseFlags(flagText);
  const node = parseRegex(text, flags);
  return textPattern(node, flags) ?? new RegexPattern(node, flags);
}

class RegexPattern implements Pattern {
  readonly groups: number;
  private readonly steps: number;
  private readonly regex: LinearRegex;

  constructor(node: RegexNode, flags: RegexFlags) {
    this.steps = weighRegex(node);
    if (this.steps > STEPS_MAX) throw new RegexUnsupported(`a regular expression of more than ${STEPS_MAX} steps`);
    this.regex = new LinearRegex(emitRegex(node, flags), flags.caseless);
    this.groups = this.regex.groups;
  }

  test(text: string): boolean {
    this.assertWork(text);
    return this.regex.test(text);
  }

  matches(text: string): Iterable<Match> {
    this.assertWork(text);
    return this.regex.matches(text);
  }

  private assertWork(text: string): void {
    if (this.steps * text.length <= WORK_MAX) return;
    throw new SvcError(
      'query_complexity',
      `a regular expression of ${this.steps} steps over a text of ${text.length} characters is too much work`,
      { hint: 'shorten the regular expression, or cut the text with SUBSTR' },
    );
  }
}

/** Null when the pattern is more than a text. */
function textPattern(node: RegexNode, flags: RegexFlags): Pattern | null {
  if (flags.caseless || node.kind !== 'sequence') return null;
  const items = [...node.items];
  const atStart = items[0]?.kind === 'start';
  const atEnd = items.at(-1)?.kind === 'end';
  if ((atStart || atEnd) && flags.multiline) return null;
  const inner = items.slice(atStart ? 1 : 0, atEnd && items.length > Number(atStart) ? -1 : undefined);
  if (inner.some((item) => item.kind !== 'character')) return null;
  const text = String.fromCodePoint(...inner.map((item) => (item as { code: number }).code));
  const test = textTest(text, atStart, atEnd);
  return { groups: 0, test, matches: (whole) => textMatches(whole, text, atStart, atEnd) };
}

function textTest(part: string, atStart: boolean, atEnd: boolean): (text: string) => boolean {
  if (atStart && atEnd) return (text) => text === part;
  if (atStart) return (text) => text.startsWith(part);
  return atEnd ? (text) => text.endsWith(part) : (text) => text.includes(part);
}

function* textMatches(text: string, part: string, atStart: boolean, atEnd: boolean): Generator<Match> {
  const group = () => part;
  if (atStart || atEnd) {
    const start = atStart ? 0 : text.length - part.length;
    if (textTest(part, atStart, atEnd)(text)) yield { start, end: start + part.length, group };
    return;
  }
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    yield { start: at, end: at + part.length, group };
  }
}
