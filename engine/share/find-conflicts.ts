/**
 * Where a merge leaves a predicate of a subject with more values than a local shape allows, and did not find it so (semantics
 * text 6.10). Only places where the merge asserts something are looked at; which shapes count for a subject is asked of the
 * store as the merge would leave it.
 */

import { addTo, getOrInsert } from '../base/maps.js';
import { termToString } from '../rdf/canonical/lines.js';
import { type Quad, ROOT_GRAPH_IRI, type Term, terms } from '../rdf/terms.js';
import { lowOf } from '../storage/ids/halves.js';
import { ROOT_ID, type TermId } from '../storage/ids/layout.js';
import { columnOf, decodeIds, idIn, patternOf, readIds } from '../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';
import type { GraphSet } from '../storage/seam/source.js';
import { DataGraph } from '../validate/data/data-graph.js';
import { distinct } from '../validate/data/id-columns.js';
import type { Shapes } from '../validate/shapes/shapes.js';
import { canonicalTerm, compareCodePoints } from './canonical-lines.js';
import { addedRows, addedTerms, type ShareComparison } from './compare-share.js';
import { limitedPredicates, limitsAmong } from './count-limits.js';
import { type Conflict, decisionId } from './decisions.js';
import type { KnownBase } from './share-base.js';
import type { TripleIndex } from './triple-index.js';

export interface FoundConflict extends Conflict {
  readonly place: Place;
  /** The values as the merge would leave them. */
  readonly merged: readonly Term[];
  /** All values of base, ours and theirs by their texts. */
  readonly terms: ReadonlyMap<string, Term>;
}

interface Place {
  readonly subject: Quad['subject'];
  readonly predicate: Quad['predicate'];
}

export interface MergeStates {
  readonly before: StorageSnapshot;
  readonly after: StorageSnapshot;
}

/** In the order of subjects and predicates. */
export function findConflicts(shapes: Shapes, states: MergeStates, comparison: ShareComparison): FoundConflict[] {
  const crowded = crowdedPlaces(shapes, states, comparison);
  if (crowded.length === 0) return [];
  const theirs = theirValues(states.before, comparison, crowded);
  const base = baseValues(states.before, comparison, crowded);
  const conflicts = crowded.map((place) => {
    const { key } = place;
    return toConflict(place, { ours: place.ours, base: base.get(key) ?? [], theirs: theirs.get(key) ?? [] });
  });
  return conflicts.sort((one, other) => {
    const bySubject = compareCodePoints(one.subject, other.subject);
    return bySubject === 0 ? compareCodePoints(one.predicate, other.predicate) : bySubject;
  });
}

/** A place with more values than are allowed, which it did not have before. */
interface CrowdedPlace extends Place {
  readonly key: string;
  readonly subjectId: TermId;
  readonly predicateId: TermId;
  readonly most: number;
  readonly merged: readonly Term[];
  readonly ours: readonly Term[];
}

function crowdedPlaces(shapes: Shapes, states: MergeStates, comparison: ShareComparison): CrowdedPlace[] {
  const places = assertedPlaces(limitedPredicates(shapes), states, comparison);
  if (places.size === 0) return [];
  const { before, after } = states;
  const graph = graphSet(after, comparison.graph);
  const view = new DataGraph(after, comparison.graph ?? ROOT_GRAPH_IRI);
  try {
    const subjects = [...places.keys()];
    const limits = limitsAmong(shapes, distinct(columnOf(subjects), subjects.length), view);
    return [...places].flatMap(([subjectId, predicates]) =>
      [...predicates].flatMap((iri): CrowdedPlace[] => {
        const most = limits.get(subjectId)?.get(iri);
        if (most === undefined) return [];
        const predicate = terms.namedNode(iri);
        const predicateId = after.encode(predicate) as TermId;
        const merged = valuesOf(after, graph, subjectId, predicateId);
        const ours = valuesOf(before, graph, subjectId, predicateId);
        if (merged.length <= most || ours.length > most) return [];
        const subject = decodeIds(after, [subjectId])[0] as Quad['subject'];
        const key = keyOf({ subject, predicate });
        return [{ subject, predicate, key, subjectId, predicateId, most, merged, ours }];
      }),
    );
  } finally {
    view.close();
  }
}

function keyOf({ subject, predicate }: Place): string {
  return `${canonicalTerm(subject)} ${predicate.value}`;
}

/** Subjects that the merge gives values of limited predicates. */
function assertedPlaces(
  limited: ReadonlySet<string>,
  { before, after }: MergeStates,
  comparison: ShareComparison,
): Map<TermId, Set<string>> {
  const places = new Map<TermId, Set<string>>();
  if (limited.size === 0) return places;
  const put = (subject: TermId, predicate: string): void => {
    getOrInsert(places, subject, () => new Set()).add(predicate);
  };
  const ids = new Map<TermId, string>();
  for (const predicate of limited) {
    const id = before.encode(terms.namedNode(predicate));
    if (id !== null) ids.set(id, predicate);
  }
  const { known } = comparison.ground.added;
  for (const row of ids.size === 0 ? [] : addedRows(comparison)) {
    const predicate = ids.get(idIn(known.p, row));
    if (predicate !== undefined) put(idIn(known.s, row), predicate);
  }
  for (const { subject, predicate } of addedTerms(comparison)) {
    if (limited.has(predicate.value)) put(after.encode(subject) as TermId, predicate.value);
  }
  return places;
}

