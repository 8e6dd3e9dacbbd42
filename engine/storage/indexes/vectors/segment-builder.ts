/**
 * Makes the codes of a segment, step by step.
 *
 * 1. Few rows stay in their order. Of many, as many lists are made as the root of their number says: centres are found by
 *    k-means over a sample, on the sphere, since it is angles that are searched for.
 * 2. Each row's vector is made a code, and put into the list of the nearest centre. So that not every centre is looked at, the
 *    centres are in groups, found in the same way. All codes are in memory then.
 * 3. Codes are written in the order of their lists; where each list ends stands with its centre.
 */

import { ThreadMemory } from '../../../kernels/memory.js';
import { allocateColumns, type CodeColumns, copyRows, freeColumns, orderOf, rowsFrom } from './code-columns.js';
import { PART_ROWS, partAt, partBytes, sealPart, strideOf } from './code-part.js';
import { findCentres } from './k-means.js';
import { type VectorState, vectorsFrom } from './stored-vectors.js';
import type { PartKind, VectorHead } from './vector-records.js';

/** From so many rows on there are lists. */
export const LISTS_ROWS_MIN = 20_000;
/** Lists for each root of the number of rows: looking at centres then costs a small part of looking at lists. */
const LISTS_FACTOR = 1.5;
/** Rows of the sample for each list. */
const SAMPLE_ROWS = 12;
/** Groups of centres that are looked into for a row: enough that the nearest centre is hardly ever missed. */
const VISITED_GROUPS = 6;
/** Rows that one step takes: some milliseconds. */
const STEP_ROWS = 256;
/** Parts of a segment that one step gives. */
const STEP_PARTS = 4;

/** A part that is to be stored. */
export interface BuiltPart {
  readonly kind: PartKind;
  readonly at: number;
  readonly bytes: Buffer;
}

export class SegmentBuilder {
  /** How many lists the segment has; 0 = none. */
  readonly lists: number;
  readonly #from: number;
  readonly #rows: number;
  readonly #dimension: number;
  readonly #stride: number;
  readonly #memory = new ThreadMemory();
  readonly #work: Generator<readonly BuiltPart[], void, VectorState>;
  #begun = false;

  constructor(head: VectorHead, from: number, to: number, listsRowsMin: number) {
    this.#from = from;
    this.#rows = to - from;
    this.#dimension = head.dimension as number;
    this.#stride = strideOf(this.#dimension);
    this.lists = this.#rows < listsRowsMin ? 0 : Math.round(LISTS_FACTOR * Math.sqrt(this.#rows));
    this.#work = this.lists === 0 ? this.#flat() : this.#listed();
  }

  /** Parts that are ready; null = all is done. */
  step(state: VectorState): readonly BuiltPart[] | null {
    if (!this.#begun) {
      this.#begun = true;
      const first = this.#work.next(state);
      if (first.done === true) return null;
    }
    const next = this.#work.next(state);
    return next.done === true ? null : next.value;
  }

