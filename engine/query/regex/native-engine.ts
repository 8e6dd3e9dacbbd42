/**
 * JavaScript's own regular expressions where going back and trying again can't take long: they are many
 * times as fast as the linear engine. An expression is taken when the ways in which it can be tried are
 * few: `ways` multiplies the choices that it leaves at one place of a text, `loops` counts the repeats
 * without an end, so that a search in n characters takes at most `steps * ways * n ^ (loops + 1)` steps, and one
 * that can only begin where the text does `steps * ways * n ^ loops`.
 * Where an expression asks for categories or cases that the engines may know differently, only ASCII texts are searched.
 */

import { emitRegex, weighRegex } from './emit.js';
import type { Match } from './linear-engine.js';
import type { RegexFlags } from './parse-regex.js';
import { type CharacterSet, partsOf, type RegexNode } from './syntax.js';

/** Some milliseconds at worst. */
const STEPS_MAX = 2 ** 20;
const WAYS_MAX = 2 ** 16;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
export const ASCII = /^[\u0000-\u007f]*$/;

interface Effort {
  readonly ways: number;
  readonly loops: number;
}

const ONE_WAY: Effort = { ways: 1, loops: 0 };

export class NativeRegex {
  /** Made when matches are first asked for. */
  private all: RegExp | undefined;

  private constructor(
    private readonly regex: RegExp,
    private readonly perStart: number,
    /** Steps grow with this power of the length. */
    private readonly power: number,
    /** Both engines read all texts alike, not only those of ASCII. */
    private readonly anyText: boolean,
    /** Both engines find the same matches, with the same groups. */
    readonly findsAlike: boolean,
  ) {}

  /** Null where the linear engine is needed. */
  static of(node: RegexNode, flags: RegexFlags): NativeRegex | null {
    if (flags.multiline || (flags.caseless && !foldsAlike(node))) return null;
    const effort = effortOf(node);
    if (effort === null) return null;
    // All characters are written as numbers, so that nothing else looks like these.
    const source = emitRegex(node, flags).replaceAll('\\x{', '\\u{').replaceAll('\\A', '^').replaceAll('\\z', '$');
    return new NativeRegex(
      new RegExp(source, flags.caseless ? 'iu' : 'u'),
      weighRegex(node) * effort.ways,
      effort.loops + (isAnchored(node) ? 0 : 1),
      isPlain(node, flags.caseless),
      matchesAlike(node),
    );
  }

  /** Whether this engine is sure to be quick with the text, and of one mind with the other. */
  takes(text: string): boolean {
    return this.perStart * (text.length + 1) ** this.power <= STEPS_MAX && (this.anyText || ASCII.test(text));
  }

  test(text: string): boolean {
    return this.regex.test(text);
  }

  /** Of an expression that matches no empty text. */
  *matches(text: string): Generator<Match> {
    const regex = this.global();
    regex.lastIndex = 0;
    for (let found = regex.exec(text); found !== null; found = regex.exec(text)) {
      const match = found;
      const end = regex.lastIndex;
      yield { start: match.index, end, group: (number) => match[number] ?? '' };
      // Another text may have been searched in between.
      regex.lastIndex = end;
    }
  }

  /** `replacement` as JavaScript writes it. */
  replace(text: string, replacement: string): string {
    return text.replace(this.global(), replacement);
  }

  private global(): RegExp {
    this.all ??= new RegExp(this.regex.source, `${this.regex.flags}g`);
    return this.all;
  }
}

/** Whether each match begins where the text does. */
function isAnchored(node: RegexNode): boolean {
  if (node.kind === 'choice') return node.options.every(isAnchored);
  const [first] = node.kind === 'group' || node.kind === 'sequence' ? partsOf(node) : [];
  return node.kind === 'start' || (first !== undefined && isAnchored(first));
}

/** Null for what can be tried in too many ways. */
function effortOf(node: RegexNode): Effort | null {
  switch (node.kind) {
    case 'group':
      return effortOf(node.body);
    case 'sequence':
      return combined(node.items, (a, b) => ({ ways: a.ways * b.ways, loops: a.loops + b.loops }));
    case 'choice':
      return combined(node.options, (a, b) => ({ ways: a.ways + b.ways, loops: Math.max(a.loops, b.loops) }));
    case 'repeat': {
      const body = effortOf(node.body);
      if (body === null || body.loops > 0) return null;
      // What is repeated without an end must be taken in one way only.
      if (node.max === null) return body.ways === 1 ? { ways: 1, loops: 1 } : null;
      return few({ ways: body.ways ** node.max * (node.max - node.min + 1), loops: 0 });
    }
    default:
      return ONE_WAY;
  }
}

function combined(nodes: readonly RegexNode[], combine: (a: Effort, b: Effort) => Effort): Effort | null {
  let all: Effort | null = null;
  for (const node of nodes) {
    const effort = effortOf(node);
    if (effort === null) return null;
    all = few(all === null ? effort : combine(all, effort));
    if (all === null) return null;
  }
  return all ?? ONE_WAY;
}

function few(effort: Effort): Effort | null {
  return effort.ways <= WAYS_MAX ? effort : null;
}

/** The engines differ in how case and sets that say what is not in them go together. */
function foldsAlike(node: RegexNode): boolean {
  return (node.kind !== 'set' || isPlainSet(node.set)) && partsOf(node).every(foldsAlike);
}

function isPlainSet(set: CharacterSet): boolean {
  const isPlain = set.without === null && set.items.every((item) => item.kind === 'range');
  return isPlain && (!set.negated || isLineEnds(set));
}

/** What a dot leaves out: line ends have no case. */
function isLineEnds(set: CharacterSet): boolean {
  return set.items.every((item) => item.kind === 'range' && item.to <= 0x20);
}

const ASCII_MAX = 0x7f;

/** Whether an expression says which characters it takes by their numbers alone; of any case: by those of ASCII. */
function isPlain(node: RegexNode, caseless: boolean): boolean {
  if (node.kind === 'character') return !caseless || node.code <= ASCII_MAX;
  if (node.kind === 'set') return hasRangesOnly(node.set, caseless);
  return partsOf(node).every((part) => isPlain(part, caseless));
}

function hasRangesOnly(set: CharacterSet, caseless: boolean): boolean {
  return (
    (set.without === null || hasRangesOnly(set.without, caseless)) &&
    set.items.every((item) =>
      item.kind === 'range'
        ? !caseless || item.to <= ASCII_MAX
        : item.kind === 'set' && hasRangesOnly(item.set, caseless),
    )
  );
}

/**
 * The engines differ in what a group within a repeat is in the end, and in how often something is repeated that takes
 * no character.
 */
function matchesAlike(node: RegexNode): boolean {
  if (node.kind === 'repeat' && ((node.max !== 1 && hasGroup(node.body)) || mayBeEmpty(node.body))) return false;
  return partsOf(node).every(matchesAlike);
}

function hasGroup(node: RegexNode): boolean {
  return (node.kind === 'group' && node.captures) || partsOf(node).some(hasGroup);
}

function mayBeEmpty(node: RegexNode): boolean {
  if (node.kind === 'character' || node.kind === 'set') return false;
  if (node.kind === 'choice') return node.options.some(mayBeEmpty);
  return (node.kind === 'repeat' && node.min === 0) || partsOf(node).every(mayBeEmpty);
}
