/**
 * Finds by scanning (semantics of reasoning, 9.3): the text, whole, without regard to case, in the IRI of an entity or in
 * one of its literals.
 *
 *  1. The rows of ROOT are read in the order of their values, so that each distinct term is looked into once; where the
 *     entities that may be found are few, their rows alone are read.
 *  2. What of an entity matched best is kept beside its id.
 *  3. Entities of one score are ordered by IRI, and only as many as are wanted are kept.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { compareCodePoints } from '../../base/text.js';
import { formatTerm } from '../../query/algebra/expression.js';
import { payloadOfHalves } from '../../storage/ids/halves.js';
import { makeId, TAG, type TermId } from '../../storage/ids/layout.js';
import { columnOf, decodeIds, idIn, pickedRows, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { BestByIri, ENTITIES_AT_ONCE, isIri, type NamedEntity, offerEntities } from './best-by-iri.js';
import { Containment } from './containment.js';
import { asColumn, hasId, idSet } from './entity-set.js';
import {
  type ContainingRequest,
  MATCH_KINDS,
  type Matches,
  type MatchKind,
  type MatchRequest,
  type TextMatch,
  type TextMatcher,
} from './text-matcher.js';

/** Semantics of reasoning, 9.3 and 9.5. */
export const KIND_SCORES: Readonly<Record<MatchKind, number>> = { iri: 1, label: 0.9, literal: 0.7, object: 0.5 };

const WHAT = 'the search';
/** Rows of so many entities are read instead of all. */
const FEW_ENTITIES = 4096;

export const SUBSTRING_MATCHER: TextMatcher = { backend: 'substring', directHits, containing };

async function directHits(snapshot: StorageSnapshot, request: MatchRequest, control: Control): Promise<Matches> {
  const search = new EntitySearch(snapshot, request);
  for (const step of search.steps()) {
    step();
    throwIfStopped(control, WHAT);
    await breathe();
  }
  return search.best(control);
}

class EntitySearch {
  readonly #text: Containment;
  readonly #labels: ReadonlySet<TermId>;
  /** By the number of the entity's term the place of its best kind in `MATCH_KINDS`. */
  readonly #found = new Map<number, number>();

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly request: MatchRequest,
  ) {
    this.#text = new Containment(request.query);
    this.#labels = new Set(request.labels);
  }

  /** Pieces of the work; between two of them it may be stopped. */
  *steps(): Generator<() => void> {
    const { scope, time, kinds } = this.request;
    const rows = { graphs: ROOT_ONLY, time } as const;
    if (scope !== null && scope.length / 2 <= FEW_ENTITIES) {
      if (kinds.includes('iri')) yield () => this.#own(scope);
      for (const batch of rowsOf(this.snapshot, scope, time)) yield () => this.#values(batch);
      return;
    }
    let last: TermId | null = null;
    const subjects = { ...rows, pattern: {}, order: 'SPOG', columns: ['s'] } as const;
    for (const batch of kinds.includes('iri') ? readRows(this.snapshot, subjects) : []) {
      const s = distinct(batch.column('s'), batch.rows, last);
      last = batch.id('s', batch.rows - 1);
      yield () => this.#own(s);
    }
    const values = { ...rows, pattern: {}, order: 'OSPG', columns: ['s', 'p', 'o'] } as const;
    for (const batch of readRows(this.snapshot, values)) {
      const [s, p, o] = [batch.column('s'), batch.column('p'), batch.column('o')];
      yield () => this.#values({ rows: batch.rows, s, p, o });
    }
  }

  /** The best of what was found. */
  async best(control: Control): Promise<Matches> {
    const matches: TextMatch[] = [];
    for (const [place, kind] of MATCH_KINDS.entries()) {
      const wanted = this.request.limit - matches.length;
      if (wanted === 0) break;
      const first = await this.#first(place, wanted, control);
      for (const { entity } of first) {
        matches.push({ entity, score: KIND_SCORES[kind], kind, ...this.#witness(entity, kind) });
      }
    }
    return { matches, found: this.#found.size };
  }

  async #first(place: number, limit: number, control: Control): Promise<NamedEntity[]> {
    const best = new BestByIri(limit);
    let some: TermId[] = [];
    const offer = async (): Promise<void> => {
      offerEntities(this.snapshot, columnOf(some), some.length, best);
      some = [];
      throwIfStopped(control, WHAT);
      await breathe();
    };
    for (const [number, kind] of this.#found) {
      if (kind !== place) continue;
      some.push(makeId(TAG.iri, 0, BigInt(number)));
      if (some.length === ENTITIES_AT_ONCE) await offer();
    }
    if (some.length > 0) await offer();
    return best.sorted();
  }

  /** The first fact by predicate and value that makes it this kind of match. */
  #witness(entity: TermId, kind: MatchKind): { readonly predicate: TermId | null; readonly value: TermId | null } {
    if (kind === 'iri') return { predicate: null, value: null };
    const found: { readonly predicate: TermId; readonly value: TermId }[] = [];
    for (const { rows, p, o } of rowsOf(this.snapshot, columnOf([entity]), this.request.time)) {
      const isIn = this.#text.test(this.snapshot, o, rows, kind === 'object' ? 'iris' : 'literals');
      for (let row = 0; row < rows; row++) {
        const predicate = idIn(p, row);
        if (isIn[row] !== 1 || (kind === 'label' && !this.#labels.has(predicate))) continue;
        found.push({ predicate, value: idIn(o, row) });
      }
    }
    const names = decodeIds(
      this.snapshot,
      found.flatMap(({ predicate, value }) => [predicate, value]),
    );
    const keyed = found.map((one, at) => ({
      one,
      predicate: formatTerm(names[2 * at] as (typeof names)[number]),
      value: formatTerm(names[2 * at + 1] as (typeof names)[number]),
    }));
    keyed.sort((a, b) => compareCodePoints(a.predicate, b.predicate) || compareCodePoints(a.value, b.value));
    return keyed[0]?.one ?? { predicate: null, value: null };
  }

  #own(subjects: IdColumn): void {
    const count = subjects.length / 2;
    const found = this.#text.test(this.snapshot, subjects, count, 'iris');
    for (let at = 0; at < count; at++) if (found[at] === 1) this.#note(subjects, at, 'iri');
  }

  #values({ rows, s, p, o }: ValueRows): void {
    const terms = distinctValues(o, rows);
    const found = this.#text.test(
      this.snapshot,
      terms.ids,
      terms.ids.length / 2,
      this.request.kinds.includes('object') ? 'both' : 'literals',
    );
    for (let row = 0; row < rows; row++) {
      if (found[terms.places[row] as number] !== 1) continue;
      if (isIri(o, row)) this.#note(s, row, 'object');
      else this.#note(s, row, this.#labels.has(idIn(p, row)) ? 'label' : 'literal');
    }
  }

  #note(subjects: IdColumn, row: number, kind: MatchKind): void {
    if (!isIri(subjects, row)) return;
    const [low, high] = [subjects[2 * row] as number, subjects[2 * row + 1] as number];
    const { scope, kinds } = this.request;
    if (!kinds.includes(kind) || (scope !== null && !hasId(scope, low, high))) return;
    const number = payloadOfHalves(low, high);
    const place = MATCH_KINDS.indexOf(kind);
    if (place < (this.#found.get(number) ?? MATCH_KINDS.length)) this.#found.set(number, place);
  }
}

