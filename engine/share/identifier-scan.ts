/**
 * Looks through the texts of a share for what an identifier policy names (semantics text 6.6): every IRI, the lexical form
 * of every literal, shapes and their names, and the scope. Labels of blank nodes are left out.
 *
 * Expressions are the operator's, but the texts are anybody's: they are searched some at a time under a watch, which ends
 * a search that goes back and forth without an end, and the share is refused. What matched is never told, only its hash.
 */

import { createHash } from 'node:crypto';
import { createContext, Script } from 'node:vm';
import { SvcError } from '../base/errors.js';
import type { Term } from '../rdf/terms.js';
import type { IdentifierPolicy, PolicyEntry } from './identifier-policy.js';
import type { ShareScope } from './manifest.js';
import type { SortedLines } from './record-sorter.js';
import type { TermWatch } from './triple-collector.js';

const SEARCH_MS_MAX = 5000;
/** Searched together, so that setting the watch costs little. */
const TEXTS_TOGETHER = 2048;
const CHARACTERS_TOGETHER = 1 << 20;
const FINDINGS_MAX = 100;
const TERMS_KEPT_MAX = 10_000;
const DATATYPES_KEPT_MAX = 1024;
/** Up to this length an expression that is quick needs no watch: its steps are the square of it, times a small number. */
const QUICK_CHARACTERS_MAX = 512;
const WAYS_MAX = 256;

interface Finding {
  readonly entry: string;
  readonly file: string;
  /** Null: nowhere in particular, as the name of a shape set in the manifest. */
  readonly line: number | null;
  readonly sha256: string;
}

/** A text that waits to be searched. `term`: the term in a line that it is of; otherwise a document. */
interface Waiting {
  readonly text: string;
  readonly isIri: boolean;
  readonly term: string | null;
  readonly file: string;
  /** Of a part of a document; null = found by where the match begins. */
  readonly line: number | null;
}

interface Hit {
  readonly entry: PolicyEntry;
  readonly matched: string;
  readonly at: number;
}

const watch = createContext(Object.create(null));
const RUN = new Script('search()');

export class IdentifierScan implements TermWatch {
  readonly #matcher: Matcher;
  readonly #path: string;
  #waiting: Waiting[] = [];
  #characters = 0;
  readonly #datatypes = new Set<string>();
  /** Blocked terms as they stand in lines, with the hits of each. */
  readonly #blockedTerms = new Map<string, readonly Finding[]>();
  readonly #blockedElsewhere: Finding[] = [];
  readonly warnings = new Map<string, number>();
  #blocked = 0;

  constructor({ path, entries }: IdentifierPolicy) {
    this.#path = path;
    this.#matcher = new Matcher(entries);
  }

  get blocked(): boolean {
    return this.#blocked > 0;
  }

  see(term: Term, text: string): void {
    if (term.termType === 'NamedNode') this.#seeTerm(term.value, true, text);
    else if (term.termType === 'Literal') {
      this.#seeTerm(term.value, false, text);
      this.#seeDatatype(term.datatype.value, text);
    }
  }

  #seeTerm(text: string, isIri: boolean, term: string): void {
    const isQuick = this.#matcher.isQuick && text.length <= QUICK_CHARACTERS_MAX;
    const hits = isQuick ? this.#matcher.hits(text, isIri) : null;
    if (hits?.length === 0) return;
    const waiting = { text, isIri, term, file: 'export.nt', line: null };
    if (hits === null) this.#add(waiting);
    else for (const hit of hits) this.#note(waiting, hit);
  }

  /** A datatype that was harmless once is harmless; one that was not is told of each literal. */
  #seeDatatype(datatype: string, term: string): void {
    if (this.#datatypes.has(datatype)) return;
    const before = this.#blocked;
    this.#seeTerm(datatype, true, term);
    this.finish();
    if (this.#blocked === before && this.#datatypes.size < DATATYPES_KEPT_MAX) this.#datatypes.add(datatype);
  }

  /** A document as a text, and the IRIs that are written in it, in full or by a prefix that it declares. */
  seeDocument(file: string, text: string): void {
    if (text === '') return;
    this.#add({ text, isIri: false, term: null, file, line: null });
    let [line, counted] = [1, 0];
    for (const [iri, at] of irisIn(text)) {
      line += breaksIn(text, counted, at);
      counted = at;
      this.#add({ text: iri, isIri: true, term: null, file, line });
    }
  }

  seeScope({ kind, value }: ShareScope): void {
    if (value === null) return;
    if (kind === 'construct') this.seeDocument('manifest.json', value);
    else this.#add({ text: value, isIri: kind === 'graph', term: null, file: 'manifest.json', line: null });
  }

  /** Of a shape set. */
  seeName(name: string): void {
    this.#add({ text: name, isIri: false, term: null, file: 'manifest.json', line: null });
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#characters += waiting.text.length;
    if (this.#waiting.length >= TEXTS_TOGETHER || this.#characters >= CHARACTERS_TOGETHER) this.finish();
  }

  /** Searches what waits. */
  finish(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#characters = 0;
    const found: (readonly [Waiting, readonly Hit[]])[] = [];
    const search = (): void => {
      for (const one of waiting) {
        const hits = this.#matcher.hits(one.text, one.isIri);
        if (hits.length > 0) found.push([one, hits]);
      }
    };
    this.#watched(search);
    for (const [one, hits] of found) for (const hit of hits) this.#note(one, hit);
  }

  #watched(search: () => void): void {
    watch.search = search;
    try {
      RUN.runInContext(watch, { timeout: SEARCH_MS_MAX });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      throw new SvcError(
        'identifier_policy',
        `an expression of the identifier policy ${this.#path} takes more than ${SEARCH_MS_MAX} ms on a text of the share; nothing is shared`,
        { hint: 'an expression that repeats a repetition, as (a+)+ does, can take for ever; write it without' },
      );
    } finally {
      watch.search = undefined;
    }
  }

  #note({ text, term, file, line }: Waiting, { entry, matched, at }: Hit): void {
    if (entry.tier === 'warn') {
      this.warnings.set(entry.id, (this.warnings.get(entry.id) ?? 0) + 1);
      return;
    }
    this.#blocked++;
    const sha256 = createHash('sha256').update(matched, 'utf8').digest('hex');
    const inText = term !== null || file === 'manifest.json' ? null : lineOf(text, at);
    const finding = { entry: entry.id, file, line: line ?? inText, sha256 };
    if (term === null) this.#blockedElsewhere.push(finding);
    else if (this.#blockedTerms.size < TERMS_KEPT_MAX) {
      const before = this.#blockedTerms.get(term) ?? [];
      if (!before.some((one) => one.entry === entry.id && one.sha256 === sha256)) {
        this.#blockedTerms.set(term, [...before, finding]);
      }
    }
  }

  /** The error that tells what was found where; `lines` are those of `export.nt`. */
  async refusal(lines: AsyncIterable<SortedLines>): Promise<SvcError> {
    const findings = [...this.#blockedElsewhere];
    let [line, all] = [0, findings.length];
    for await (const { bytes } of lines) {
      for (const text of Buffer.from(bytes).toString('utf8').split('\n').slice(0, -1)) {
        line++;
        for (const term of new Set(termsOf(text))) {
          for (const finding of this.#blockedTerms.get(term) ?? []) {
            all++;
            if (findings.length < FINDINGS_MAX) findings.push({ ...finding, line });
          }
        }
      }
    }
    return blockedRefusal(findings.slice(0, FINDINGS_MAX), all);
  }
}

