/**
 * The rows of vectors that count at one moment: by time and by the entities that may be found, complete before anything is
 * ranked. A set of bits in the memory of the vectors, until it is released.
 */

import { isDictionaryTag, type TermId, tagOf } from '../../ids/layout.js';
import { columnOf, idIn } from '../../seam/rows.js';
import type { IdColumn } from '../../seam/scan.js';
import type { NearList } from './list-order.js';
import { type LoadedVectors, loadedVectors } from './loaded-vectors.js';
import { PassingRows } from './passing-rows.js';
import type { CodeSegment } from './plane-part.js';
import type { RowsByEntity } from './rows-by-entity.js';
import type { VectorState } from './stored-vectors.js';
import type { VectorMoment } from './vector-reader.js';
import { DATABASE, valuesKey, valuesOfBlock, vectorBytesIn } from './vector-records.js';

/** Entities that are so small a part of the rows are looked up one by one. */
const FEW_SHARE = 4;
/** Filters of so many entities are kept. */
const KEPT_IDS_LEAST = 1024;

export interface RowsAsked extends VectorMoment {
  /** Entities that may be found, each once; absent = all. */
  readonly candidates?: IdColumn | undefined;
}

export class MarkedRows {
  readonly loaded: LoadedVectors;
  readonly words: number;
  /** How many count. */
  count: number;
  /** Null = all rows count. */
  #passing: PassingRows | null = null;
  #isKept = false;
  #value: { readonly block: number; readonly bytes: Buffer | undefined } | null = null;

  constructor(
    private readonly state: VectorState,
    private readonly request: RowsAsked,
  ) {
    this.loaded = loadedVectors(state);
    this.words = Math.ceil(state.head.rows / 64);
    this.count = state.head.rows;
    try {
      this.#mark();
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Their bits; 0 = all rows count. */
  get bits(): number {
    return this.#passing?.bits ?? 0;
  }

  /** Bits of the places of a segment whose rows count; 0 = rows have to be gone by. */
  placeBits(segment: CodeSegment): number {
    return this.#passing?.placeBits(segment) ?? 0;
  }

  /** Which part of the rows of a list counts; null = it is not known before they are looked at. */
  shareOf({ segment, number, from, to }: NearList): number | null {
    const counts = this.#passing?.listCounts(segment);
    return counts == null || to === from ? null : (counts[number] as number) / (to - from);
  }

  release(): void {
    if (!this.#isKept) this.#passing?.free();
    this.#passing = null;
  }

  /** The rows that count, ascending. */
  rows(): number[] {
    if (this.bits === 0) return Array.from({ length: this.state.head.rows }, (_, row) => row);
    const { bytes } = this.loaded.memory;
    const rows: number[] = [];
    for (let byte = 0; byte < 8 * this.words; byte++) {
      for (let left = bytes[this.bits + byte] as number; left !== 0; left &= left - 1) {
        rows.push(8 * byte + 31 - Math.clz32(left & -left));
      }
    }
    return rows;
  }

  /** The stored numbers of a row, until the next row is asked for. */
  vectorOf(row: number): Uint8Array {
    const { head, store, transaction } = this.state;
    const dimension = head.dimension as number;
    const block = Math.floor(row / valuesOfBlock(dimension));
    if (this.#value?.block !== block) {
      const bytes = store.readCopy(DATABASE, valuesKey(head.generation, block), transaction);
      this.#value = { block, bytes };
    }
    return vectorBytesIn(this.#value.bytes, dimension, row);
  }

  #mark(): void {
    const { head } = this.state;
    const { validAt, asOf, candidates } = this.request;
    const isPast = validAt !== undefined || asOf !== undefined;
    if (!isPast && candidates === undefined && head.embedded === head.rows) return;
    const { filters, memory } = this.loaded;
    const moment = [head.rows, head.ends, head.nextSegment, validAt, asOf];
    const known = filters.find(candidates, moment);
    if (known !== null) {
      this.#isKept = true;
      this.#take(known);
      return;
    }
    const passing = new PassingRows(memory, head.rows);
    this.#passing = passing;
    if (isPast) this.#markPast();
    else this.#markCurrent();
    if (candidates !== undefined) this.#keepCandidates(candidates);
    passing.count = memory.kernels.countBits(passing.bits, this.words);
    // Few entities are looked up faster than compared, and what is current is kept already.
    const isWorth = isPast || (candidates !== undefined && candidates.length >= 2 * KEPT_IDS_LEAST);
    this.#isKept = isWorth && filters.keep(candidates, moment, passing, head.rows);
    this.#take(passing);
  }

  #take(passing: PassingRows): void {
    this.#passing = passing;
    this.count = passing.count;
    if (this.count === this.state.head.rows) this.release();
  }

  #markCurrent(): void {
    const { memory, current, ends, endList } = this.loaded;
    const { head } = this.state;
    const { bytes } = memory;
    bytes.copyWithin(this.bits, current, current + 8 * this.words);
    for (let at = head.ends; at < ends; at++) {
      const { row } = endList[at] as (typeof endList)[number];
      if (row < head.rows) setBit(bytes, this.bits, row);
    }
    for (let row = head.rows; row < 64 * this.words; row++) clearBit(bytes, this.bits, row);
  }

  #markPast(): void {
    const { memory, endList } = this.loaded;
    const { head } = this.state;
    const { validAt, asOf = Number.POSITIVE_INFINITY } = this.request;
    const times = this.loaded.times(this.state);
    const { bytes } = memory;
    bytes.fill(0xff, this.bits, this.bits + 8 * this.words);
    for (let row = head.rows; row < 64 * this.words; row++) clearBit(bytes, this.bits, row);
    if (asOf !== Number.POSITIVE_INFINITY) times.keepAtMost('tx', this.words, asOf, this.bits);
    if (validAt !== undefined) times.keepAtMost('validFrom', this.words, validAt, this.bits);
    for (let at = 0; at < head.ends; at++) {
      const end = endList[at] as (typeof endList)[number];
      if (end.tx <= asOf && (validAt === undefined || end.validTo <= validAt)) clearBit(bytes, this.bits, end.row);
    }
  }

