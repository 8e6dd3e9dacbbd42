/**
 * Subjects in the order of their texts, a page of which costs little more than the page:
 *
 * 1. The dictionary has ranges of numbers in which the order of ids is the order of texts (a load makes two). The
 *    subjects of each range are read by id, some at a time, and decoded; the ranges are merged.
 * 2. What came in small transactions is numbered as it came: those subjects are decoded and sorted at once.
 * 3. The order of N-Triples compares `<iri>` with its bracket: `<a/b>` stands before `<a>`. In the order of
 *    IRIs what belongs before `a` follows it directly, so `a` waits on a stack until that has passed.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { compareCodePoints } from '../../base/text.js';
import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import { makeId, TAG, TERM_NUMBER_MAX, type TermId } from '../../storage/ids/layout.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { NumberRange, StorageSnapshot } from '../../storage/seam/scan.js';
import { entityText } from './entity.js';
import type { CountedIds, SubjectIds } from './subject-ids.js';

export interface Subject {
  readonly id: TermId;
  readonly term: Term;
  /** By which subjects are ordered. */
  readonly key: string;
  /** Its rows. */
  readonly rows: number;
}

/** `iri`: as the texts of IRIs and `_:label`; `ntriples`: as the terms of N-Triples. */
export type SubjectOrder = 'iri' | 'ntriples';

/** Subjects that are decoded at a time: few first, since most pages are short. */
const FIRST_CHUNK = 32;
const CHUNK_MAX = 4096;

const KEYS: Readonly<Record<SubjectOrder, (term: Term) => string>> = { iri: entityText, ntriples: termToString };

/** Each subject once, in batches. */
export async function* orderedSubjects(
  snapshot: StorageSnapshot,
  ids: SubjectIds,
  order: SubjectOrder,
  control: Control,
): AsyncGenerator<Subject[]> {
  const toKey = KEYS[order];
  const ordered = snapshot.orderedTerms();
  const sources: SubjectSource[] = [];
  for (const range of ordered) {
    for (const tag of [TAG.blank, TAG.iri]) {
      const source = new SortedSource(snapshot, ids.between(idAt(tag, range.from), idAt(tag, range.to)), toKey);
      if (source.head !== null) sources.push(source);
    }
  }
  const rest = await sortedRest(snapshot, ids, gapsOf(ordered), toKey, control);
  if (rest.head !== null) sources.push(rest);
  yield* merged(sources, control);
}

async function* merged(sources: SubjectSource[], control: Control): AsyncGenerator<Subject[]> {
  let size = FIRST_CHUNK;
  while (sources.length > 0) {
    const batch: Subject[] = [];
    while (batch.length < size && sources.length > 0) {
      let least = sources[0] as SubjectSource;
      for (const source of sources) if (isBefore(source, least)) least = source;
      batch.push(least.head as Subject);
      least.advance();
      if (least.head === null) sources.splice(sources.indexOf(least), 1);
    }
    yield batch;
    size = Math.min(CHUNK_MAX, 2 * size);
    throwIfStopped(control, 'the listing');
    await breathe();
  }
}

function isBefore(a: SubjectSource, b: SubjectSource): boolean {
  return a !== b && compareCodePoints((a.head as Subject).key, (b.head as Subject).key) < 0;
}

interface SubjectSource {
  readonly head: Subject | null;
  advance(): void;
}

function idAt(tag: number, number: number): TermId {
  return makeId(tag, 0, BigInt(number));
}

function gapsOf(ranges: readonly NumberRange[]): NumberRange[] {
  const gaps: NumberRange[] = [];
  let from = 0;
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    if (range.from > from) gaps.push({ from, to: range.from });
    from = range.to;
  }
  gaps.push({ from, to: TERM_NUMBER_MAX });
  return gaps;
}

/** Subjects whose ids ascend as their texts do. */
class SortedSource implements SubjectSource {
  head: Subject | null = null;
  #size = FIRST_CHUNK;
  /** Ids that were read, and how many of them were decoded. */
  #read: CountedIds = { ids: [], rows: [] };
  #decoded = 0;
  #ready: Subject[] = [];
  #at = 0;
  /** Subjects that are passed by those that belong before them; keys descend. */
  readonly #waiting: Subject[] = [];

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly ids: Iterator<CountedIds>,
    private readonly toKey: (term: Term) => string,
  ) {
    this.advance();
  }

  advance(): void {
    for (;;) {
      const next = this.#peek();
      const top = this.#waiting.at(-1);
      if (top !== undefined && (next === null || compareCodePoints(top.key, next.key) < 0)) {
        this.head = top;
        this.#waiting.pop();
        return;
      }
      if (next === null) break;
      this.#waiting.push(next);
      this.#at++;
    }
    this.head = null;
  }

  #peek(): Subject | null {
    if (this.#at < this.#ready.length) return this.#ready[this.#at] as Subject;
    if (this.#decoded === this.#read.ids.length) {
      const more = this.ids.next();
      if (more.done) return null;
      this.#read = more.value;
      this.#decoded = 0;
    }
    const to = Math.min(this.#read.ids.length, this.#decoded + this.#size);
    this.#ready = subjectsOf(this.snapshot, this.#read, this.#decoded, to, this.toKey);
    this.#decoded = to;
    this.#at = 0;
    this.#size = Math.min(CHUNK_MAX, 2 * this.#size);
    return this.#ready[0] as Subject;
  }
}

async function sortedRest(
  snapshot: StorageSnapshot,
  ids: SubjectIds,
  gaps: readonly NumberRange[],
  toKey: (term: Term) => string,
  control: Control,
): Promise<SubjectSource> {
  const subjects: Subject[] = [];
  for (const gap of gaps) {
    for (const tag of [TAG.blank, TAG.iri]) {
      for (const read of ids.between(idAt(tag, gap.from), idAt(tag, gap.to))) {
        for (const subject of subjectsOf(snapshot, read, 0, read.ids.length, toKey)) subjects.push(subject);
        throwIfStopped(control, 'the listing');
        await breathe();
      }
    }
  }
  subjects.sort((a, b) => compareCodePoints(a.key, b.key));
  let at = 0;
  return {
    get head() {
      return subjects[at] ?? null;
    },
    advance: () => {
      at++;
    },
  };
}

function subjectsOf(
  snapshot: StorageSnapshot,
  { ids, rows }: CountedIds,
  from: number,
  to: number,
  toKey: (term: Term) => string,
): Subject[] {
  const some = ids.slice(from, to);
  return decodeIds(snapshot, some).map((term, at) => ({
    id: some[at] as TermId,
    term,
    key: toKey(term),
    rows: rows[from + at] as number,
  }));
}