function graphSet(snapshot: StorageSnapshot, iri: string | null): GraphSet {
  const graph = iri === null ? ROOT_ID : snapshot.encode(terms.namedNode(iri));
  return graph === null ? { kind: 'some', graphs: [], merged: true } : { kind: 'one', graph };
}

function valuesOf(snapshot: StorageSnapshot, graphs: GraphSet, s: TermId, p: TermId): Term[] {
  const ids = [...readIds(snapshot, { graphs, pattern: patternOf({ s, p }), time: CURRENT }, 'o')];
  return decodeIds(snapshot, ids);
}

type Values = ReadonlyMap<string, readonly Term[]>;

/** What the base has at some places; nodes by the names that they have now. */
function baseValues(
  snapshot: StorageSnapshot,
  { base, blank }: ShareComparison,
  places: readonly CrowdedPlace[],
): Values {
  const values = placedValues(blank.base, places);
  for (const { key, subject, predicate } of base === null ? [] : places) {
    const [s, p] = [snapshot.encode(subject), snapshot.encode(predicate)];
    if (subject.termType === 'BlankNode' || s === null || p === null) continue;
    for (const value of valuesOf(snapshot, (base as KnownBase).graphs, s, p)) {
      if (value.termType !== 'BlankNode') addTo(values, key, value);
    }
  }
  return values;
}

/** What they added, and of ours what they have too. */
function theirValues(
  snapshot: StorageSnapshot,
  { ground: { added, lacking }, blank }: ShareComparison,
  places: readonly CrowdedPlace[],
): Values {
  const values = placedValues([...added.fresh, ...blank.theirs], places);
  const [ofAdded, ofLacking] = [placedIds(added.known, places), placedIds(lacking, places)];
  for (const { key, ours, subject } of places) {
    for (const term of decodeIds(snapshot, ofAdded.get(key) ?? [])) addTo(values, key, term);
    if (subject.termType === 'BlankNode') continue;
    const absent = new Set(decodeIds(snapshot, ofLacking.get(key) ?? []).map(textOf));
    for (const term of ours) {
      const isGround = term.termType === 'NamedNode' || term.termType === 'Literal';
      if (isGround && !absent.has(textOf(term))) addTo(values, key, term);
    }
  }
  return values;
}

/** Objects of the triples of an index at some places. */
function placedIds({ rows, s, p, o }: TripleIndex, places: readonly CrowdedPlace[]): Map<string, TermId[]> {
  const byPredicate = new Map<number, Map<TermId, Map<TermId, string>>>();
  for (const { subjectId, predicateId, key } of places) {
    const bySubject = getOrInsert(byPredicate, lowOf(predicateId), () => new Map());
    getOrInsert(bySubject, subjectId, () => new Map()).set(predicateId, key);
  }
  const found = new Map<string, TermId[]>();
  for (let row = 0; row < rows; row++) {
    // Most predicates are others; ids are made of the rest.
    const bySubject = byPredicate.get(p[2 * row] as number);
    const key = bySubject?.get(idIn(s, row))?.get(idIn(p, row));
    if (key !== undefined) addTo(found, key, idIn(o, row));
  }
  return found;
}

function placedValues(triples: readonly Quad[], places: readonly CrowdedPlace[]): Map<string, Term[]> {
  const wanted = new Set(places.map(({ key }) => key));
  const predicates = new Set(places.map(({ predicate }) => predicate.value));
  const values = new Map<string, Term[]>();
  for (const triple of triples) {
    if (!predicates.has(triple.predicate.value)) continue;
    const key = keyOf(triple);
    if (wanted.has(key)) addTo(values, key, triple.object as Term);
  }
  return values;
}

function toConflict(
  { subject: node, predicate: named, most, merged }: CrowdedPlace,
  lists: Readonly<Record<'base' | 'ours' | 'theirs', readonly Term[]>>,
): FoundConflict {
  const byText = new Map<string, Term>();
  const texts = (values: readonly Term[]): string[] => {
    const found = new Set<string>();
    for (const value of values) {
      const text = textOf(value);
      byText.set(text, value);
      found.add(text);
    }
    return [...found].sort(compareCodePoints);
  };
  const [subject, predicate] = [canonicalTerm(node), canonicalTerm(named)];
  return {
    id: decisionId(subject, predicate),
    subject,
    predicate,
    max_count: most,
    base: texts(lists.base),
    ours: texts(lists.ours),
    theirs: texts(lists.theirs),
    place: { subject: node, predicate: named },
    merged,
    terms: byText,
  };
}

/** The value as it stands in decisions. A triple term may be ours, and is shown. */
export function textOf(value: Term): string {
  return value.termType === 'Quad' ? termToString(value) : canonicalTerm(value);
}
