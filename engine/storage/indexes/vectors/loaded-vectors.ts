/**
 * What a thread keeps in memory of the vectors of a store: of each row its entity, of the newest state which rows are
 * current, and codes. All states of a generation are beginnings of one sequence, so what is kept serves snapshots of any
 * age: to an older one, later rows are not there, and rows that ended later are current.
 *
 * The memory is WebAssembly memory of its own, which is given back with the object. Parts of segments come when they are
 * first read, and stay up to a bound; parts beyond it are read each time. Segments that the newest state does not have any
 * more are forgotten. Nothing here waits for anything, so addresses hold during a search.
 */

import { getOrInsert } from '../../../base/maps.js';
import { ThreadMemory } from '../../../kernels/memory.js';
import { type CodePart, openPart, PART_ROWS, partAt, partBytes, strideOf } from './code-part.js';
import { damagedVectors } from './damaged-vectors.js';
import { KeptFilters } from './kept-filters.js';
import {
  type CodeSegment,
  type PlanePart,
  type PlaneRun,
  planeBytesOf,
  planePartAt,
  planePartBytes,
  splitInto,
} from './plane-part.js';
import { RowTimes } from './row-times.js';
import { RowsByEntity } from './rows-by-entity.js';
import { type VectorState, vectorsFrom } from './stored-vectors.js';
import {
  BLOCK_ROWS,
  DATABASE,
  type PartKind,
  partKey,
  rowIn,
  rowsKey,
  type SegmentRecord,
  unsealRows,
  type VectorEnd,
  type VectorHead,
} from './vector-records.js';
import { readEnds } from './vector-rows.js';

/** Of codes that one thread keeps of one store: 2.6 million vectors of 384 numbers. */
const CODE_BYTES_MAX = 2 ** 30;
const ID_BYTES = 8;
/** Room for rows that are yet to come, as a share of those that are there. */
const SPARE_SHARE = 1 / 16;
const SPARE_ROWS = 1024;

/** Parts of one segment, one behind the other in a range of memory. */
interface KeptParts<Part> {
  /** 0 = there is no room for them, and each is read when it is asked for. */
  readonly address: number;
  readonly bytes: number;
  readonly parts: (Part | undefined)[];
}

/** A part of a segment that has so many rows, or lists. */
interface PartName {
  readonly kind: PartKind;
  readonly id: number;
  readonly at: number;
  readonly rows: number;
}

interface KeptSegment {
  readonly centres: KeptParts<CodePart>;
  readonly codes: KeptParts<PlanePart>;
  readonly rows: number;
  /** The address of the place of each row; 0 = nobody has asked. */
  places: number;
}

/** Codes of the rows from one on, so many; parts have room for all of their rows. */
interface Tail {
  readonly from: number;
  readonly parts: number[];
  count: number;
}

export class LoadedVectors {
  readonly memory = new ThreadMemory();
  readonly filters = new KeptFilters();
  readonly generation: number;
  readonly dimension: number;
  readonly stride: number;
  readonly #plane: number;
  rows = 0;
  ends = 0;
  #room = 0;
  #entities = 0;
  #current = 0;
  /** In their sequence. */
  readonly endList: VectorEnd[] = [];
  readonly #endOfRow = new Map<number, number>();
  readonly #times = new RowTimes(this.memory);
  readonly #segments = new Map<number, KeptSegment>();
  #tail: Tail | null = null;
  readonly #rowsByEntity = new RowsByEntity(this.memory);
  #newest = 0;
  #codeBytes = 0;
  /** For a part as it is stored, and for one that is not kept. */
  #stored = 0;
  #passing = 0;

  constructor({ generation, dimension }: VectorHead) {
    this.generation = generation;
    this.dimension = dimension as number;
    this.stride = strideOf(this.dimension);
    this.#plane = planeBytesOf(this.dimension);
  }

  /** The ids of the entities of rows, u64. */
  get entities(): number {
    return this.#entities;
  }