interface ValueRows {
  readonly rows: number;
  readonly s: IdColumn;
  readonly p: IdColumn;
  readonly o: IdColumn;
}

/** The rows of some entities, ascending, by entity. */
export function* rowsOf(snapshot: StorageSnapshot, entities: IdColumn, time: TimeSlice): Generator<ValueRows> {
  const count = entities.length / 2;
  if (count === 0) return;
  const request = { graphs: ROOT_ONLY, pattern: {}, order: 'SPOG', time, keys: ['s'], columns: ['p', 'o'] } as const;
  const probe = snapshot.probe(request);
  try {
    probe.begin([entities], count);
    for (let batch = probe.next(); batch !== null; batch = probe.next()) {
      const { rows, keys, columns } = batch;
      if (rows === 0) continue;
      const [p, o] = [columns.p as IdColumn, columns.o as IdColumn];
      yield { rows, s: pickedRows(entities, keys.subarray(0, rows)), p: p.slice(0, 2 * rows), o: o.slice(0, 2 * rows) };
    }
  } finally {
    probe.close();
  }
}

/** The ids of a sorted column, each once, without the last one of the batch before. */
function distinct(ids: IdColumn, rows: number, last: TermId | null): IdColumn {
  const kept: number[] = [];
  for (let row = 0; row < rows; row++) {
    const same =
      row === 0
        ? last !== null && idIn(ids, 0) === last
        : ids[2 * row] === ids[2 * row - 2] && ids[2 * row + 1] === ids[2 * row - 1];
    if (!same) kept.push(row);
  }
  return pickedRows(ids, kept);
}

/** Values, each once, and of each row the place of its own among them. */
function distinctValues(ids: IdColumn, rows: number): { readonly ids: IdColumn; readonly places: Uint32Array } {
  const values = new BigUint64Array(rows);
  for (let row = 0; row < rows; row++) values[row] = idIn(ids, row);
  const sorted = values.slice().sort();
  let count = 0;
  for (let at = 0; at < rows; at++) {
    if (at === 0 || sorted[at] !== sorted[at - 1]) sorted[count++] = sorted[at] as bigint;
  }
  const kept = sorted.slice(0, count);
  const places = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) {
    places[row] =
      row > 0 && values[row] === values[row - 1] ? (places[row - 1] as number) : placeOf(kept, values[row] as bigint);
  }
  return { ids: asColumn(kept), places };
}

function placeOf(sorted: BigUint64Array, value: bigint): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] as bigint) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

async function containing(
  snapshot: StorageSnapshot,
  { text, time, position }: ContainingRequest,
  control: Control,
): Promise<IdColumn> {
  const test = new Containment(text);
  const found: TermId[] = [];
  const order = position === 'p' ? 'POSG' : 'OSPG';
  let last: TermId | null = null;
  for (const batch of readRows(snapshot, { graphs: ROOT_ONLY, pattern: {}, order, time, columns: [position] })) {
    const ids = distinct(batch.column(position), batch.rows, last);
    last = batch.id(position, batch.rows - 1);
    const isIn = test.test(snapshot, ids, ids.length / 2, 'both');
    for (let at = 0; at < isIn.length; at++) if (isIn[at] === 1) found.push(idIn(ids, at));
    throwIfStopped(control, WHAT);
    await breathe();
  }
  return idSet(found);
}
