/**
 * What an overlay makes of its parent: the triples of the composed view by subject, predicate and object, a page of them at
 * a time. Nothing is composed but what a page needs:
 *
 * 1. Subjects come in the order of their texts, each with the number of its triples (`ordered-subjects.ts`), so that
 *    those before the page are counted and not read.
 * 2. The triples of subjects with few of them are read by one probe for several subjects.
 * 3. Of a subject with many, predicates are counted first, and only the objects of those on the page are read.
 */

import { breathe, type Control, type Stop, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { compareCodePoints } from '../../base/text.js';
import { findOverlay, type Overlay } from '../../graphs/overlays.js';
import { composedView, PRECEDENCES, type Precedence } from '../../query/registry/overlay-rows.js';
import { termToString } from '../../rdf/canonical/lines.js';
import { type Term, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { decodeIds, exactly, patternOf, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type GraphSet, type ScanPattern, type StorageSnapshot } from '../../storage/seam/scan.js';
import { type Fact, readFacts, readFactsOfEach } from './entity-facts.js';
import { orderedSubjects, type Subject } from './ordered-subjects.js';
import { type PageOptions, type Window, windowOf } from './paging.js';
import { subjectIds } from './subject-ids.js';

/** Subjects with more triples are read predicate by predicate. */
const PROBED_FACTS_MAX = 1000;
/** Subjects that are looked up by one probe. */
const SUBJECTS_AT_ONCE = 64;
const WHAT = 'the composition';

export interface ComposeOptions extends PageOptions, Stop {
  /** `nearest`, the default: the overlay wins; `governed`: the parent does, and tombstones don't count. */
  readonly precedence?: Precedence | undefined;
}

export interface ComposedTriple {
  readonly subject: Term;
  readonly predicate: Term;
  readonly object: Term;
  /** Which of the two the triple is taken from: the one that wins, where both have it. */
  readonly from: 'overlay' | 'parent';
}

export interface ComposedPage {
  readonly triples: readonly ComposedTriple[];
  /** True when there are more behind them. */
  readonly truncated: boolean;
}

/** A page of the view of an overlay, as it is now. */
export async function composeOverlay(
  snapshot: StorageSnapshot,
  iri: string,
  options: ComposeOptions = {},
): Promise<ComposedPage> {
  const { precedence = 'nearest' } = options;
  if (!PRECEDENCES.includes(precedence)) {
    const known = PRECEDENCES.join(', ');
    throw new SvcError('invalid_request', `'precedence' is ${JSON.stringify(precedence)}; expected one of ${known}`);
  }
  const window = windowOf(options);
  const overlay = findOverlay(snapshot, iri);
  const graphs = composedView(snapshot, overlay, precedence);
  if (graphs === null) return { triples: [], truncated: false };
  const view = new ComposedView(snapshot, graphs, originOf(snapshot, overlay, precedence), options);
  return view.page(window);
}

type Origin = (subject: Subject, fact: Fact) => ComposedTriple['from'];

/** Tells of a triple of the view where it is taken from. What the overlay asserts of a subject is read once. */
function originOf(snapshot: StorageSnapshot, { iri, parent }: Overlay, precedence: Precedence): Origin {
  const [own, below] = [iri, parent].map((graph) => snapshot.encode(terms.namedNode(graph)));
  const holds = (graph: TermId | null | undefined, s: TermId, { predicate, value }: Fact): boolean => {
    const [p, o] = [snapshot.encode(predicate), snapshot.encode(value)] as [TermId, TermId];
    const rows = { pattern: patternOf({ s, p, o }), time: CURRENT };
    return graph != null && snapshot.count({ graphs: { kind: 'one', graph }, ...rows }) > 0;
  };
  let asserted: OwnFacts | null = null;
  return ({ id }, fact) => {
    if (own == null) return 'parent';
    if (asserted?.subject !== id) asserted = ownFacts(snapshot, own, id);
    const isOwn = asserted.texts?.has(textOf(fact)) ?? holds(own, id, fact);
    return isOwn && !(precedence === 'governed' && holds(below, id, fact)) ? 'overlay' : 'parent';
  };
}

interface OwnFacts {
  readonly subject: TermId;
  /** Null when they are many, and looked up one by one. */
  readonly texts: ReadonlySet<string> | null;
}

function ownFacts(snapshot: StorageSnapshot, graph: TermId, subject: TermId): OwnFacts {
  const { facts, cut } = readFacts(snapshot, { graph, subject, time: CURRENT }, PROBED_FACTS_MAX);
  return { subject, texts: cut ? null : new Set(facts.map(textOf)) };
}

function textOf({ predicate, value }: Fact): string {
  return `${predicate.value}\t${termToString(value)}`;
}

class ComposedView {
  readonly #triples: ComposedTriple[] = [];

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly graphs: GraphSet,
    private readonly originOf: Origin,
    private readonly control: Control,
  ) {}

  async page({ from, to }: Window): Promise<ComposedPage> {
    const ids = await subjectIds(this.snapshot, {}, this.control, this.graphs);
    let passed = 0;
    for await (const batch of orderedSubjects(this.snapshot, ids, 'iri', this.control)) {
      const few = new FewSubjects();
      for (const subject of batch) {
        if (passed >= to) {
          this.#addFew(few);
          return { triples: this.#triples, truncated: true };
        }
        const { rows } = subject;
        const window = { from: from - passed, to: to - passed };
        passed += rows;
        if (passed <= from) continue;
        const isLarge = rows > PROBED_FACTS_MAX;
        if (isLarge || few.subjects.length === SUBJECTS_AT_ONCE) this.#addFew(few);
        if (isLarge) await this.#addLarge(subject, window);
        else few.add(subject, window);
      }
      this.#addFew(few);
      throwIfStopped(this.control, WHAT);
    }
    return { triples: this.#triples, truncated: passed > to };
  }

  #addFew(few: FewSubjects): void {
    const { subjects, from, to } = few;
    if (subjects.length === 0) return;
    const scope = { graphs: this.graphs, time: CURRENT };
    const ids = subjects.map(({ id }) => id);
    let at = 0;
    for (const [index, { facts }] of readFactsOfEach(this.snapshot, scope, ids).entries()) {
      for (const fact of facts) {
        if (at >= from && at < to) this.#add(subjects[index] as Subject, fact);
        at++;
      }
    }
    few.clear();
  }

  #add(subject: Subject, fact: Fact): void {
    const from = this.originOf(subject, fact);
    this.#triples.push({ subject: subject.term, predicate: fact.predicate, object: fact.value, from });
  }

  async #addLarge(subject: Subject, { from, to }: Window): Promise<void> {
    let passed = 0;
    for (const { id, predicate, rows } of await this.#predicatesOf(subject)) {
      if (passed >= to) return;
      if (passed + rows > from) {
        const objects = await this.#objects(patternOf({ s: subject.id, p: id }), to - passed);
        for (const value of objects.slice(Math.max(0, from - passed))) this.#add(subject, { predicate, value });
      }
      passed += rows;
    }
  }

  /** The predicates of a subject in the order of their texts. */
  async #predicatesOf({ id }: Subject): Promise<CountedPredicate[]> {
    const counts = new Map<TermId, number>();
    for await (const batch of this.#rows({ s: exactly(id) }, 'p')) {
      for (let row = 0; row < batch.rows; row++) {
        const p = batch.id('p', row);
        counts.set(p, (counts.get(p) ?? 0) + 1);
      }
    }
    const ids = [...counts.keys()];
    const predicates = decodeIds(this.snapshot, ids);
    return ids
      .map((p, at) => ({ id: p, predicate: predicates[at] as Term, rows: counts.get(p) as number }))
      .sort((a, b) => compareCodePoints(a.predicate.value, b.predicate.value));
  }

  /** The first objects of a subject and a predicate in the order of their texts; holds about twice as many. */
  async #objects(pattern: ScanPattern, wanted: number): Promise<Term[]> {
    let kept: { readonly term: Term; readonly text: string }[] = [];
    const keepFirst = (): void => {
      kept = kept.sort((a, b) => compareCodePoints(a.text, b.text)).slice(0, wanted);
    };
    for await (const batch of this.#rows(pattern, 'o')) {
      for (const term of this.snapshot.decode(batch.column('o'), batch.rows)) {
        kept.push({ term, text: termToString(term) });
      }
      if (kept.length > 2 * wanted + PROBED_FACTS_MAX) keepFirst();
    }
    keepFirst();
    return kept.map(({ term }) => term);
  }

  async *#rows(pattern: ScanPattern, column: 'p' | 'o') {
    const request = { graphs: this.graphs, pattern, time: CURRENT, order: 'SPOG', columns: [column] } as const;
    for (const batch of readRows(this.snapshot, request)) {
      throwIfStopped(this.control, WHAT);
      yield batch;
      await breathe();
    }
  }
}

/** Subjects with few triples, one after the other, and which of their triples are on the page. */
class FewSubjects implements Window {
  readonly subjects: Subject[] = [];
  from = 0;
  to = 0;

  /** `window`: as the first triple of the subject is number 0. */
  add(subject: Subject, window: Window): void {
    if (this.subjects.length === 0) ({ from: this.from, to: this.to } = window);
    this.subjects.push(subject);
  }

  clear(): void {
    this.subjects.length = 0;
  }
}

interface CountedPredicate {
  readonly id: TermId;
  readonly predicate: Term;
  readonly rows: number;
}
