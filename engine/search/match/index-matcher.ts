/**
 * Finds by the text index.
 *
 *  1. Literals come by the worth of their words, the best first. What an entity is worth is that of its best literal, more by
 *     some where the fact is a name; all divided by the best. More literals are asked for until none that is left could
 *     change who is among the best.
 *  2. Values within ids, such as numbers, have no place in the index: one that the query names counts as one fact in common.
 *  3. The IRI of an entity that contains the query is a match as well: in full where the words of its local name are those of the
 *     query, one behind the other, and half elsewhere, as a match in the IRI of a value does.
 */

import { breathe, type Control } from '../../base/control.js';
import { compareCodePoints } from '../../base/text.js';
import { payloadOfHalves } from '../../storage/ids/halves.js';
import { makeId, payloadOf, TAG, type TermId } from '../../storage/ids/layout.js';
import { type Pace, paceOf } from '../../storage/indexes/text/pace.js';
import { wordsOf } from '../../storage/indexes/text/words.js';
import { localName } from '../../storage/indexes/vectors/entity-text.js';
import { decodeIds, idIn, ROOT_ONLY } from '../../storage/seam/rows.js';
import type { IdColumn, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { isIri } from './best-by-iri.js';
import { holds, idSet } from './entity-set.js';
import { KIND_SCORES, rowsOf } from './substring-matcher.js';
import type { ContainingRequest, Matches, MatchKind, MatchRequest, TextMatch, TextMatcher } from './text-matcher.js';
import { isNarrowed, type Texts, textsOf } from './texts-of.js';
import { namedValues, valuesContaining } from './values-within-ids.js';

const WHAT = 'the search';
/** What a name is worth against another literal. */
const NAME_WEIGHT = 1.3;
/** Literals that are asked for at first, for each entity that is wanted, and times that when they do not suffice. */
const LITERALS_EACH = 3;
const LITERALS_LEAST = 16;
const MORE = 8;
/** Of so few entities that may be found, their literals alone are ranked. */
const FEW_ENTITIES = 4096;

export const INDEX_MATCHER: TextMatcher = { backend: 'index', directHits, containing };

async function directHits(snapshot: StorageSnapshot, request: MatchRequest, control: Control): Promise<Matches> {
  const search = new IndexSearch(snapshot, request, control);
  if (request.kinds.includes('label') || request.kinds.includes('literal')) await search.byWords();
  if (request.kinds.includes('iri') || request.kinds.includes('object')) await search.byIris();
  return search.best();
}

interface Best {
  score: number;
  kind: MatchKind;
  predicate: TermId | null;
  value: TermId | null;
}

class IndexSearch {
  readonly #texts: Texts;
  readonly #names: ReadonlySet<TermId>;
  /** By the number of the entity's term. */
  readonly #found = new Map<number, Best>();
  readonly #pace: Pace;

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly request: MatchRequest,
    control: Control,
  ) {
    this.#pace = paceOf(control, WHAT);
    this.#texts = textsOf(snapshot);
    this.#names = new Set(request.labels);
  }

  async byWords(): Promise<void> {
    const { query, limit, scope } = this.request;
    const blind = isNarrowed(this.snapshot);
    const within =
      scope !== null && scope.length / 2 <= FEW_ENTITIES ? this.#texts.bitOf(this.#valuesOf(scope)) : undefined;
    let seen = 0;
    for (let wanted = LITERALS_LEAST + LITERALS_EACH * limit; ; wanted *= MORE) {
      const { ids, scores, isAll } = this.#texts.best(query, wanted, { blind, within }, this.#pace);
      this.#take(ids.slice(seen), scores.subarray(seen));
      seen = ids.length;
      const rest = isAll ? 0 : NAME_WEIGHT * (scores[ids.length - 1] ?? 0);
      if (rest === 0 || rest < this.#least(limit)) break;
      await breathe();
    }
    let most = 0;
    for (const { score } of this.#found.values()) most = Math.max(most, score);
    for (const best of this.#found.values()) best.score /= most;
    const values = namedValues(this.snapshot, query);
    this.#take(values, new Float64Array(values.length).fill(KIND_SCORES.literal), 1);
  }

  /** The least score among the best so many; 0 while there are fewer. */
  #least(count: number): number {
    if (this.#found.size < count) return 0;
    const scores = Float64Array.from(this.#found.values(), ({ score }) => score).sort();
    return scores[scores.length - count] as number;
  }

  #valuesOf(entities: IdColumn): TermId[] {
    const ids: TermId[] = [];
    for (const { rows, o } of rowsOf(this.snapshot, entities, this.request.time)) {
      for (let row = 0; row < rows; row++) ids.push(idIn(o, row));
      this.#pace();
    }
    return ids;
  }

  /** Notes the entities of some values. */
  #take(values: readonly TermId[], scores: Float64Array, nameWeight = NAME_WEIGHT): void {
    const keys = idSet(values);
    const places = new Map(values.map((id, at) => [id, at]));
    const scoreOfKey = Float64Array.from({ length: keys.length / 2 }, (_, key) => {
      return scores[places.get(idIn(keys, key)) as number] as number;
    });
    // Rows of one value come together, and mostly by one predicate.
    let [lastLow, lastHigh, isName] = [-1, -1, false];
    for (const { rows, s, p, o, keys: keyOf } of subjectsOf(this.snapshot, keys, this.request.time)) {
      this.#pace();
      for (let row = 0; row < rows; row++) {
        if (!isIri(s, row)) continue;
        const [low, high] = [p[2 * row] as number, p[2 * row + 1] as number];
        if (low !== lastLow || high !== lastHigh) {
          isName = this.#names.has(idIn(p, row));
          [lastLow, lastHigh] = [low, high];
        }
        const score = (scoreOfKey[keyOf[row] as number] as number) * (isName ? nameWeight : 1);
        const known = this.#found.get(numberIn(s, row));
        if (known !== undefined && known.score > score) continue;
        const kind = isName ? 'label' : 'literal';
        this.#note(idIn(s, row), { score, kind, predicate: idIn(p, row), value: idIn(o, row) });
      }
    }
  }

  #note(entity: TermId, match: Best): void {
    const { scope, kinds } = this.request;
    if (!kinds.includes(match.kind) || (scope !== null && !holds(scope, entity))) return;
    const number = Number(payloadOf(entity));
    const known = this.#found.get(number);
    if (known === undefined || isBetter(match, known)) this.#found.set(number, match);
  }

  async byIris(): Promise<void> {
    const { query, time, kinds } = this.request;
    const ids = this.#texts.containing(query, 'iris', this.#pace);
    const words = wordsOf(query);
    for (let from = 0; from < ids.length; from += 2 * IRIS_AT_ONCE) {
      const column = ids.slice(from, from + 2 * IRIS_AT_ONCE);
      if (kinds.includes('iri')) {
        const there = new Set<TermId>();
        for (const { rows, s } of rowsOf(this.snapshot, column, time)) {
          for (let row = 0; row < rows; row++) there.add(idIn(s, row));
        }
        const entities = [...there];
        for (const [at, term] of decodeIds(this.snapshot, entities).entries()) {
          const score = namesIt(localName(term.value), words) ? KIND_SCORES.iri : KIND_SCORES.object;
          this.#note(entities[at] as TermId, { score, kind: 'iri', predicate: null, value: null });
        }
      }
      if (kinds.includes('object')) {
        for (const { rows, s, p, o } of subjectsOf(this.snapshot, column, time)) {
          for (let row = 0; row < rows; row++) {
            if (!isIri(s, row)) continue;
            const match = { score: KIND_SCORES.object, predicate: idIn(p, row), value: idIn(o, row) };
            this.#note(idIn(s, row), { ...match, kind: 'object' });
          }
        }
      }
      this.#pace();
      await breathe();
    }
  }

  best(): Matches {
    const { limit } = this.request;
    const all = [...this.#found].map(([number, match]): TextMatch => {
      return { entity: makeId(TAG.iri, 0, BigInt(number)), ...match };
    });
    all.sort((a, b) => b.score - a.score);
    // Those that tie with the last of them are told apart by their IRIs.
    const last = all[Math.min(limit, all.length) - 1]?.score ?? 0;
    const tied = all.filter(({ score }) => score >= last);
    const names = decodeIds(
      this.snapshot,
      tied.map(({ entity }) => entity),
    );
    const named = tied.map((match, at) => ({ match, iri: names[at]?.value ?? '' }));
    named.sort((a, b) => b.match.score - a.match.score || compareCodePoints(a.iri, b.iri));
    return { matches: named.slice(0, limit).map(({ match }) => match), found: all.length };
  }
}

