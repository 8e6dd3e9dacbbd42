/**
 * Reads a regular expression of XPath. What is no such expression is a `RegexSyntaxError`; references
 * back to a group, for which no linear-time method is known, are `RegexUnsupported`. So is what only
 * other languages have and people write all the same (`\b`, `(?i)`, `(?=`): silence would mislead them.
 */

import { namedSet, propertyItem } from './escapes.js';
import {
  type CharacterSet,
  type RegexNode,
  RegexSyntaxError,
  RegexUnsupported,
  rangesSet,
  type SetItem,
} from './syntax.js';

const DEPTH_MAX = 200;
/** Counts above it are refused when they are weighed; here they only have to stay numbers. */
const COUNT_DIGITS_MAX = 9;

const ESCAPED: Readonly<Record<string, number>> = { n: 0xa, r: 0xd, t: 0x9 };
type Counts = readonly [min: number, max: number | null];
const QUANTIFIERS: Readonly<Record<string, Counts>> = { '?': [0, 1], '*': [0, null], '+': [1, null] };
const ESCAPABLE = new Set('\\|.?*+(){}-[]^$');
/** Groups of other languages that look around, have a name or set a flag: no expression of XPath. */
const FOREIGN_GROUPS = new Set('=!<Pims-');
const NOT_PLAIN = new Set('?*+{}[]|)');
const SPACES = new Set(' \t\n\r');
const ANY_BUT_LINE_ENDS = rangesSet(true, [0xa, 0xa], [0xd, 0xd]);
const ANY = rangesSet(false, [0, 0x10ffff]);

export interface RegexFlags {
  readonly caseless: boolean;
  /** `.` takes line ends too. */
  readonly dotAll: boolean;
  /** `^` and `$` at every line. */
  readonly multiline: boolean;
  readonly ignoreSpace: boolean;
  readonly literal: boolean;
}

const LETTERS: Readonly<Record<string, keyof RegexFlags>> = {
  i: 'caseless',
  s: 'dotAll',
  m: 'multiline',
  x: 'ignoreSpace',
  q: 'literal',
};

export function parseFlags(text: string): RegexFlags {
  const flags = { caseless: false, dotAll: false, multiline: false, ignoreSpace: false, literal: false };
  for (const letter of text) {
    const name = LETTERS[letter];
    if (name === undefined) throw new RegexSyntaxError(`unknown flag ${letter}`);
    flags[name] = true;
  }
  return flags;
}

export function parseRegex(text: string, flags: RegexFlags): RegexNode {
  if (flags.literal) return literalNode(text);
  const parser = new RegexParser(Array.from(text), flags);
  return parser.whole();
}

function literalNode(text: string): RegexNode {
  const items = Array.from(text, (one): RegexNode => ({ kind: 'character', code: one.codePointAt(0) as number }));
  return { kind: 'sequence', items };
}

