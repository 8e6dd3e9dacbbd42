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
import type { Quad } from '../rdf/terms.js';
import { canonicalTerm } from './canonical-lines.js';
import { type Hit, IdentifierMatcher } from './identifier-matcher.js';
import type { IdentifierPolicy } from './identifier-policy.js';
import type { SortedLines } from './line-run.js';
import { unescapeLiteral } from './line-terms.js';
import type { ShareScope } from './manifest.js';
import type { ShareWatch } from './triple-collector.js';

const SEARCH_MS_MAX = 5000;
/** Searched together, so that setting the watch costs little. */
const TEXTS_TOGETHER = 2048;
const CHARACTERS_TOGETHER = 1 << 20;
const FINDINGS_MAX = 100;
const TERMS_KEPT_MAX = 10_000;
const DATATYPES_KEPT_MAX = 1024;
const IRIS_KEPT_MAX = 16_384;
/** Up to this length an expression that is quick needs no watch: its steps are the square of it, times a small number. */
const QUICK_CHARACTERS_MAX = 512;

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

const watch = createContext(Object.create(null));
const RUN = new Script('search()');

export class IdentifierScan implements ShareWatch {
  readonly #matcher: IdentifierMatcher;
  readonly #path: string;
  #waiting: Waiting[] = [];
  #characters = 0;
  /** Lines that wait. */
  #lines = '';
  readonly #seen = new Set<string>();
  readonly #datatypes = new Set<string>();
  /** Blocked terms as they stand in lines, with the hits of each. */
  readonly #blockedTerms = new Map<string, readonly Finding[]>();
  readonly #blockedElsewhere: Finding[] = [];
  readonly warnings = new Map<string, number>();
  #blocked = 0;

  constructor({ path, entries }: IdentifierPolicy) {
    this.#path = path;
    this.#matcher = new IdentifierMatcher(entries);
  }

  get blocked(): boolean {
    return this.#blocked > 0;
  }

  /** Most lines have nothing that matches: they are searched together, and term by term only where something may be. */
  seeLines(lines: Uint8Array): void {
    this.#lines += Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString('utf8');
    if (this.#lines.length >= CHARACTERS_TOGETHER) this.#searchLines();
  }

  seeTriple(triple: Quad): void {
    for (const term of [triple.subject, triple.predicate, triple.object]) {
      if (term.termType !== 'BlankNode') this.#seeText(canonicalTerm(term));
    }
  }

  #searchLines(): void {
    const lines = this.#lines;
    this.#lines = '';
    let found: readonly string[] = [];
    this.#watched(() => {
      if (!this.#matcher.mayHit(lines)) return;
      found = lines.split('\n').filter((line) => line !== '' && this.#matcher.mayHit(line));
    });
    for (const line of found) for (const term of termsOf(line)) this.#seeText(term);
  }

  /** A term as it stands in a line. IRIs come again and again. */
  #seeText(term: string): void {
    if (term.startsWith('<')) {
      if (this.#seen.has(term)) return;
      if (this.#seen.size === IRIS_KEPT_MAX) this.#seen.clear();
      this.#seen.add(term);
      this.#seeTerm(term.slice(1, -1), true, term);
      return;
    }
    const quote = term.lastIndexOf('"');
    this.#seeTerm(unescapeLiteral(term.slice(1, quote), term.includes('\\')), false, term);
    if (term.startsWith('^^', quote + 1)) this.#seeDatatype(term.slice(quote + 4, -1), term);
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
    this.#searchWaiting();
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
    if (this.#waiting.length >= TEXTS_TOGETHER || this.#characters >= CHARACTERS_TOGETHER) this.#searchWaiting();
  }

  /** Searches what waits. */
  finish(): void {
    if (this.#lines !== '') this.#searchLines();
    this.#searchWaiting();
  }

  #searchWaiting(): void {
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
