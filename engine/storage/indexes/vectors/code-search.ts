/**
 * Finds the rows nearest to a query by their codes, so that none is missed: what a code says is off by at most a bound that is
 * known, so a row whose upper bound does not reach the k-th of the lower bounds is not among the first k. The others are
 * scored by their vectors, those with the highest upper bounds first, until no upper bound reaches the k-th score.
 */

import type { ThreadMemory } from '../../../kernels/memory.js';
import { type CodePart, PART_ROWS } from './code-part.js';
import { type CodeSegment, type PlaneRun, planeBytesOf, planePartBytes } from './plane-part.js';

/**
 * Of the numbers of a query: for planes of codes, one less 16 times another has to fit 16 bits. Less where the sum of their
 * products with codes would not fit 32.
 */
const QUERY_MAX = Math.floor(32_767 / 17);
const CODE_MAX = 128;
const PRODUCT_MAX = 2 ** 31 - 1;
/** Numbers of a group of a plane, and how many of them have the same place in a word: `kernels/as/code-planes.ts`. */
const GROUP_NUMBERS = 32;
const PLACE_NUMBERS = 8;
/** What rounding to f32 adds to an estimate of at most 1, many times over. */
const ROUNDING = 1e-6;
const CANDIDATES_AT_FIRST = 4096;
/** Parts of codes that are looked at before it is asked whether to stop: some tenths of a millisecond. */
const PARTS_A_CHECK = 16;
const CANDIDATE_BYTES = 16;
const STATE_BYTES = 32;
/** Words of the state, as `kernels/as/vector-codes.ts` lays them out. */
const STATE = { reach: 0, count: 1, room: 2, heapCount: 3, heapRoom: 4, heap: 5, candidates: 6, seen: 7 } as const;

/** Bits of the rows that count, or of the places where they stand; 0 = all rows count. */
export interface Marks {
  readonly bits: number;
  readonly isByPlace: boolean;
}

/** A row and its cosine. */
export interface ScoredRow {
  readonly row: number;
  readonly score: number;
}

export class CodeSearch {
  readonly #memory: ThreadMemory;
  readonly #stride: number;
  readonly #plane: number;
  readonly #dimension: number;
  readonly #limit: number;
  readonly #queryLength: number;
  #scale = 0;
  #codeLength = 0;
  #slack = 0;
  /** Of the numbers of the query, and 8 times that of those whose place in a word is the highest. */
  #sum = 0;
  #turned = 0;
  #room = CANDIDATES_AT_FIRST;
  readonly #query: number;
  readonly #numbers: number;
  readonly #planeQuery: number;
  readonly #vector: number;
  readonly #state: number;
  readonly #heap: number;
  readonly #estimates: number;
  readonly #list: number;
  #candidates: number;
  #parts = 0;

