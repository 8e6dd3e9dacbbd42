/**
 * Makes the codes of a segment, step by step.
 *
 * 1. Few rows stay in their order. Of many, as many lists are made as the root of their number says: centres are found by
 *    k-means over a sample, on the sphere, since it is angles that are searched for.
 * 2. Each row's vector is made a code, and put into the list of the nearest centre. All codes are in memory then.
 * 3. Codes are written in the order of their lists; where each list ends stands with its centre.
 */

import { ThreadMemory } from '../../../kernels/memory.js';
import { PART_ROWS, partAt, partBytes, sealPart, strideOf } from './code-part.js';
import { type VectorState, vectorsFrom } from './loaded-vectors.js';
import type { PartKind, VectorHead } from './vector-records.js';

/** From so many rows on there are lists. */
const LISTS_ROWS_MIN = 20_000;
/** Rows of the sample for each list, and how often the centres are moved. */
const SAMPLE_ROWS = 32;
const ROUNDS = 5;
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

  constructor(head: VectorHead, from: number, to: number) {
    this.#from = from;
    this.#rows = to - from;
    this.#dimension = head.dimension as number;
    this.#stride = strideOf(this.#dimension);
    this.lists = this.#rows < LISTS_ROWS_MIN ? 0 : Math.round(Math.sqrt(this.#rows));
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
      const part = partAt(address, count);
      this.#quantise(state, this.#from + first, this.#from + first + count, part);
      const numbers = this.#memory.wordsAt(part.numbers, count);
      for (let row = 0; row < count; row++) numbers[row] = this.#from + first + row;
      state = yield [{ kind: 'codes', at, bytes: sealPart(this.#memory, address, count, this.#stride) }];
    }
  }

  *#listed(): Generator<readonly BuiltPart[], void, VectorState> {
    const memory = this.#memory;
    let state = yield [];
    const centres = this.#columns(this.lists);
    yield* this.#train(centres);
    const codes = this.#columns(this.#rows);
    const listOf = memory.allocate(4 * this.#rows);
    for (let row = 0; row < this.#rows; row += STEP_ROWS) {
      state = yield [];
      const count = Math.min(STEP_ROWS, this.#rows - row);
      const place = rowsFrom(codes, row, this.#stride);
      this.#quantise(state, this.#from + row, this.#from + row + count, place);
      memory.kernels.nearestCentres(
        place.codes,
        count,
        this.#stride,
        centres.codes,
        centres.scales,
        this.lists,
        listOf + 4 * row,
      );
    }
    const { order, ends } = this.#orderOf(memory.wordsAt(listOf, this.#rows));
    memory.wordsAt(centres.numbers, this.lists).set(ends);
    yield* this.#parts('lists', centres, null, this.lists);
    yield* this.#parts('codes', codes, order, this.#rows);
  }

  /** Columns of so many rows in memory. */
  #columns(rows: number): Columns {
    const memory = this.#memory;
    return {
      scales: memory.allocate(4 * rows),
      residuals: memory.allocate(4 * rows),
      numbers: memory.allocate(4 * rows),
      codes: memory.allocate(this.#stride * rows),
    };
  }

  /** Makes codes of rows `[from, to)`. */
  #quantise(state: VectorState, from: number, to: number, { scales, residuals, codes }: Columns): void {
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

  *#train(centres: Columns): Generator<readonly BuiltPart[], void, VectorState> {
    const memory = this.#memory;
    const count = Math.min(this.#rows, SAMPLE_ROWS * this.lists);
    const sample = this.#columns(count);
    const listOf = memory.allocate(4 * count);
    let state = yield [];
    for (let at = 0; at < count; at++) {
      const row = this.#from + Math.floor((at * this.#rows) / count);
      this.#quantise(state, row, row + 1, rowsFrom(sample, at, this.#stride));
      if (at % STEP_ROWS === STEP_ROWS - 1) state = yield [];
    }
    const means = new Float32Array(this.lists * this.#dimension);
    for (let list = 0; list < this.lists; list++) {
      addCode(
        memory,
        rowsFrom(sample, Math.floor((list * count) / this.lists), this.#stride),
        means,
        list,
        this.#dimension,
      );
    }
    this.#setCentres(centres, means);
    for (let round = 0; round < ROUNDS; round++) {
      for (let at = 0; at < count; at += STEP_ROWS) {
        yield [];
        const some = rowsFrom(sample, at, this.#stride);
        const rows = Math.min(STEP_ROWS, count - at);
        const { codes, scales } = centres;
        memory.kernels.nearestCentres(some.codes, rows, this.#stride, codes, scales, this.lists, listOf + 4 * at);
      }
      yield [];
      means.fill(0);
      const lists = memory.wordsAt(listOf, count);
      for (let at = 0; at < count; at++) {
        addCode(memory, rowsFrom(sample, at, this.#stride), means, lists[at] as number, this.#dimension);
        if (at % STEP_ROWS === STEP_ROWS - 1) yield [];
      }
      this.#setCentres(centres, means);
    }
    for (const [address, bytes] of [
      [sample.scales, 4],
      [sample.residuals, 4],
      [sample.numbers, 4],
      [sample.codes, this.#stride],
      [listOf, 4],
    ] as const) {
      memory.free(address, bytes * count);
    }
  }

  /** A list that lost all of its rows keeps its centre. */
  #setCentres(centres: Columns, means: Float32Array): void {
    for (let list = 0; list < this.lists; list++) {
      const mean = means.subarray(list * this.#dimension, (list + 1) * this.#dimension);
      if (mean.every((number) => number === 0)) continue;
      const place = rowsFrom(centres, list, this.#stride);
      const bytes = new Uint8Array(mean.buffer, mean.byteOffset, mean.byteLength);
      this.#quantiseOne(bytes, place.scales, place.residuals, place.codes);
    }
  }

  /** Rows by list, and where each list ends. */
  #orderOf(listOf: Uint32Array): { readonly order: Uint32Array; readonly ends: Uint32Array } {
    const ends = new Uint32Array(this.lists);
    for (const list of listOf) ends[list] = (ends[list] as number) + 1;
    for (let list = 1; list < this.lists; list++) {
      ends[list] = (ends[list] as number) + (ends[list - 1] as number);
    }
    const next = ends.slice();
    const order = new Uint32Array(this.#rows);
    for (let row = this.#rows - 1; row >= 0; row--) {
      const list = listOf[row] as number;
      const place = (next[list] as number) - 1;
      next[list] = place;
      order[place] = row;
    }
    return { order, ends };
  }

  /** What is to be stored: rows of columns in an order; without one, in their own, with the numbers that they have. */
  *#parts(
    kind: PartKind,
    columns: Columns,
    order: Uint32Array | null,
    rows: number,
  ): Generator<readonly BuiltPart[], void, VectorState> {
    const memory = this.#memory;
    const stride = this.#stride;
    const address = memory.allocate(partBytes(PART_ROWS, stride));
    let made: BuiltPart[] = [];
    for (let at = 0; at * PART_ROWS < rows; at++) {
      const first = at * PART_ROWS;
      const count = Math.min(PART_ROWS, rows - first);
      const part = partAt(address, count);
      const { words, bytes } = memory;
      for (let i = 0; i < count; i++) {
        const row = order === null ? first + i : (order[first + i] as number);
        words[part.scales / 4 + i] = words[columns.scales / 4 + row] as number;
        words[part.residuals / 4 + i] = words[columns.residuals / 4 + row] as number;
        words[part.numbers / 4 + i] = order === null ? (words[columns.numbers / 4 + row] as number) : this.#from + row;
        const code = columns.codes + stride * row;
        bytes.copyWithin(part.codes + stride * i, code, code + stride);
      }
      made.push({ kind, at, bytes: sealPart(memory, address, count, stride) });
      if (made.length === STEP_PARTS) {
        yield made;
        made = [];
      }
    }
    if (made.length > 0) yield made;
    memory.free(address, partBytes(PART_ROWS, stride));
  }
}

interface Columns {
  readonly scales: number;
  readonly residuals: number;
  readonly numbers: number;
  readonly codes: number;
}

function rowsFrom({ scales, residuals, numbers, codes }: Columns, row: number, stride: number): Columns {
  return {
    scales: scales + 4 * row,
    residuals: residuals + 4 * row,
    numbers: numbers + 4 * row,
    codes: codes + stride * row,
  };
}

/** Adds what a code stands for to the sum of a list. */
function addCode(
  memory: ThreadMemory,
  { scales, codes }: Columns,
  sums: Float32Array,
  list: number,
  dimension: number,
): void {
  const scale = new Float32Array(memory.bytes.buffer, scales, 1)[0] as number;
  const code = new Int8Array(memory.bytes.buffer, codes, dimension);
  const begin = list * dimension;
  for (let i = 0; i < dimension; i++) sums[begin + i] = (sums[begin + i] as number) + scale * (code[i] as number);
}