  /** Bits of the rows that are current in the newest state that was read. */
  get current(): number {
    return this.#current;
  }

  /** The end of a row in a state; null = it has none. */
  endOf(row: number, { head }: VectorState): VectorEnd | null {
    const at = this.#endOfRow.get(row);
    return at === undefined || at >= head.ends ? null : (this.endList[at] as VectorEnd);
  }

  /** Reads what the state has and this has not. */
  catchUp(state: VectorState): void {
    const { head } = state;
    this.#reserve(head.rows);
    for (let row = this.rows; row < head.rows; ) row = this.#readRows(state, row);
    this.rows = Math.max(this.rows, head.rows);
    if (head.ends > this.ends) {
      const { bytes } = this.memory;
      for (const end of readEnds(state.store, head, this.ends, head.ends, state.transaction)) {
        const byte = this.#current + (end.row >>> 3);
        bytes[byte] = (bytes[byte] as number) & ~(1 << (end.row & 7));
        this.#endOfRow.set(end.row, this.endList.length);
        this.endList.push(end);
      }
      this.ends = head.ends;
    }
    if (head.nextSegment > this.#newest) this.#forgetSegments(head);
  }

  #readRows({ head, store, transaction }: VectorState, row: number): number {
    const block = Math.floor(row / BLOCK_ROWS);
    const first = block * BLOCK_ROWS;
    const end = Math.min(head.rows, first + BLOCK_ROWS);
    const value = store.readCopy(DATABASE, rowsKey(head.generation, block), transaction);
    const bytes = unsealRows(value, block, end - first);
    const ids = this.memory.bigsAt(this.#entities, this.#room);
    const all = this.memory.bytes;
    for (let at = row; at < end; at++) {
      ids[at] = rowIn(bytes, at - first).entity;
      const byte = this.#current + (at >>> 3);
      all[byte] = (all[byte] as number) | (1 << (at & 7));
    }
    return end;
  }

  #reserve(rows: number): void {
    if (rows <= this.#room) return;
    const room = 64 * Math.ceil((rows * (1 + SPARE_SHARE) + SPARE_ROWS) / 64);
    const { memory } = this;
    const entities = memory.allocate(ID_BYTES * room);
    const current = memory.allocate(room / 8);
    memory.bytes.fill(0, current, current + room / 8);
    if (this.#room > 0) {
      memory.bytes.copyWithin(entities, this.#entities, this.#entities + ID_BYTES * this.rows);
      memory.bytes.copyWithin(current, this.#current, this.#current + this.#room / 8);
      memory.free(this.#entities, ID_BYTES * this.#room);
      memory.free(this.#current, this.#room / 8);
    }
    this.#entities = entities;
    this.#current = current;
    this.#room = room;
  }

  #forgetSegments({ segments, nextSegment }: VectorHead): void {
    this.#newest = nextSegment;
    const ids = new Set(segments.map(({ id }) => id));
    for (const [id, { centres, codes, places, rows }] of this.#segments) {
      if (ids.has(id)) continue;
      if (centres.address !== 0) this.memory.free(centres.address, centres.bytes);
      if (codes.address !== 0) {
        this.memory.free(codes.address, codes.bytes);
        this.#codeBytes -= codes.bytes;
      }
      if (places !== 0) this.memory.free(places, 4 * rows);
      this.#segments.delete(id);
    }
  }

  /** Transactions and beginnings of validity of the rows of a state; read when first asked for. */
  times({ head, store, transaction }: VectorState): RowTimes {
    const times = this.#times;
    for (let block = Math.floor(times.count / BLOCK_ROWS); block * BLOCK_ROWS < head.rows; block++) {
      const first = block * BLOCK_ROWS;
      const end = Math.min(head.rows, first + BLOCK_ROWS);
      const value = store.readCopy(DATABASE, rowsKey(head.generation, block), transaction);
      const bytes = unsealRows(value, block, end - first);
      for (let at = Math.max(first, times.count); at < end; at++) times.add(rowIn(bytes, at - first));
    }
    return times;
  }

  /** Finds rows by their entities; null = their numbers lie too far apart. */
  rowsByEntity(): RowsByEntity | null {
    return this.#rowsByEntity.follow(this.#entities, this.rows) ? this.#rowsByEntity : null;
  }

  /** All codes of a state. */
  segments(state: VectorState): CodeSegment[] {
    const segments = state.head.segments.map((segment) => this.#segment(state, segment));
    const from = state.head.segments.at(-1)?.to ?? 0;
    if (from < state.head.rows) segments.push(this.#tailOf(state, from));
    return segments;
  }

  #segment(state: VectorState, { id, from, to, lists }: SegmentRecord): CodeSegment {
    const rows = to - from;
    const kept = getOrInsert(this.#segments, id, () => this.#keptSegment(rows, lists));
    const centres = Array.from(
      { length: Math.ceil(lists / PART_ROWS) },
      (_, at) => kept.centres.parts[at] ?? this.#readCentres(state, kept, { kind: 'lists', id, at, rows: lists }),
    );
    const listEnds = new Uint32Array(lists);
    for (const [at, { rows: count, numbers }] of centres.entries()) {
      listEnds.set(this.memory.wordsAt(numbers, count), at * PART_ROWS);
    }
    if (lists > 0 && listEnds[lists - 1] !== rows) {
      throw damagedVectors(`the lists of segment ${id} of the vectors do not end where it ends`);
    }
    const part = (at: number): PlanePart =>
      kept.codes.parts[at] ?? this.#readCodes(state, kept, { kind: 'codes', id, at, rows });
    const partCount = Math.ceil(rows / PART_ROWS);
    const run = (at: number, count: number): PlaneRun => {
      const { upper } = part(at);
      const parts = kept.codes.address === 0 ? 1 : count;
      for (let other = 1; other < parts; other++) part(at + other);
      return { upper, parts };
    };
    const places = (): number => {
      if (kept.places === 0 && kept.codes.address !== 0) kept.places = this.#placesOf(part, from, rows);
      return kept.places;
    };
    return { rows, centres, listEnds, partCount, part, run, from, places };
  }

  #placesOf(part: (at: number) => PlanePart, from: number, rows: number): number {
    const parts = Array.from({ length: Math.ceil(rows / PART_ROWS) }, (_, at) => part(at));
    const places = this.memory.allocate(4 * rows);
    for (const [at, { rows: count, numbers }] of parts.entries()) {
      this.memory.kernels.invertPlaces(numbers, count, at * PART_ROWS, from, places);
    }
    return places;
  }

  #keptSegment(rows: number, lists: number): KeptSegment {
    const kept = <Part>(bytes: number, isKept: boolean): KeptParts<Part> => ({
      address: isKept && bytes > 0 ? this.memory.allocate(bytes) : 0,
      bytes,
      parts: [],
    });
    const partOf = planePartBytes(PART_ROWS, this.#plane);
    const codeBytes = partOf * Math.ceil(rows / PART_ROWS);
    const isKept = this.#codeBytes + codeBytes <= CODE_BYTES_MAX;
    if (isKept) this.#codeBytes += codeBytes;
    const centreBytes = partBytes(PART_ROWS, this.stride) * Math.ceil(lists / PART_ROWS);
    return { centres: kept(centreBytes, true), codes: kept(codeBytes, isKept), rows, places: 0 };
  }

  #readCentres(state: VectorState, { centres }: KeptSegment, part: PartName): CodePart {
    const address = centres.address + part.at * partBytes(PART_ROWS, this.stride);
    const read = this.#readPart(state, address, part);
    centres.parts[part.at] = read;
    return read;
  }

  #readCodes(state: VectorState, { codes }: KeptSegment, part: PartName): PlanePart {
    const { memory, stride, dimension } = this;
    const plane = this.#plane;
    if (this.#stored === 0) this.#stored = memory.allocate(partBytes(PART_ROWS, stride));
    const bytes = planePartBytes(PART_ROWS, plane);
    if (codes.address === 0 && this.#passing === 0) this.#passing = memory.allocate(bytes);
    const stored = this.#readPart(state, this.#stored, part);
    const address = codes.address === 0 ? this.#passing : codes.address + part.at * bytes;
    const read = planePartAt(address, stored.rows, PART_ROWS, plane);
    splitInto(memory, read, 0, stored, { stride, dimension, plane });
    if (codes.address !== 0) codes.parts[part.at] = read;
    return read;
  }

  #readPart({ head, store, transaction }: VectorState, address: number, { kind, id, at, rows }: PartName): CodePart {
    const count = Math.min(PART_ROWS, rows - at * PART_ROWS);
    const value = store.readCopy(DATABASE, partKey(head.generation, kind, id, at), transaction);
    const what = `part ${at} of the ${kind} of segment ${id} of the vectors`;
    return openPart(this.memory, address, value, count, this.stride, what);
  }

  /** The rows behind the last segment, made codes here. */
  #tailOf(state: VectorState, from: number): CodeSegment {
    const bytes = planePartBytes(PART_ROWS, this.#plane);
    if (this.#tail?.from !== from) {
      for (const address of this.#tail?.parts ?? []) this.memory.free(address, bytes);
      this.#tail = { from, parts: [], count: 0 };
    }
    const tail = this.#tail;
    const rows = state.head.rows - from;
    if (tail.count < rows) {
      while (tail.parts.length * PART_ROWS < rows) tail.parts.push(this.memory.allocate(bytes));
      for (const row of this.#quantise(state, from + tail.count)) tail.count = row + 1 - from;
    }
    const part = (at: number): PlanePart =>
      planePartAt(tail.parts[at] as number, Math.min(PART_ROWS, rows - at * PART_ROWS), PART_ROWS, this.#plane);
    const partCount = Math.ceil(rows / PART_ROWS);
    const run = (at: number): PlaneRun => ({ upper: part(at).upper, parts: 1 });
    return { rows, centres: [], listEnds: new Uint32Array(0), partCount, part, run, from, places: () => 0 };
  }

  /** Makes codes of the rows of the tail from one on; tells of each when it is there. */
  *#quantise(state: VectorState, first: number): Generator<number> {
    const { memory, dimension, stride } = this;
    const tail = this.#tail as Tail;
    const codeBytes = partBytes(1, stride);
    const bytes = 4 * dimension + codeBytes;
    const scratch = memory.allocate(bytes);
    const code = partAt(scratch, 1);
    const sizes = { stride, dimension, plane: this.#plane };
    try {
      for (const { row, vector } of vectorsFrom(state, first, state.head.rows)) {
        const at = (row - tail.from) % PART_ROWS;
        const address = tail.parts[Math.floor((row - tail.from) / PART_ROWS)] as number;
        memory.bytes.set(vector, scratch + codeBytes);
        // Its scale, and its residual behind it.
        memory.kernels.quantiseVector(scratch + codeBytes, dimension, code.codes, stride, code.scales);
        memory.wordsAt(code.numbers, 1)[0] = row;
        splitInto(memory, planePartAt(address, PART_ROWS, PART_ROWS, this.#plane), at, code, sizes);
        yield row;
      }
    } finally {
      memory.free(scratch, bytes);
    }
  }
}

const loaded = new WeakMap<object, LoadedVectors>();

/** What this thread keeps of the vectors of a store, with all that a state has. */
export function loadedVectors(state: VectorState): LoadedVectors {
  const key = state.store.lineage ?? state.store;
  let found = loaded.get(key);
  if (found?.generation !== state.head.generation) {
    found = new LoadedVectors(state.head);
    loaded.set(key, found);
  }
  try {
    found.catchUp(state);
  } catch (error) {
    // It may have caught up half way.
    loaded.delete(key);
    throw error;
  }
  return found;
}