/** The three terms of a canonical line. */
function termsOf(line: string): readonly string[] {
  const first = line.indexOf(' ');
  const second = line.indexOf(' ', first + 1);
  return [line.slice(0, first), line.slice(first + 1, second), line.slice(second + 1, -2)];
}

function blockedRefusal(findings: readonly Finding[], all: number): SvcError {
  const told = findings.map(({ entry, file, line, sha256 }) => {
    const where = line === null ? file : `${file} line ${line}`;
    return `  ${entry}: ${where}, SHA-256 of the match ${sha256}`;
  });
  const more = all > findings.length ? [`  and ${all - findings.length} more`] : [];
  const head = `the identifier policy blocks the share: ${all} ${all === 1 ? 'match' : 'matches'}`;
  return new SvcError('identifier_blocked', [head, ...told, ...more].join('\n'), {
    hint: 'nothing was written; take the identifiers out of the scope, or share a smaller one',
  });
}

class Matcher {
  readonly #literals: readonly (readonly [PolicyEntry, RegExp])[];
  /** Whether any of the literals is in a text. */
  readonly #anyLiteral: RegExp | null;
  readonly #expressions: readonly (readonly [PolicyEntry, RegExp])[];
  readonly #prefixes: readonly PolicyEntry[];
  /** None of the expressions can take long on a short text. */
  readonly isQuick: boolean;

  constructor(entries: readonly PolicyEntry[]) {
    const of = (match: PolicyEntry['match']) => entries.filter((entry) => entry.match === match);
    this.#literals = of('literal').map((entry) => [entry, new RegExp(escaped(entry.pattern), 'iu')]);
    const all = of('literal').map(({ pattern }) => escaped(pattern));
    this.#anyLiteral = all.length === 0 ? null : new RegExp(all.join('|'), 'iu');
    this.#expressions = of('regex').map((entry) => [entry, new RegExp(entry.pattern, 'u')]);
    this.#prefixes = of('iri_prefix');
    this.isQuick = of('regex').every(({ pattern }) => isQuick(pattern));
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

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

const PREFIX_DECLARATION = /prefix\s+([^\s:]*):\s*<([^<>\s]*)>/giu;
const WRITTEN_IRI = /<([^<>"{}|^`\\\s]+)>/gu;
const PREFIXED_NAME = /([\p{L}\p{N}_.-]*):([\p{L}\p{N}_.:%-]+)/gu;

/** What is, or looks like, an IRI in Turtle or SPARQL, with where it stands. */
function* irisIn(text: string): Generator<readonly [iri: string, at: number]> {
  const namespaces = new Map<string, string>();
  for (const [, prefix, namespace] of text.matchAll(PREFIX_DECLARATION)) {
    namespaces.set(prefix as string, namespace as string);
  }
  for (const match of text.matchAll(WRITTEN_IRI)) yield [match[1] as string, match.index];
  for (const match of text.matchAll(PREFIXED_NAME)) {
    const namespace = namespaces.get(match[1] as string);
    if (namespace !== undefined) yield [namespace + (match[2] as string), match.index];
  }
}

function lineOf(text: string, at: number): number {
  return 1 + breaksIn(text, 0, at);
}

/** Line feeds from a place up to another; fewer than none where the other comes before it. */
function breaksIn(text: string, from: number, to: number): number {
  if (to < from) return -breaksIn(text, to, from);
  let breaks = 0;
  for (let next = text.indexOf('\n', from); next >= 0 && next < to; next = text.indexOf('\n', next + 1)) breaks++;
  return breaks;
}
