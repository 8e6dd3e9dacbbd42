/**
 * Facts whose predicate or value holds a text (semantics of reasoning, 9.5), by source, predicate and target, each once,
 * with an episode that wrote its source.
 *
 *  1. The predicates and the values that hold the text are found, then the subjects of their rows.
 *  2. As many of the subjects as may be needed are kept, the first by IRI.
 *  3. Their rows are sorted.
 */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { compareCodePoints } from '../base/text.js';
import { formatTerm } from '../query/algebra/expression.js';
import type { Term } from '../rdf/terms.js';
import { TAG, type TermId } from '../storage/ids/layout.js';
import { columnOf, decodeIds, exactly, idIn, ROOT_ONLY, readRows } from '../storage/seam/rows.js';
import type { IdColumn, ScanPattern, StorageSnapshot, TimeSlice } from '../storage/seam/scan.js';
import { valueText } from './context/entity-card.js';
import { hasId, holds, idSet } from './match/entity-set.js';
import { activitiesOf, GENERATED_BY } from './match/scope.js';
import { rowsOf } from './match/substring-matcher.js';
import type { TextMatcher } from './match/text-matcher.js';

export interface FactRequest {
  readonly query: string;
  readonly time: TimeSlice;
  /** Subjects that may be found; null = all. */
  readonly scope: IdColumn | null;
  readonly offset: number;
  readonly limit: number;
  readonly groupIds: readonly string[];
  readonly baseNamespace: string;
}

export interface FoundFact {
  readonly source: Term;
  readonly predicate: Term;
  readonly target: Term;
  /** The IRI of an episode that wrote the source, the first of those that are asked about; null = there is none. */
  readonly episode: string | null;
}

export interface FoundFacts {
  readonly facts: readonly FoundFact[];
  /** There are more. */
  readonly truncated: boolean;
}

const WHAT = 'the search';
/** Values that are looked up one by one before all rows are read. */
const FEW_VALUES = 256;
const SUBJECTS_AT_ONCE = 4096;

export async function findFacts(
  snapshot: StorageSnapshot,
  matcher: TextMatcher,
  request: FactRequest,
  control: Control,
): Promise<FoundFacts> {
  const { query: text, time, offset, limit } = request;
  const predicates = await matcher.containing(snapshot, { text, time, position: 'p' }, control);
  const values = await matcher.containing(snapshot, { text, time, position: 'o' }, control);
  const search = new FactSearch(snapshot, request, { predicates, values }, control);
  const subjects = await search.subjects(offset + limit + 1);
  const rows: Row[] = [];
  for (const subject of subjects) {
    rows.push(...search.rowsOf(subject));
    if (rows.length > offset + limit) break;
  }
  const page = rows.slice(offset, offset + limit);
  return { facts: search.withEpisodes(page), truncated: rows.length > offset + limit };
}

interface Subject {
  readonly id: TermId;
  readonly text: string;
  readonly term: Term;
}

interface Row {
  readonly subject: Subject;
  readonly predicate: Term;
  readonly target: Term;
}

