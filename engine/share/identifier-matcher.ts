/** Searches texts for the entries of an identifier policy. */

import type { PolicyEntry } from './identifier-policy.js';

export interface Hit {
  readonly entry: PolicyEntry;
  readonly matched: string;
  readonly at: number;
}

/** Ways that a quick expression may take from one place of a text. */
const WAYS_MAX = 256;

export class IdentifierMatcher {
  readonly #literals: readonly (readonly [PolicyEntry, RegExp])[];
  /** Whether any of the literals is in a text. */
  readonly #anyLiteral: RegExp | null;
  readonly #expressions: readonly (readonly [PolicyEntry, RegExp])[];
  readonly #prefixes: readonly PolicyEntry[];
  /** None of the expressions can take long on a short text. */
  readonly isQuick: boolean;
  /** What finds a match within a line finds it among lines; null = some expression does not. */
  readonly #joined: readonly RegExp[] | null;

  constructor(entries: readonly PolicyEntry[]) {
    const of = (match: PolicyEntry['match']) => entries.filter((entry) => entry.match === match);
    this.#literals = of('literal').map((entry) => [entry, new RegExp(escaped(entry.pattern), 'iu')]);
    const all = of('literal').map(({ pattern }) => escaped(pattern));
    this.#anyLiteral = all.length === 0 ? null : new RegExp(all.join('|'), 'iu');
    this.#expressions = of('regex').map((entry) => [entry, new RegExp(entry.pattern, 'u')]);
    this.#prefixes = of('iri_prefix');
    this.isQuick = of('regex').every(({ pattern }) => isQuick(pattern));
    const isJoined = of('regex').every(({ pattern }) => isQuick(pattern) && staysInLine(pattern));
    this.#joined = isJoined ? this.#expressions.map(([, expression]) => expression) : null;
  }

  /**
   * Whether there may be a match in a term of some canonical lines. Where there is one this is true: a term stands in its line
   * between marks, which are in no word, and terms in which something is escaped always count.
   */
  mayHit(lines: string): boolean {
    if (this.#joined === null || lines.includes('\\')) return true;
    if (this.#anyLiteral?.test(lines) || this.#joined.some((expression) => expression.test(lines))) return true;
    return this.#prefixes.some(({ pattern }) => lines.includes(`<${pattern}`));
  }

  /** The first match of each entry that has one. */
  hits(text: string, isIri: boolean): readonly Hit[] {
    let found: Hit[] | null = null;
    if (this.#anyLiteral?.test(text)) found = hitsOf(this.#literals, text, found);
    if (this.#expressions.length > 0) found = hitsOf(this.#expressions, text, found);
    if (!isIri) return found ?? NO_HITS;
    for (const entry of this.#prefixes) {
      if (text.startsWith(entry.pattern)) found = [...(found ?? []), { entry, matched: entry.pattern, at: 0 }];
    }
    return found ?? NO_HITS;
  }
}

const NO_HITS: readonly Hit[] = [];

function hitsOf(
  entries: readonly (readonly [PolicyEntry, RegExp])[],
  text: string,
  before: Hit[] | null,
): Hit[] | null {
  let found = before;
  for (const [entry, expression] of entries) {
    if (!expression.test(text)) continue;
    const match = expression.exec(text) as RegExpExecArray;
    found ??= [];
    found.push({ entry, matched: match[0], at: match.index });
  }
  return found;
}

/**
 * Whether an expression is sure to take no more steps than the square of a text's length, times a small number: at most
 * one repetition without an end, none of a group, and nothing that looks around or back. Any other is searched under watch.
 */
function isQuick(pattern: string): boolean {
  if (/\\[1-9k]|\(\?(?!:)/.test(pattern)) return false;
  const plain = pattern.replace(/\\[pPu]\{[^}]*\}|\\./gsu, 'x').replace(/\[[^\]]*\]/gu, 'x');
  if (/\)[*+{?]/.test(plain)) return false;
  const endless = plain.match(/[*+]|\{\d+,\}/gu) ?? [];
  const bounded = [...plain.matchAll(/\{(?:\d+,)?(\d+)\}/gu)].map(([, most]) => Number(most) + 1);
  const choices = plain.match(/[?|]/gu) ?? [];
  const ways = bounded.reduce((all, one) => all * one, 2 ** Math.min(choices.length, 32));
  return endless.length <= 1 && ways <= WAYS_MAX;
}

const ATOM = /(\\[pPu]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|[^\\[])([*+]|\{\d+,\})?/gsu;

/**
 * Whether an expression matches in a text whatever stands around the text, and soon comes to an end where it does not: it is bound
 * to no beginning or end, and what it repeats without an end are letters and the like, which marks and line feeds are not.
 */
function staysInLine(pattern: string): boolean {
  for (const [, atom = '', endless] of pattern.matchAll(ATOM)) {
    if (atom === '^' || atom === '$') return false;
    if (endless === undefined) continue;
    const isClass = atom.startsWith('[') && !atom.startsWith('[^') && !/\\[sSWDpPnr]|[\s<>" ]/u.test(atom);
    const isWord = atom === '\\w' || atom === '\\d' || /^[\p{L}\p{N}_-]$/u.test(atom);
    if (!isClass && !isWord) return false;
  }
  return true;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