  *#flat(): Generator<readonly BuiltPart[], void, VectorState> {
    const address = this.#memory.allocate(partBytes(PART_ROWS, this.#stride));
    let state = yield [];
    for (let at = 0; at * PART_ROWS < this.#rows; at++) {
      const first = at * PART_ROWS;
      const count = Math.min(PART_ROWS, this.#rows - first);
      const part = { ...partAt(address, count), stride: this.#stride };
      this.#quantise(state, this.#from + first, this.#from + first + count, part);
      const numbers = this.#memory.wordsAt(part.numbers, count);
      for (let row = 0; row < count; row++) numbers[row] = this.#from + first + row;
      state = yield [{ kind: 'codes', at, bytes: sealPart(this.#memory, address, count, this.#stride) }];
    }
  }

  *#listed(): Generator<readonly BuiltPart[], void, VectorState> {
    const memory = this.#memory;
    const sample = yield* this.#sampled();
    const found = allocateColumns(memory, this.lists, this.#stride);
    for (const _ of findCentres(memory, sample, found, this.#dimension)) yield [];
    freeColumns(memory, sample);
    const grouped = yield* this.#grouped(found);
    const codes = allocateColumns(memory, this.#rows, this.#stride);
    const listOf = memory.allocate(4 * this.#rows);
    for (let row = 0; row < this.#rows; row += STEP_ROWS) {
      const state = yield [];
      const count = Math.min(STEP_ROWS, this.#rows - row);
      const place = rowsFrom(codes, row);
      this.#quantise(state, this.#from + row, this.#from + row + count, place);
      this.#assign(grouped, place, count, listOf + 4 * row);
    }
    const { order, ends } = orderOf(memory.wordsAt(listOf, this.#rows), this.lists);
    const { centres } = grouped;
    memory.wordsAt(centres.numbers, this.lists).set(ends);
    const numbers = memory.wordsAt(codes.numbers, this.#rows);
    for (let row = 0; row < this.#rows; row++) numbers[row] = this.#from + row;
    yield* this.#parts('lists', centres, null);
    yield* this.#parts('codes', codes, order);
  }

  #assign({ groups, starts, centres }: Groups, rows: CodeColumns, count: number, out: number): void {
    const memory = this.#memory;
    const scratch = memory.allocate(4 * groups.rows);
    memory.kernels.nearestGroupedCentres(
      rows.codes,
      count,
      this.#stride,
      groups.codes,
      groups.scales,
      starts,
      groups.rows,
      VISITED_GROUPS,
      centres.codes,
      centres.scales,
      scratch,
      out,
    );
    memory.free(scratch, 4 * groups.rows);
  }

  /** Makes codes of rows `[from, to)`. */
  #quantise(state: VectorState, from: number, to: number, { scales, residuals, codes }: CodeColumns): void {
    let at = 0;
    for (const { vector } of vectorsFrom(state, from, to)) {
      this.#quantiseOne(vector, scales + 4 * at, residuals + 4 * at, codes + this.#stride * at);
      at++;
    }
  }

  #vector = 0;

  #quantiseOne(vector: Uint8Array, scale: number, residual: number, code: number): void {
    const memory = this.#memory;
    if (this.#vector === 0) this.#vector = memory.allocate(4 * this.#dimension + 16);
    memory.bytes.set(vector, this.#vector + 16);
    memory.kernels.quantiseVector(this.#vector + 16, this.#dimension, code, this.#stride, this.#vector);
    const { words } = memory;
    words[scale / 4] = words[this.#vector / 4] as number;
    words[residual / 4] = words[this.#vector / 4 + 1] as number;
  }

  /** Codes of rows that are evenly spread. */
  *#sampled(): Generator<readonly BuiltPart[], CodeColumns, VectorState> {
    const count = Math.min(this.#rows, SAMPLE_ROWS * this.lists);
    const sample = allocateColumns(this.#memory, count, this.#stride);
    let state = yield [];
    for (let at = 0; at < count; at++) {
      const row = this.#from + Math.floor((at * this.#rows) / count);
      this.#quantise(state, row, row + 1, rowsFrom(sample, at));
      if (at % STEP_ROWS === STEP_ROWS - 1) state = yield [];
    }
    return sample;
  }

  /** Puts centres in the order of their groups. */
  *#grouped(centres: CodeColumns): Generator<readonly BuiltPart[], Groups, VectorState> {
    const memory = this.#memory;
    const count = Math.round(Math.sqrt(this.lists));
    const groups = allocateColumns(memory, count, this.#stride);
    for (const _ of findCentres(memory, centres, groups, this.#dimension)) yield [];
    const groupOf = memory.allocate(4 * this.lists);
    memory.kernels.nearestCentres(centres.codes, this.lists, this.#stride, groups.codes, groups.scales, count, groupOf);
    const { order, ends } = orderOf(memory.wordsAt(groupOf, this.lists), count);
    const ordered = allocateColumns(memory, this.lists, this.#stride);
    copyRows(memory, centres, ordered, { order, first: 0, count: this.lists });
    const starts = memory.allocate(4 * (count + 1));
    memory.wordsAt(starts, count + 1).set([0, ...ends]);
    return { groups, starts, centres: ordered };
  }

  /** What is to be stored: rows in an order; without one, in their own. */
  *#parts(
    kind: PartKind,
    columns: CodeColumns,
    order: Uint32Array | null,
  ): Generator<readonly BuiltPart[], void, VectorState> {
    const memory = this.#memory;
    const bytes = partBytes(PART_ROWS, this.#stride);
    const address = memory.allocate(bytes);
    let made: BuiltPart[] = [];
    for (let at = 0; at * PART_ROWS < columns.rows; at++) {
      const first = at * PART_ROWS;
      const count = Math.min(PART_ROWS, columns.rows - first);
      const part = { ...partAt(address, count), stride: this.#stride };
      copyRows(memory, columns, part, { order, first, count });
      made.push({ kind, at, bytes: sealPart(memory, address, count, this.#stride) });
      if (made.length === STEP_PARTS) {
        yield made;
        made = [];
      }
    }
    if (made.length > 0) yield made;
    memory.free(address, bytes);
  }
}

/** Centres in the order of their groups, and where each group begins. */
interface Groups {
  readonly groups: CodeColumns;
  readonly starts: number;
  readonly centres: CodeColumns;
}