class FactSearch {
  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly request: FactRequest,
    private readonly found: { readonly predicates: IdColumn; readonly values: IdColumn },
    private readonly control: Control,
  ) {}

  /** The first subjects that have such a row, by IRI. */
  async subjects(limit: number): Promise<Subject[]> {
    let kept: Subject[] = [];
    let waiting = new Set<TermId>();
    const { scope } = this.request;
    const offer = (): void => {
      const ids = [...waiting];
      for (const [at, term] of decodeIds(this.snapshot, ids).entries()) {
        kept.push({ id: ids[at] as TermId, text: valueText(term), term });
      }
      const known = new Set<TermId>();
      kept = kept.filter(({ id }) => known.size !== known.add(id).size);
      kept = kept.sort((a, b) => compareCodePoints(a.text, b.text)).slice(0, limit);
      waiting = new Set();
    };
    for (const s of this.#subjectRows()) {
      for (let row = 0; row < s.length / 2; row++) {
        if (scope === null || hasId(scope, s[2 * row] as number, s[2 * row + 1] as number)) waiting.add(idIn(s, row));
      }
      if (waiting.size >= SUBJECTS_AT_ONCE) offer();
      throwIfStopped(this.control, WHAT);
      await breathe();
    }
    offer();
    return kept;
  }

  /** Subjects of rows that hold the text, in batches, with repetitions. */
  *#subjectRows(): Generator<IdColumn> {
    const { predicates, values } = this.found;
    const { time } = this.request;
    const request = (pattern: ScanPattern) => ({ graphs: ROOT_ONLY, pattern, time }) as const;
    for (let at = 0; at < predicates.length / 2; at++) {
      const pattern = { p: exactly(idIn(predicates, at)) };
      for (const batch of readRows(this.snapshot, { ...request(pattern), columns: ['s'] })) yield batch.column('s');
    }
    if (values.length / 2 <= FEW_VALUES) {
      for (let at = 0; at < values.length / 2; at++) {
        const pattern = { o: exactly(idIn(values, at)) };
        for (const batch of readRows(this.snapshot, { ...request(pattern), columns: ['s'] })) yield batch.column('s');
      }
      return;
    }
    for (const batch of readRows(this.snapshot, { ...request({}), order: 'OSPG', columns: ['s', 'o'] })) {
      const [s, o] = [batch.column('s'), batch.column('o')];
      const kept = new Uint32Array(s.length);
      let length = 0;
      for (let at = 0; at < s.length; at += 2) {
        if (!hasId(values, o[at] as number, o[at + 1] as number)) continue;
        kept[length++] = s[at] as number;
        kept[length++] = s[at + 1] as number;
      }
      yield kept.subarray(0, length);
    }
  }

  /** The rows of a subject that hold the text, by predicate and target. */
  rowsOf(subject: Subject): Row[] {
    const { predicates, values } = this.found;
    const ids: TermId[] = [];
    for (const { rows, p, o } of rowsOf(this.snapshot, columnOf([subject.id]), this.request.time)) {
      for (let row = 0; row < rows; row++) {
        const [predicate, value] = [idIn(p, row), idIn(o, row)];
        if (holds(predicates, predicate) || holds(values, value)) ids.push(predicate, value);
      }
    }
    const terms = decodeIds(this.snapshot, ids);
    const found: Row[] = [];
    for (let at = 0; at < terms.length; at += 2) {
      found.push({ subject, predicate: terms[at] as Term, target: terms[at + 1] as Term });
    }
    return found.sort(
      (a, b) =>
        compareCodePoints(a.predicate.value, b.predicate.value) ||
        compareCodePoints(valueText(a.target), valueText(b.target)) ||
        compareCodePoints(formatTerm(a.target), formatTerm(b.target)),
    );
  }

  withEpisodes(rows: readonly Row[]): FoundFact[] {
    const episodes = this.#episodes([...new Set(rows.map(({ subject }) => subject.id))]);
    return rows.map(({ subject, predicate, target }) => ({
      source: subject.term,
      predicate,
      target,
      episode: episodes.get(subject.id) ?? null,
    }));
  }

  /** By subject the first episode by IRI, of the groups if there are some. */
  #episodes(subjects: readonly TermId[]): ReadonlyMap<TermId, string> {
    const first = new Map<TermId, string>();
    const p = this.snapshot.encode(GENERATED_BY);
    if (p === null) return first;
    const { groupIds, baseNamespace, time } = this.request;
    const wanted =
      groupIds.length === 0 ? null : idSet(activitiesOf(this.snapshot, groupIds, baseNamespace, time, this.control));
    for (const { rows, s, p: predicates, o } of rowsOf(this.snapshot, idSet(subjects), time)) {
      const found: { readonly subject: TermId; readonly episode: TermId }[] = [];
      for (let row = 0; row < rows; row++) {
        const episode = idIn(o, row);
        const isEpisode = idIn(predicates, row) === p && (o[2 * row + 1] as number) >>> 24 === TAG.iri;
        if (isEpisode && (wanted === null || holds(wanted, episode))) found.push({ subject: idIn(s, row), episode });
      }
      const names = decodeIds(
        this.snapshot,
        found.map(({ episode }) => episode),
      );
      for (const [at, { subject }] of found.entries()) {
        const iri = (names[at] as Term).value;
        const known = first.get(subject);
        if (known === undefined || compareCodePoints(iri, known) < 0) first.set(subject, iri);
      }
    }
    return first;
  }
}