  #keepCandidates(candidates: IdColumn): void {
    const { memory } = this.loaded;
    const ids = dictionaryIds(candidates);
    const column = memory.allocate(4 * ids.length);
    try {
      memory.wordsAt(column, ids.length).set(ids);
      const isFew = FEW_SHARE * ids.length <= 2 * this.state.head.rows;
      const rows = isFew ? this.loaded.rowsByEntity() : null;
      if (rows === null) this.#keepAmong(ids, column);
      else this.#keepRowsOf(rows, ids.length / 2, column);
    } finally {
      memory.free(column, 4 * ids.length);
    }
  }

  /** Goes by the entities. */
  #keepRowsOf(rows: RowsByEntity, count: number, column: number): void {
    const { memory } = this.loaded;
    const own = memory.allocate(8 * this.words);
    memory.bytes.fill(0, own, own + 8 * this.words);
    rows.mark(column, count, this.state.head.rows, own);
    memory.kernels.keepBits(this.bits, own, this.words);
    memory.free(own, 8 * this.words);
  }

  /** Goes by the rows. */
  #keepAmong(ids: IdColumn, column: number): void {
    const { memory, entities } = this.loaded;
    const { kernels } = memory;
    const idCount = largestNumber(ids) + 1n;
    const idBytes = Math.ceil(Number(idCount) / 8);
    const idBits = memory.allocate(idBytes);
    try {
      memory.bytes.fill(0, idBits, idBits + idBytes);
      kernels.markIds(column, ids.length / 2, idBits, idCount);
      kernels.keepIdsMarked(entities, this.state.head.rows, idBits, idCount, this.bits);
    } finally {
      memory.free(idBits, idBytes);
    }
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
