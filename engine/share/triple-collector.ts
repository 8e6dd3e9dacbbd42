/**
 * The triples of a scope on their way to `export.nt`: terms become texts, lines are sorted, blank nodes get their labels
 * of RDFC-1.0.
 *
 * 1. Where triples come by subject, the ground lines of a subject are one record of the sorter. Subjects with very many
 *    lines, or with blank nodes beside them, are sorted line by line.
 * 2. Triples with a blank node wait, as terms: their labels depend on all of them. Ground triples have no say in that.
 * 3. When all have come, RDFC-1.0 labels the nodes, and their lines are sorted with the others.
 */

import { type Control, throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { canonicalBlankLabels } from '../rdf/canonical/rdfc.js';
import { type BlankNode, type Quad, type Term, terms } from '../rdf/terms.js';
import { canonicalTerm, compareCodePoints } from './canonical-lines.js';
import type { RecordSorter } from './record-sorter.js';

/** Some triples; as many terms of each kind. */
export interface TripleBatch {
  readonly subjects: readonly Term[];
  readonly predicates: readonly Term[];
  readonly objects: readonly Term[];
}

/** Is shown every term of the share, some more than once. */
export interface TermWatch {
  see(term: Term, text: string): void;
}

/** Lines of a subject that are one record at most. */
const SUBJECT_LINES_MAX = 1024;
/** Texts of terms that come again and again: predicates, classes. */
const TEXTS_KEPT_MAX = 16_384;
/** Triples with blank nodes are held in memory, as is what RDFC-1.0 makes of them. */
const BLANK_TRIPLES_MAX = 2_000_000;
const STEP_BLANK_TRIPLES = 8192;

export interface CollectOptions {
  /** All triples of a subject come one after the other. */
  readonly bySubject: boolean;
  readonly watch?: TermWatch | undefined;
  readonly hashCallsMax?: number | undefined;
}

export class TripleCollector {
  readonly #sorter: RecordSorter;
  readonly #options: CollectOptions;
  readonly #control: Control;
  readonly #kept = new Map<string, string>();
  readonly #blank: Quad[] = [];
  #lastSubject: Term | null = null;
  #subject = '';
  /** Of the ground lines of the subject what stands behind it. */
  #tails: string[] = [];
  #byLine = false;
  #isFull = false;

  constructor(sorter: RecordSorter, options: CollectOptions, control: Control) {
    this.#sorter = sorter;
    this.#options = options;
    this.#control = control;
  }

  async add({ subjects, predicates, objects }: TripleBatch): Promise<void> {
    for (let at = 0; at < subjects.length; at++) {
      const subject = subjects[at] as Term;
      if (subject !== this.#lastSubject) this.#begin(subject);
      this.#addTriple(subject, predicates[at] as Term, objects[at] as Term);
    }
    if (this.#isFull) await this.#sorter.spill();
    this.#isFull = false;
  }

  #begin(subject: Term): void {
    this.#lastSubject = subject;
    if (subject.termType === 'BlankNode') return;
    const text = this.#text(subject);
    // Of one subject there may be two objects, as in two batches.
    if (text === this.#subject) return;
    this.#endSubject();
    this.#subject = text;
    this.#byLine = !this.#options.bySubject;
  }

  #addTriple(subject: Term, predicate: Term, object: Term): void {
    const p = this.#keptText(predicate);
    if (subject.termType === 'BlankNode' || object.termType === 'BlankNode') {
      if (object.termType !== 'BlankNode') this.#text(object);
      if (subject.termType !== 'BlankNode') this.#byLine = true;
      if (this.#blank.length === BLANK_TRIPLES_MAX) throw tooManyBlank();
      this.#blank.push(
        terms.quad(subject as Quad['subject'], predicate as Quad['predicate'], object as Quad['object']),
      );
      return;
    }
    const o = object.termType === 'NamedNode' ? this.#keptText(object) : this.#text(object);
    this.#tails.push(`${p} ${o} .\n`);
    if (this.#tails.length < SUBJECT_LINES_MAX) return;
    this.#byLine = true;
    this.#emitLines();
  }

  #endSubject(): void {
    const tails = this.#tails;
    if (tails.length === 0) return;
    if (this.#byLine) {
      this.#emitLines();
      return;
    }
    const key = `${this.#subject} `;
    if (tails.length > 1) sortTails(tails);
    let text = '';
    let last = '';
    let lines = 0;
    for (const tail of tails) {
      if (tail !== last) {
        text += key + tail;
        lines++;
      }
      last = tail;
    }
    if (this.#sorter.add(key, text, lines)) this.#isFull = true;
    this.#tails = [];
  }

  #emitLines(): void {
    for (const tail of this.#tails) this.#addLine(`${this.#subject} ${tail}`);
    this.#tails = [];
  }

  #addLine(line: string): void {
    if (this.#sorter.add(line, line, 1)) this.#isFull = true;
  }

  #text(term: Term): string {
    const text = canonicalTerm(term);
    this.#options.watch?.see(term, text);
    return text;
  }

  #keptText(iri: Term): string {
    const known = this.#kept.get(iri.value);
    if (known !== undefined) return known;
    const text = this.#text(iri);
    if (this.#kept.size === TEXTS_KEPT_MAX) this.#kept.clear();
    this.#kept.set(iri.value, text);
    return text;
  }

  /** Labels the blank nodes; answers how many there are. */
  async finish(): Promise<number> {
    this.#endSubject();
    const { hashCallsMax } = this.#options;
    const labels = await canonicalBlankLabels(this.#blank, { ...this.#control, hashCallsMax });
    const relabelled = (term: Term): Term =>
      term.termType === 'BlankNode' ? terms.blankNode(labels.get((term as BlankNode).value) as string) : term;
    for (const [at, { subject, predicate, object }] of this.#blank.entries()) {
      const [s, o] = [canonicalTerm(relabelled(subject)), canonicalTerm(relabelled(object))];
      this.#addLine(`${s} ${canonicalTerm(predicate)} ${o} .\n`);
      if (at % STEP_BLANK_TRIPLES > 0) continue;
      throwIfStopped(this.#control, 'the share');
      if (this.#isFull) await this.#sorter.spill();
      this.#isFull = false;
    }
    this.#blank.length = 0;
    return labels.size;
  }
}

const HIGH_UNITS = /[\ud800-\udfff]/;

function sortTails(tails: string[]): void {
  if (tails.some((tail) => HIGH_UNITS.test(tail))) tails.sort(compareCodePoints);
  else tails.sort();
}

function tooManyBlank(): SvcError {
  return new SvcError('limit_exceeded', `the scope has more than ${BLANK_TRIPLES_MAX} triples with blank nodes`, {
    hint: 'their canonical labels depend on all of them together; share a smaller scope, or name the nodes by IRIs',
  });
}
