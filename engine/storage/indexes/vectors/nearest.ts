/**
 * The vectors nearest to a query at one moment.
 *
 * 1. Which rows count, by time and candidates, is one set of bits; nothing is cut before it is complete.
 * 2. Few rows are scored by their vectors at once. `brute`, and `ann` up to a bound of rows, look at the codes of all of them
 *    (`code-search.ts`) and miss none.
 * 3. `ann` with more rows looks at the lists whose centres are nearest to the query, passing over those without rows that
 *    count, until it has seen enough of both; and at all rows in no list.
 */

import { type Control, throwIfStopped } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import { compareCodePoints } from '../../../base/text.js';
import { isDictionaryTag, type TermId, tagOf } from '../../ids/layout.js';
import { columnOf, decodeIds, idIn, lookInto } from '../../seam/rows.js';
import type { IdColumn, IndexView } from '../../seam/scan.js';
import { type CodePart, PART_ROWS } from './code-part.js';
import { CodeSearch, type ScoredRow } from './code-search.js';
import { type CodeSegment, type LoadedVectors, loadedVectors, type VectorState } from './loaded-vectors.js';
import type { NearestEntity, NearestRequest } from './vector-reader.js';
import { DATABASE, valuesKey, valuesOfBlock, vectorBytesIn } from './vector-records.js';
import { readRow } from './vector-rows.js';

