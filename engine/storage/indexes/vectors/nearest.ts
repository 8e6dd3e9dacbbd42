/**
 * The vectors nearest to a query at one moment.
 *
 * 1. Which rows count, by time and candidates, is one set of bits; nothing is cut before it is complete.
 * 2. Few rows are scored by their vectors at once. `brute`, and `ann` up to a bound of rows, look at the codes of all of them
 *    (`code-search.ts`) and miss none.
 * 3. `ann` with more rows looks at the lists whose centres are nearest to the query, passing over those without rows that
 *    count, until centres are far below the last of the rows found; and at all rows in no list.
 */

import { type Control, throwIfStopped } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import { compareCodePoints } from '../../../base/text.js';
import type { TermId } from '../../ids/layout.js';
import { columnOf, decodeIds, lookInto } from '../../seam/rows.js';
import type { IndexView } from '../../seam/scan.js';
import { CodeSearch, type ScoredRow } from './code-search.js';
import { ListOrder, type NearList } from './list-order.js';
import type { LoadedVectors } from './loaded-vectors.js';
import { lookAtLists } from './look-at-lists.js';
import { MarkedRows } from './marked-rows.js';
import type { CodeSegment } from './plane-part.js';
import type { VectorState } from './stored-vectors.js';
import type { NearestEntity, NearestRequest, VectorsRequest } from './vector-reader.js';
import { floatsOf } from './vector-records.js';
import { readRow } from './vector-rows.js';

const WHAT = 'the search for vectors';
/** So few rows are scored by their vectors without a look at their codes. */
const DIRECT_ROWS = 64;
/** So many rows that count are all looked at, whatever is asked for. */
const EXHAUSTIVE_ROWS = 50_000;
/** Lists that are looked at before all others, so that what a row has to reach is high from the beginning. */
const FIRST_LISTS = 8;
/** Where so small a part of the rows counts, they are looked up one by one in the segments. */
const FEW_SHARE = 8;

/** What is read of the vectors that a view shows. */
export function nearestIn(
  view: IndexView,
  state: VectorState,
  request: NearestRequest,
  control: Control,
): NearestEntity[] {
  checkRequest(request, state);
  const { head } = state;
  if (head.rows === 0 || request.candidates?.length === 0) return [];
  throwIfStopped(control, WHAT);
  const search = new Nearest(view, state, request, control);
  try {
    return search.find();
  } finally {
    search.release();
  }
}

/** The vectors of some entities at a moment; of several of one entity that which came last. */
export function vectorsIn(state: VectorState, { entities, ...moment }: VectorsRequest): Map<TermId, Float32Array> {
  const vectors = new Map<TermId, Float32Array>();
  if (state.head.rows === 0 || entities.length === 0) return vectors;
  const marked = new MarkedRows(state, { ...moment, candidates: columnOf([...new Set(entities)]) });
  try {
    const ids = marked.loaded.memory.bigsAt(marked.loaded.entities, state.head.rows);
    const rows = new Map(marked.rows().map((row) => [ids[row] as TermId, row]));
    for (const [entity, row] of rows) vectors.set(entity, floatsOf(marked.vectorOf(row)));
    return vectors;
  } finally {
    marked.release();
  }
}

function checkRequest({ query, limit }: NearestRequest, { head }: VectorState): void {
  if (!(Number.isInteger(limit) && limit >= 1)) {
    throw new SvcError('invalid_request', `limit is ${limit}; it is a whole number of at least 1`);
  }
  if (!query.every(Number.isFinite)) {
    throw new SvcError('invalid_request', 'the vector of the query has a number that is not finite');
  }
  if (head.dimension !== null && query.length !== head.dimension) {
    const [asked, is] = [`${query.length} numbers`, `${head.dimension} (${head.model})`];
    throw new SvcError('invalid_request', `the vector of the query has ${asked}, those of the store have ${is}`, {
      hint: 'make the vector of the query with the model of the store',
    });
  }
}

class Nearest {
  readonly #view: IndexView;
  readonly #state: VectorState;
  readonly #request: NearestRequest;
  readonly #control: Control;
  readonly #marked: MarkedRows;
  readonly #loaded: LoadedVectors;
  /** Few rows count, so that they are gone by the places where they stand. */
  readonly #isFew: boolean;

  constructor(view: IndexView, state: VectorState, request: NearestRequest, control: Control) {
    this.#view = view;
    this.#state = state;
    this.#request = request;
    this.#control = control;
    this.#marked = new MarkedRows(state, request);
    this.#loaded = this.#marked.loaded;
    this.#isFew = this.#marked.bits !== 0 && FEW_SHARE * this.#marked.count <= state.head.rows;
  }

  release(): void {
    this.#marked.release();
  }

  /**
   * Rows of one entity may count at once, where transactions were given times that go back: the best is the entity's. So it
   * asks for more rows while entities are missing.
   */
  find(): NearestEntity[] {
    const { limit } = this.#request;
    for (let wanted = limit; ; wanted *= 2) {
      const rows = this.#best(Math.min(wanted, this.#marked.count));
      const found = this.#entitiesOf(rows);
      if (found.length >= limit || rows.length >= this.#marked.count || this.#isComplete(rows, wanted)) {
        return this.#told(this.#sorted(found).slice(0, limit));
      }
    }
  }

