/**
 * A pattern of REGEX and REPLACE, compiled. Patterns that are plain text, perhaps at the start or end
 * of the whole, are searched as text; all others run on JavaScript's engine where that is sure to be quick, and on the
 * linear one elsewhere.
 */

import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import { emitRegex, STEPS_MAX, weighRegex } from './emit.js';
import { LinearRegex, type Match } from './linear-engine.js';
import { ASCII, NativeRegex } from './native-engine.js';
import { parseFlags, parseRegex, type RegexFlags } from './parse-regex.js';
import type { ReplacementPart } from './replacement.js';
import { type Needle, requiredText } from './required-text.js';
import { partsOf, type RegexNode, RegexSyntaxError, RegexUnsupported } from './syntax.js';

const LENGTH_MAX = 10_000;
/**
 * One call can't be interrupted, so this bounds how late a deadline may be noticed: a few hundred
 * milliseconds where every step of the machine is taken for every character; usually far less.
 */
const WORK_MAX = 2 ** 24;

/** A longer result is put together piece by piece, and its length is watched. */
const REPLACED_MAX = 2 ** 20;
const NATIVE_GROUPS_MAX = 99;

export interface Pattern {
  /** Groups that a replacement may name. */
  readonly groups: number;
  /** What a text that matches holds in any case. */
  readonly needle?: Needle;
  test(text: string): boolean;
  matches(text: string): Iterable<Match>;
  /** All matches replaced in one go; null where that is left to `matches`. */
  replace(text: string, parts: readonly ReplacementPart[]): string | null;
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
  readonly needle?: Needle;
  private readonly steps: number;
  private readonly native: NativeRegex | null;
  private linear: LinearRegex | null = null;

  constructor(
    private readonly node: RegexNode,
    private readonly flags: RegexFlags,
  ) {
    this.steps = weighRegex(node);
    if (this.steps > STEPS_MAX) throw new RegexUnsupported(`a regular expression of more than ${STEPS_MAX} steps`);
    this.native = NativeRegex.of(node, flags);
    this.groups = groupsOf(node);
    const needle = requiredText(node, flags.caseless);
    if (needle !== undefined) this.needle = needle;
    if (this.native === null) this.regex();
  }

  test(text: string): boolean {
    if (this.native?.takes(text)) return this.native.test(text);
    if (this.needle?.fold === 'as-is' && !text.includes(this.needle.text)) return false;
    this.assertWork(text);
    return this.regex().test(text);
  }

  matches(text: string): Iterable<Match> {
    if (this.findsNatively(text)) return (this.native as NativeRegex).matches(text);
    this.assertWork(text);
    return this.regex().matches(text);
  }

  replace(text: string, parts: readonly ReplacementPart[]): string | null {
    if (!this.findsNatively(text) || lengthMax(text, parts) > REPLACED_MAX) return null;
    const written = nativeReplacement(parts);
    return written === null ? null : (this.native as NativeRegex).replace(text, written);
  }

  private findsNatively(text: string): boolean {
    return this.native?.findsAlike === true && this.native.takes(text);
  }

  private regex(): LinearRegex {
    this.linear ??= new LinearRegex(emitRegex(this.node, this.flags), this.flags.caseless);
    return this.linear;
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

/** Characters that the result of a replacement has at most. */
function lengthMax(text: string, parts: readonly ReplacementPart[]): number {
  let length = text.length;
  for (const part of parts) length += typeof part === 'string' ? part.length * text.length : text.length;
  return length;
}

/** The replacement as JavaScript writes it; null for groups that it can't name. */
function nativeReplacement(parts: readonly ReplacementPart[]): string | null {
  let written = '';
  for (const part of parts) {
    if (typeof part === 'string') written += part.replaceAll('$', '$$$$');
    else if (part === 0) written += '$&';
    else if (part <= NATIVE_GROUPS_MAX) written += `$${part < 10 ? '0' : ''}${part}`;
    else return null;
  }
  return written;
}

function groupsOf(node: RegexNode): number {
  const own = Number(node.kind === 'group' && node.captures);
  return partsOf(node).reduce((count, part) => count + groupsOf(part), own);
}

/** Null when the pattern is more than a text. */
function textPattern(node: RegexNode, flags: RegexFlags): Pattern | null {
  if (node.kind !== 'sequence') return null;
  const items = [...node.items];
  const atStart = items[0]?.kind === 'start';
  const atEnd = items.at(-1)?.kind === 'end';
  if ((atStart || atEnd) && flags.multiline) return null;
  const inner = items.slice(atStart ? 1 : 0, atEnd && items.length > Number(atStart) ? -1 : undefined);
  if (inner.some((item) => item.kind !== 'character')) return null;
  const text = String.fromCodePoint(...inner.map((item) => (item as { code: number }).code));
  if (flags.caseless) return caselessPattern(node, flags, text, textTest(text.toLowerCase(), atStart, atEnd));
  const test = textTest(text, atStart, atEnd);
  const matches = (whole: string) => textMatches(whole, text, atStart, atEnd);
  const replace = (whole: string, parts: readonly ReplacementPart[]) => {
    if (atStart || atEnd || lengthMax(whole, parts) > REPLACED_MAX) return null;
    const written = parts.map((part) => (typeof part === 'string' ? part : text)).join('');
    return whole.replaceAll(text, written.replaceAll('$', '$$$$'));
  };
  return { groups: 0, needle: { text, fold: 'as-is' }, test, matches, replace };
}

/** Where both are ASCII a text matches in any case when both match in lower case. */
function caselessPattern(
  node: RegexNode,
  flags: RegexFlags,
  text: string,
  testLower: (text: string) => boolean,
): Pattern | null {
  if (!ASCII.test(text)) return null;
  const regex = new RegexPattern(node, flags);
  return {
    groups: 0,
    needle: { text: text.toLowerCase(), fold: 'lower' },
    test: (whole) => (ASCII.test(whole) ? testLower(whole.toLowerCase()) : regex.test(whole)),
    matches: (whole) => regex.matches(whole),
    replace: (whole, parts) => regex.replace(whole, parts),
  };
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

/** The machine of one pattern may grow to some megabytes. */
const PATTERNS_MAX = 16;

/** The patterns of a query, compiled once: one that comes from the data as well, as long as few differ. */
export class PatternCache {
  private readonly known = new Map<string, Map<string, Pattern | null>>();
  private held = 0;

  /** Null for what is no regular expression, or none that is evaluated here. */
  get(text: string, flags: string): Pattern | null {
    const found = this.known.get(flags)?.get(text);
    if (found !== undefined) return found;
    if (this.held === PATTERNS_MAX) {
      this.known.clear();
      this.held = 0;
    }
    const pattern = compileOrNull(text, flags);
    getOrInsert(this.known, flags, () => new Map()).set(text, pattern);
    this.held++;
    return pattern;
  }
}

function compileOrNull(text: string, flags: string): Pattern | null {
  try {
    return compilePattern(text, flags);
  } catch (error) {
    if (error instanceof RegexSyntaxError || error instanceof RegexUnsupported) return null;
    throw error;
  }
}