const IRIS_AT_ONCE = 4096;

/** By score, then the kind that tells more, then by ids, so that the same is always told. */
function isBetter(one: Best, other: Best): boolean {
  if (one.score !== other.score) return one.score > other.score;
  const [kind, otherKind] = [KIND_SCORES[one.kind], KIND_SCORES[other.kind]];
  if (kind !== otherKind) return kind > otherKind;
  const [p, otherP] = [one.predicate ?? 0n, other.predicate ?? 0n];
  return p < otherP || (p === otherP && (one.value ?? 0n) < (other.value ?? 0n));
}

/** Whether the words of a local name are those of a query in a row. */
function namesIt(local: string, words: readonly string[]): boolean {
  const own = wordsOf(local);
  return words.length > 0 && own.some((_, at) => words.every((word, i) => own[at + i] === word));
}

/** Rows of facts, each with the place of its value among those that were asked for. */
interface FoundRows {
  readonly rows: number;
  readonly s: IdColumn;
  readonly p: IdColumn;
  readonly o: IdColumn;
  readonly keys: Uint32Array;
}

function numberIn(column: IdColumn, row: number): number {
  return payloadOfHalves(column[2 * row] as number, column[2 * row + 1] as number);
}

/** The rows of ROOT with some values, ascending, by value. */
function* subjectsOf(snapshot: StorageSnapshot, values: IdColumn, time: TimeSlice): Generator<FoundRows> {
  const count = values.length / 2;
  if (count === 0) return;
  const request = {
    graphs: ROOT_ONLY,
    pattern: {},
    order: 'OSPG',
    time,
    keys: ['o'],
    columns: ['s', 'p', 'o'],
  } as const;
  const probe = snapshot.probe(request);
  try {
    probe.begin([values], count);
    for (let batch = probe.next(); batch !== null; batch = probe.next()) {
      const { rows, columns, keys } = batch;
      if (rows > 0) yield { rows, s: columns.s as IdColumn, p: columns.p as IdColumn, o: columns.o as IdColumn, keys };
    }
  } finally {
    probe.close();
  }
}

async function containing(
  snapshot: StorageSnapshot,
  { text, time, position }: ContainingRequest,
  control: Control,
): Promise<IdColumn> {
  const pace = paceOf(control, WHAT);
  const found = textsOf(snapshot).containing(text, position === 'p' ? 'iris' : 'both', pace);
  const values = position === 'p' ? [] : valuesContaining(snapshot, text, time, pace);
  if (values.length === 0) return found;
  // Values within ids come behind the terms of the dictionary that have a text.
  const within = idSet(values);
  const all = new Uint32Array(found.length + within.length);
  all.set(found);
  all.set(within, found.length);
  return all;
}