class RegexParser {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly text: readonly string[],
    private readonly flags: RegexFlags,
  ) {}

  whole(): RegexNode {
    const node = this.choice();
    if (this.at < this.text.length) throw this.fault();
    return node;
  }

  /** The next character that counts; undefined at the end. */
  private peek(): string | undefined {
    if (this.flags.ignoreSpace) while (SPACES.has(this.text[this.at] as string)) this.at++;
    return this.text[this.at];
  }

  private fault(): RegexSyntaxError {
    return new RegexSyntaxError(`character ${this.at + 1} has no place in the regular expression`);
  }

  private choice(): RegexNode {
    if (++this.depth > DEPTH_MAX)
      throw new RegexUnsupported(`a regular expression of more than ${DEPTH_MAX} nested groups`);
    const options = [this.sequence()];
    while (this.peek() === '|') {
      this.at++;
      options.push(this.sequence());
    }
    this.depth--;
    return options.length === 1 ? (options[0] as RegexNode) : { kind: 'choice', options };
  }

  private sequence(): RegexNode {
    const items: RegexNode[] = [];
    for (let next = this.peek(); next !== undefined && next !== '|' && next !== ')'; next = this.peek()) {
      items.push(this.repeated(this.atom(next)));
    }
    return { kind: 'sequence', items };
  }

  private atom(first: string): RegexNode {
    if (NOT_PLAIN.has(first) && first !== '[') throw this.fault();
    this.at++;
    switch (first) {
      case '^':
        return { kind: 'start' };
      case '$':
        return { kind: 'end' };
      case '.':
        return { kind: 'set', set: this.flags.dotAll ? ANY : ANY_BUT_LINE_ENDS };
      case '(':
        return this.group();
      case '[':
        return { kind: 'set', set: this.set() };
      case '\\':
        return this.escape();
      default:
        return { kind: 'character', code: first.codePointAt(0) as number };
    }
  }

  private group(): RegexNode {
    let captures = true;
    if (this.peek() === '?') {
      const kind = this.text[this.at + 1] ?? '';
      if (FOREIGN_GROUPS.has(kind)) {
        throw new RegexUnsupported(
          `a group that begins with (?${kind} in a regular expression (flags are an argument)`,
        );
      }
      if (kind !== ':') throw this.fault();
      this.at += 2;
      captures = false;
    }
    const body = this.choice();
    if (this.peek() !== ')') throw this.fault();
    this.at++;
    return { kind: 'group', captures, body };
  }

  private escape(): RegexNode {
    const letter = this.peek();
    if (letter !== undefined && letter >= '1' && letter <= '9') {
      throw new RegexUnsupported(`a reference back to a group (\\${letter}) in a regular expression`);
    }
    if (letter === 'b' || letter === 'B') {
      throw new RegexUnsupported(
        `a boundary of words (\\${letter}) in a regular expression (write (^|\\W) or (\\W|$))`,
      );
    }
    const item = this.escapedItem();
    if (item.kind === 'range') return { kind: 'character', code: item.from };
    return { kind: 'set', set: item.kind === 'set' ? item.set : { negated: false, items: [item], without: null } };
  }

  /** After the backslash; a range of one character, or a set. */
  private escapedItem(): SetItem {
    const letter = this.peek();
    if (letter === undefined) throw this.fault();
    this.at++;
    if (letter === 'p' || letter === 'P') return propertyItem(this.braced(), letter === 'P');
    const set = namedSet(letter);
    if (set !== null) return { kind: 'set', set };
    const code = ESCAPED[letter] ?? (ESCAPABLE.has(letter) ? (letter.codePointAt(0) as number) : undefined);
    if (code === undefined) throw new RegexSyntaxError(`unknown escape \\${letter}`);
    return { kind: 'range', from: code, to: code };
  }

  private braced(): string {
    const end = this.text.indexOf('}', this.at);
    if (this.text[this.at] !== '{' || end < 0) throw this.fault();
    const name = this.text.slice(this.at + 1, end).join('');
    this.at = end + 1;
    return name;
  }

  /** After the opening bracket. Space counts here, whatever the flags say. */
  private set(): CharacterSet {
    if (++this.depth > DEPTH_MAX) throw this.fault();
    const negated = this.text[this.at] === '^';
    if (negated) this.at++;
    const items: SetItem[] = [];
    for (;;) {
      const one = this.text[this.at];
      if (one === undefined) throw this.fault();
      if (one === ']') break;
      if (one === '-' && this.text[this.at + 1] === '[') return this.subtraction(negated, items);
      items.push(this.setItem(one));
    }
    if (items.length === 0) throw this.fault();
    this.at++;
    this.depth--;
    return { negated, items, without: null };
  }

  private subtraction(negated: boolean, items: readonly SetItem[]): CharacterSet {
    if (items.length === 0) throw this.fault();
    this.at += 2;
    const without = this.set();
    if (this.text[this.at] !== ']') throw this.fault();
    this.at++;
    this.depth--;
    return { negated, items, without };
  }

  private setItem(first: string): SetItem {
    const item = this.setCharacter(first);
    const next = this.text[this.at + 1];
    if (item.kind !== 'range' || this.text[this.at] !== '-' || next === ']' || next === '[') return item;
    this.at++;
    if (next === undefined) throw this.fault();
    const end = this.setCharacter(next);
    if (end.kind !== 'range' || end.from < item.from) throw this.fault();
    return { kind: 'range', from: item.from, to: end.from };
  }

  private setCharacter(one: string): SetItem {
    if (one === '[') throw this.fault();
    this.at++;
    if (one === '\\') {
      // `peek` would skip a space that counts in here; no escape begins with one.
      if (SPACES.has(this.text[this.at] as string)) throw this.fault();
      return this.escapedItem();
    }
    const code = one.codePointAt(0) as number;
    return { kind: 'range', from: code, to: code };
  }

  private repeated(body: RegexNode): RegexNode {
    const counts = this.quantifier();
    if (counts === null) return body;
    if (body.kind === 'start' || body.kind === 'end') throw this.fault();
    const lazy = this.peek() === '?';
    if (lazy) this.at++;
    return { kind: 'repeat', body, min: counts[0], max: counts[1], lazy };
  }

  private quantifier(): Counts | null {
    const next = this.peek() ?? '';
    if (next === '{') return this.counts();
    const counts = QUANTIFIERS[next] ?? null;
    if (counts !== null) this.at++;
    return counts;
  }

  private counts(): Counts {
    const inside = this.braced();
    const match = /^(\d+)(?:(,)(\d*))?$/.exec(this.flags.ignoreSpace ? inside.replace(/[ \t\r\n]/g, '') : inside);
    if (match === null) throw this.fault();
    const [, low = '', comma, high] = match;
    if (low.length > COUNT_DIGITS_MAX || (high ?? '').length > COUNT_DIGITS_MAX) {
      throw new RegexUnsupported('so large a count in a regular expression');
    }
    const min = Number(low);
    const max = comma === undefined ? min : high === '' ? null : Number(high);
    if (max !== null && max < min) throw this.fault();
    return [min, max];
  }
}