const WHAT = 'the search for vectors';
/** So few rows are scored by their vectors without a look at their codes. */
const DIRECT_ROWS = 64;
/** So many rows that count are all looked at, whatever is asked for. */
const EXHAUSTIVE_ROWS = 50_000;
/** Parts of codes that are looked at before it is asked whether to stop: some tenths of a millisecond. */
const PARTS_A_CHECK = 16;
/** Of lists with rows that count, at least so many for each root of their number, and of such rows so many for each that is wanted. */
const LISTS_FACTOR = 3;
const ROWS_FACTOR = 400;
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
  readonly #loaded: LoadedVectors;
  readonly #words: number;
  /** The bits of rows that count; 0 = all do. */
  #bits = 0;
  /** How many count. */
  #count: number;
  readonly #list: number;
  #value: { readonly block: number; readonly bytes: Buffer | undefined } | null = null;
  #parts = 0;

  constructor(view: IndexView, state: VectorState, request: NearestRequest, control: Control) {
    this.#view = view;
    this.#state = state;
    this.#request = request;
    this.#control = control;
    this.#loaded = loadedVectors(state);
    this.#words = Math.ceil(state.head.rows / 64);
    this.#count = state.head.rows;
    const { memory } = this.#loaded;
    this.#list = memory.allocate(4 * PART_ROWS);
    this.#mark();
  }

  release(): void {
    const { memory } = this.#loaded;
    memory.free(this.#list, 4 * PART_ROWS);
    if (this.#bits !== 0) this.#forgetBits();
  }

  /**
   * Rows of one entity may count at once, where transactions were given times that go back: the best is the entity's. So it
   * asks for more rows while entities are missing.
   */
  find(): NearestEntity[] {
    const { limit } = this.#request;
    for (let wanted = limit; ; wanted *= 2) {
      const rows = this.#best(Math.min(wanted, this.#count));
      const found = this.#entitiesOf(rows);
      if (found.length >= limit || rows.length >= this.#count || this.#isComplete(rows, wanted)) {
        return this.#told(this.#sorted(found).slice(0, limit));
      }
    }
  }

  /** Fewer rows than were wanted: there are no more within what was looked at. */
  #isComplete(rows: readonly ScoredRow[], wanted: number): boolean {
    return rows.length < wanted;
  }

  // Which rows count.

  #mark(): void {
    const { head } = this.#state;
    const { validAt, asOf, candidates } = this.#request;
    const isPast = validAt !== undefined || asOf !== undefined;
    if (!isPast && candidates === undefined && head.embedded === head.rows) return;
    const { memory } = this.#loaded;
    this.#bits = memory.allocate(8 * this.#words);
    if (isPast) this.#markPast();
    else this.#markCurrent();
    if (candidates !== undefined) this.#keepCandidates(candidates);
    this.#count = memory.kernels.countBits(this.#bits, this.#words);
    if (this.#count === head.rows) this.#forgetBits();
  }

  #forgetBits(): void {
    this.#loaded.memory.free(this.#bits, 8 * this.#words);
    this.#bits = 0;
  }

  #markCurrent(): void {
    const { memory, current, ends, endList } = this.#loaded;
    const { head } = this.#state;
    const { bytes } = memory;
    bytes.copyWithin(this.#bits, current, current + 8 * this.#words);
    for (let at = head.ends; at < ends; at++) {
      const { row } = endList[at] as (typeof endList)[number];
      if (row < head.rows) setBit(bytes, this.#bits, row);
    }
    for (let row = head.rows; row < 64 * this.#words; row++) clearBit(bytes, this.#bits, row);
  }

  #markPast(): void {
    const { memory, endList } = this.#loaded;
    const { head } = this.#state;
    const { validAt, asOf = Number.POSITIVE_INFINITY } = this.#request;
    const { tx, validFrom } = this.#loaded.times(this.#state);
    const { bytes, kernels } = memory;
    bytes.fill(0xff, this.#bits, this.#bits + 8 * this.#words);
    for (let row = head.rows; row < 64 * this.#words; row++) clearBit(bytes, this.#bits, row);
    if (asOf !== Number.POSITIVE_INFINITY) kernels.keepAtMost(tx, this.#words, asOf, this.#bits);
    if (validAt !== undefined) kernels.keepAtMost(validFrom, this.#words, validAt, this.#bits);
    for (let at = 0; at < head.ends; at++) {
      const end = endList[at] as (typeof endList)[number];
      if (end.tx <= asOf && (validAt === undefined || end.validTo <= validAt)) clearBit(bytes, this.#bits, end.row);
    }
  }

  #keepCandidates(candidates: IdColumn): void {
    const { memory, entities } = this.#loaded;
    const { kernels } = memory;
    const ids = dictionaryIds(candidates);
    const rows = ids.length / 2;
    const largest = largestNumber(ids);
    const idCount = largest + 1n;
    const idBytes = Math.ceil(Number(idCount) / 8);
    const idBits = memory.allocate(idBytes);
    const column = memory.allocate(4 * ids.length);
    try {
      memory.bytes.fill(0, idBits, idBits + idBytes);
      memory.wordsAt(column, ids.length).set(ids);
      kernels.markIds(column, rows, idBits, idCount);
      kernels.keepIdsMarked(entities, this.#state.head.rows, idBits, idCount, this.#bits);
    } finally {
      memory.free(column, 4 * ids.length);
      memory.free(idBits, idBytes);
    }
  }

  // What they score.

  #best(limit: number): ScoredRow[] {
    if (this.#count === 0) return [];
    const { memory, stride } = this.#loaded;
    const search = new CodeSearch(memory, this.#request.query, stride, Math.max(1, limit));
    try {
      if (this.#bits !== 0 && this.#count <= DIRECT_ROWS) {
        return this.#markedRows()
          .map((row) => ({ row, score: search.scoreOf(this.#vectorOf(row)) }))
          .sort((a, b) => b.score - a.score || a.row - b.row);
      }
      this.#look(search);
      return search.best((row) => this.#vectorOf(row));
    } finally {
      search.release();
    }
  }

  #markedRows(): number[] {
    const { bytes } = this.#loaded.memory;
    const rows: number[] = [];
    for (let byte = 0; byte < 8 * this.#words; byte++) {
      for (let left = bytes[this.#bits + byte] as number; left !== 0; left &= left - 1) {
        rows.push(8 * byte + 31 - Math.clz32(left & -left));
      }
    }
    return rows;
  }

  #look(search: CodeSearch): void {
    const segments = this.#loaded.segments(this.#state);
    const isExhaustive = this.#request.backend === 'brute' || this.#count <= EXHAUSTIVE_ROWS;
    const withLists = isExhaustive ? [] : segments.filter(({ centres }) => centres.length > 0);
    for (const segment of segments) {
      if (withLists.includes(segment)) continue;
      this.#lookAt(search, segment, 0, segment.rows);
    }
    if (withLists.length > 0) this.#lookAtLists(search, withLists);
  }

  /** Looks at the codes at some places of a segment; returns how many of them count. */
  #lookAt(search: CodeSearch, segment: CodeSegment, from: number, to: number): number {
    let seen = 0;
    for (let at = Math.floor(from / PART_ROWS); at * PART_ROWS < to; at++) {
      if (++this.#parts % PARTS_A_CHECK === 0) throwIfStopped(this.#control, WHAT);
      const first = at * PART_ROWS;
      const part = segment.part(at);
      seen += this.#lookAtPart(search, part, Math.max(0, from - first), Math.min(part.rows, to - first));
    }
    return seen;
  }

  #lookAtPart(search: CodeSearch, part: CodePart, from: number, to: number): number {
    if (this.#bits === 0) {
      search.score(part, from, to);
      return to - from;
    }
    const { memory } = this.#loaded;
    const count = memory.kernels.selectMarked(part.numbers, from, to, this.#bits, this.#list);
    search.score(part, 0, count, this.#list);
    return count;
  }

  #lookAtLists(search: CodeSearch, segments: readonly CodeSegment[]): void {
    const lists = this.#listsByNearness(search, segments);
    const listsMin = LISTS_FACTOR * Math.ceil(Math.sqrt(lists.length));
    const rowsMin = ROWS_FACTOR * this.#request.limit;
    // Where a filter has to do with what is near, the nearest rows that count lie in lists further away: it goes as far below the
    // last of those found as it goes below the nearest centre where all rows count.
    const depth = (lists[0]?.score ?? 0) - (lists[Math.min(listsMin, lists.length) - 1]?.score ?? 0);
    let [seen, looked] = [0, 0];
    for (const { segment, at, score } of lists) {
      const isNear = this.#bits !== 0 && score >= search.least - depth;
      if (looked >= listsMin && seen >= rowsMin && !isNear) return;
      const from = at === 0 ? 0 : (segment.listEnds[at - 1] as number);
      const found = this.#lookAt(search, segment, from, segment.listEnds[at] as number);
      seen += found;
      if (found > 0) looked++;
    }
  }

  #listsByNearness(
    search: CodeSearch,
    segments: readonly CodeSegment[],
  ): readonly { readonly segment: CodeSegment; readonly at: number; readonly score: number }[] {
    const { memory } = this.#loaded;
    const scores = memory.allocate(4 * PART_ROWS);
    const lists: { segment: CodeSegment; at: number; score: number }[] = [];
    for (const segment of segments) {
      for (const [part, centres] of segment.centres.entries()) {
        search.estimate(centres, scores);
        const floats = new Float32Array(memory.bytes.buffer, scores, centres.rows);
        for (const [at, score] of floats.entries()) lists.push({ segment, at: part * PART_ROWS + at, score });
      }
    }
    memory.free(scores, 4 * PART_ROWS);
    return lists.sort((a, b) => b.score - a.score);
  }

  #vectorOf(row: number): Uint8Array {
    const { head, store, transaction } = this.#state;
    const dimension = head.dimension as number;
    const block = Math.floor(row / valuesOfBlock(dimension));
    if (this.#value?.block !== block) {
      const bytes = store.readCopy(DATABASE, valuesKey(head.generation, block), transaction);
      this.#value = { block, bytes };
    }
    return vectorBytesIn(this.#value.bytes, dimension, row);
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

function setBit(bytes: Uint8Array, bits: number, row: number): void {
  const at = bits + (row >>> 3);
  bytes[at] = (bytes[at] as number) | (1 << (row & 7));
}

function clearBit(bytes: Uint8Array, bits: number, row: number): void {
  const at = bits + (row >>> 3);
  bytes[at] = (bytes[at] as number) & ~(1 << (row & 7));
}

/** Those of a column whose payload is a term number. */
function dictionaryIds(column: IdColumn): IdColumn {
  const ids: TermId[] = [];
  let isAll = true;
  for (let row = 0; row < column.length / 2; row++) {
    const tag = (column[2 * row + 1] as number) >>> 24;
    if (!isDictionaryTag(tag)) isAll = false;
  }
  if (isAll) return column;
  for (let row = 0; row < column.length / 2; row++) {
    const id = idIn(column, row);
    if (isDictionaryTag(tagOf(id))) ids.push(id);
  }
  return columnOf(ids);
}

function largestNumber(ids: IdColumn): bigint {
  let [low, high] = [0, 0];
  for (let row = 0; row < ids.length / 2; row++) {
    const [ownLow, ownHigh] = [ids[2 * row] as number, (ids[2 * row + 1] as number) & 0xffff];
    if (ownHigh > high || (ownHigh === high && ownLow > low)) [low, high] = [ownLow, ownHigh];
  }
  return (BigInt(high) << 32n) | BigInt(low);
}