  /** Fewer rows than were wanted: there are no more within what was looked at. */
  #isComplete(rows: readonly ScoredRow[], wanted: number): boolean {
    return rows.length < wanted;
  }

  // What they score.

  #best(limit: number): ScoredRow[] {
    if (this.#marked.count === 0) return [];
    const { memory, stride } = this.#loaded;
    const search = new CodeSearch(memory, this.#request.query, stride, Math.max(1, limit));
    try {
      if (this.#marked.bits !== 0 && this.#marked.count <= DIRECT_ROWS) {
        return this.#marked
          .rows()
          .map((row) => ({ row, score: search.scoreOf(this.#marked.vectorOf(row)) }))
          .sort((a, b) => b.score - a.score || a.row - b.row);
      }
      this.#look(search);
      return search.best((row) => this.#marked.vectorOf(row));
    } finally {
      search.release();
    }
  }

  #look(search: CodeSearch): void {
    const segments = this.#loaded.segments(this.#state);
    const withLists = segments.filter(({ listEnds }) => listEnds.length > 0);
    const order = new ListOrder(this.#loaded.memory, search, withLists);
    const isExhaustive = this.#request.backend === 'brute' || this.#marked.count <= EXHAUSTIVE_ROWS;
    if (isExhaustive) {
      const first = Array.from({ length: Math.min(FIRST_LISTS, order.count) }, (_, at) => order.list(at));
      for (const { segment, from, to } of first) this.#lookAt(search, segment, from, to);
      for (const segment of segments) this.#lookAtOthers(search, segment, first);
    } else {
      for (const segment of segments) {
        if (!withLists.includes(segment)) this.#lookAt(search, segment, 0, segment.rows);
      }
      this.#lookAtLists(search, order);
    }
  }

  /** Looks at all codes of a segment that are in none of some lists. */
  #lookAtOthers(search: CodeSearch, segment: CodeSegment, lists: readonly NearList[]): void {
    const own = lists.filter((list) => list.segment === segment).sort((a, b) => a.from - b.from);
    let at = 0;
    for (const { from, to } of own) {
      this.#lookAt(search, segment, at, from);
      at = to;
    }
    this.#lookAt(search, segment, at, segment.rows);
  }

  /** Looks at the codes at some places of a segment; returns how many of them count. */
  #lookAt(search: CodeSearch, segment: CodeSegment, from: number, to: number): number {
    const placeBits = this.#isFew ? this.#marked.placeBits(segment) : 0;
    const marks = { bits: placeBits === 0 ? this.#marked.bits : placeBits, isByPlace: placeBits !== 0 };
    return search.lookAt(segment, from, to, marks, () => throwIfStopped(this.#control, WHAT));
  }

  #lookAtLists(search: CodeSearch, order: ListOrder): void {
    const shareOf = this.#isFew ? (list: NearList): number => this.#marked.shareOf(list) ?? 1 : undefined;
    const asked = { limit: this.#request.limit, hasFilter: this.#marked.bits !== 0, shareOf };
    lookAtLists(search, order, asked, ({ segment, from, to }) => this.#lookAt(search, segment, from, to));
  }

  // Whose they are.

  #entitiesOf(rows: readonly ScoredRow[]): { readonly entity: TermId; readonly row: number; readonly score: number }[] {
    const { memory, entities } = this.#loaded;
    const ids = memory.bigsAt(entities, this.#state.head.rows);
    const seen = new Set<TermId>();
    return rows.flatMap(({ row, score }) => {
      const entity = ids[row] as TermId;
      if (seen.has(entity)) return [];
      seen.add(entity);
      return [{ entity, row, score }];
    });
  }

  /** Those of one score by IRI. */
  #sorted<Found extends { readonly entity: TermId; readonly score: number }>(found: readonly Found[]): Found[] {
    const tied = found.filter(({ score }, at) => found[at - 1]?.score === score || found[at + 1]?.score === score);
    if (tied.length === 0) return [...found];
    const names = lookInto(this.#view.snapshot(), (snapshot) =>
      decodeIds(
        snapshot,
        tied.map(({ entity }) => entity),
      ),
    );
    const nameOf = new Map(tied.map(({ entity }, at) => [entity, names[at]?.value ?? '']));
    return [...found].sort(
      (a, b) => b.score - a.score || compareCodePoints(nameOf.get(a.entity) ?? '', nameOf.get(b.entity) ?? ''),
    );
  }

  #told(found: readonly { readonly entity: TermId; readonly row: number; readonly score: number }[]): NearestEntity[] {
    const { head, store, transaction } = this.#state;
    const asOf = this.#request.asOf ?? Number.POSITIVE_INFINITY;
    return found.map(({ entity, row, score }) => {
      const end = this.#loaded.endOf(row, this.#state);
      const { validFrom } = readRow(store, head, row, transaction);
      return { entity, score, validFrom, validTo: end === null || end.tx > asOf ? null : end.validTo };
    });
  }
}