  /** The memory is that of the codes. Whoever makes it releases it. */
  constructor(memory: ThreadMemory, query: Float32Array, stride: number, limit: number) {
    this.#memory = memory;
    this.#stride = stride;
    this.#plane = planeBytesOf(query.length);
    this.#dimension = query.length;
    this.#limit = limit;
    this.#query = memory.allocate(4 * query.length);
    this.#numbers = memory.allocate(2 * stride);
    this.#planeQuery = memory.allocate(4 * this.#plane);
    this.#vector = memory.allocate(4 * query.length + 16);
    this.#state = memory.allocate(STATE_BYTES);
    this.#heap = memory.allocate(4 * limit);
    this.#estimates = memory.allocate(4 * PART_ROWS);
    this.#list = memory.allocate(4 * PART_ROWS);
    this.#candidates = memory.allocate(CANDIDATE_BYTES * this.#room);
    this.#queryLength = Math.sqrt(query.reduce((sum, number) => sum + number * number, 0));
    memory.bytesAt(this.#query, 4 * query.length).set(new Uint8Array(query.buffer, query.byteOffset, query.byteLength));
    this.#quantise(query);
    const words = memory.wordsAt(this.#state, STATE_BYTES / 4);
    words.fill(0);
    words[STATE.reach] = 0xff800000; // minus infinity
    words[STATE.room] = this.#room;
    words[STATE.heapRoom] = limit;
    words[STATE.heap] = this.#heap;
    words[STATE.candidates] = this.#candidates;
  }

  #quantise(query: Float32Array): void {
    const numbers = new Int16Array(this.#stride);
    const largest = query.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
    if (largest > 0) {
      const most = Math.min(QUERY_MAX, Math.floor(PRODUCT_MAX / (CODE_MAX * this.#dimension)));
      this.#scale = largest / this.#queryLength / most;
      let [missing, length] = [0, 0];
      for (const [at, number] of query.entries()) {
        const rounded = Math.round((number / largest) * most);
        numbers[at] = rounded;
        missing += (number / this.#queryLength - this.#scale * rounded) ** 2;
        length += (this.#scale * rounded) ** 2;
      }
      this.#slack = Math.sqrt(missing) + ROUNDING;
      this.#codeLength = Math.sqrt(length) + ROUNDING;
    }
    this.#memory.bytesAt(this.#numbers, 2 * this.#stride).set(new Uint8Array(numbers.buffer));
    this.#writePlaneQuery(numbers);
  }

  #writePlaneQuery(numbers: Int16Array): void {
    const query = new Int16Array(2 * this.#plane);
    for (let at = 0; at < this.#dimension; at++) {
      const number = numbers[at] as number;
      const place = at % GROUP_NUMBERS;
      this.#sum += number;
      if (place >= GROUP_NUMBERS - PLACE_NUMBERS) this.#turned += 8 * number;
      query[at] = (query[at] as number) + number;
      if (place < GROUP_NUMBERS - PLACE_NUMBERS) query[at + PLACE_NUMBERS] = -16 * number;
    }
    this.#memory.bytesAt(this.#planeQuery, 4 * this.#plane).set(new Uint8Array(query.buffer));
  }

  /**
   * Looks at the codes at places `[from, to)` of a segment; returns how many of them count. `pace` is called now and then, and may throw.
   */
  lookAt(segment: CodeSegment, from: number, to: number, marks: Marks, pace?: () => void): number {
    const before = this.#seen;
    const last = Math.ceil(to / PART_ROWS);
    for (let at = from; at < to; ) {
      const part = Math.floor(at / PART_ROWS);
      const run = segment.run(part, Math.min(last - part, PARTS_A_CHECK));
      const end = Math.min(to, (part + run.parts) * PART_ROWS);
      this.#lookAtRun(run, part * PART_ROWS, at, end, marks);
      at = end;
      this.#parts += run.parts;
      if (this.#parts < PARTS_A_CHECK) continue;
      pace?.();
      this.#parts = 0;
    }
    return this.#seen - before;
  }

  /** The same where the places stand in a run of parts, which begins at `first`. */
  #lookAtRun({ upper }: PlaneRun, first: number, from: number, to: number, { bits, isByPlace }: Marks): void {
    const memory = this.#memory;
    const { searchParts, dropCandidates } = memory.kernels;
    const partBytes = planePartBytes(PART_ROWS, this.#plane);
    for (let at = from; at < to; ) {
      at = searchParts(
        upper,
        partBytes,
        this.#plane,
        first,
        at,
        to,
        bits,
        isByPlace ? 1 : 0,
        this.#list,
        this.#estimates,
        this.#planeQuery,
        this.#sum,
        this.#turned,
        this.#scale,
        this.#codeLength,
        this.#slack,
        this.#state,
      );
      if (at < to && dropCandidates(this.#state) > this.#room / 2) this.#grow();
    }
  }

  /** Rows that were looked at. */
  get #seen(): number {
    return this.#memory.words[this.#state / 4 + STATE.seen] as number;
  }

  /** What a row must be able to reach: the k-th of the lower bounds so far; minus infinity while there are fewer. */
  get least(): number {
    const { bytes } = this.#memory;
    return new DataView(bytes.buffer, this.#state, STATE_BYTES).getFloat32(4 * STATE.reach, true);
  }

  /** Writes to `out` what the codes of a part say of the products of their rows with the query, as f32. */
  estimate({ codes, rows, scales }: CodePart, out: number): void {
    this.#memory.kernels.estimateCodes(codes, rows, this.#stride, scales, this.#numbers, this.#scale, out);
  }

  #grow(): void {
    const memory = this.#memory;
    const larger = memory.allocate(2 * CANDIDATE_BYTES * this.#room);
    memory.bytes.copyWithin(larger, this.#candidates, this.#candidates + CANDIDATE_BYTES * this.#room);
    memory.free(this.#candidates, CANDIDATE_BYTES * this.#room);
    this.#candidates = larger;
    this.#room *= 2;
    const words = memory.wordsAt(this.#state, STATE_BYTES / 4);
    words[STATE.room] = this.#room;
    words[STATE.candidates] = larger;
  }

  /**
   * The first rows of those that were looked at, score descending, and all whose score is that of the last of them. `vectorOf`
   * gives the stored numbers of a row.
   */
  best(vectorOf: (row: number) => Uint8Array): ScoredRow[] {
    const memory = this.#memory;
    const count = memory.kernels.dropCandidates(this.#state);
    const words = memory.wordsAt(this.#candidates, 4 * count);
    const floats = new Float32Array(words.buffer, words.byteOffset, 4 * count);
    const uppers = Float64Array.from(
      { length: count },
      (_, at) => (floats[4 * at + 2] as number) + (floats[4 * at + 3] as number),
    );
    const order = Uint32Array.from({ length: count }, (_, at) => at).sort(
      (a, b) => (uppers[b] as number) - (uppers[a] as number),
    );
    const first = new FirstScores(this.#limit);
    const scored: ScoredRow[] = [];
    for (const at of order) {
      if ((uppers[at] as number) < first.least) break;
      const row = words[4 * at] as number;
      const score = this.scoreOf(vectorOf(row));
      first.add(score);
      if (score >= first.least) scored.push({ row, score });
    }
    return scored.filter(({ score }) => score >= first.least).sort((a, b) => b.score - a.score || a.row - b.row);
  }

  /** The cosine of the query and a vector; 0 where one of them is all zeros. */
  scoreOf(vector: Uint8Array): number {
    const memory = this.#memory;
    memory.bytes.set(vector, this.#vector + 16);
    memory.kernels.productOfVectors(this.#vector + 16, this.#query, this.#dimension, this.#vector);
    const sums = memory.doublesAt(this.#vector, 2);
    const [product, squares] = [sums[0] as number, sums[1] as number];
    if (squares === 0 || this.#queryLength === 0) return 0;
    return product / (Math.sqrt(squares) * this.#queryLength);
  }

  release(): void {
    const memory = this.#memory;
    memory.free(this.#query, 4 * this.#dimension);
    memory.free(this.#numbers, 2 * this.#stride);
    memory.free(this.#planeQuery, 4 * this.#plane);
    memory.free(this.#vector, 4 * this.#dimension + 16);
    memory.free(this.#state, STATE_BYTES);
    memory.free(this.#heap, 4 * this.#limit);
    memory.free(this.#estimates, 4 * PART_ROWS);
    memory.free(this.#list, 4 * PART_ROWS);
    memory.free(this.#candidates, CANDIDATE_BYTES * this.#room);
  }
}

/** The greatest of some scores: a heap, the least of them first. */
export class FirstScores {
  readonly #limit: number;
  readonly #heap: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What another one has to be at least; minus infinity while there are fewer than the limit. */
  get least(): number {
    return this.#heap.length < this.#limit ? Number.NEGATIVE_INFINITY : (this.#heap[0] as number);
  }

  add(score: number): void {
    const heap = this.#heap;
    if (heap.length < this.#limit) {
      let at = heap.push(score) - 1;
      for (let above = (at - 1) >> 1; at > 0 && (heap[above] as number) > score; above = (at - 1) >> 1) {
        heap[at] = heap[above] as number;
        at = above;
      }
      heap[at] = score;
    } else if (score > (heap[0] as number)) {
      let at = 0;
      for (;;) {
        let below = 2 * at + 1;
        if (below >= heap.length) break;
        if (below + 1 < heap.length && (heap[below + 1] as number) < (heap[below] as number)) below++;
        if ((heap[below] as number) >= score) break;
        heap[at] = heap[below] as number;
        at = below;
      }
      heap[at] = score;
    }
  }
}
