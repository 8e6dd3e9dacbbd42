/** The kernels of codes as planes, held against their plain twin. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { randomNumbers } from '../storage/scan-support.js';
import * as twin from './twins/code-planes.js';
import { type CodedQuery, estimateOf, lengthOf, quantiseVector, scoreCodes } from './twins/vector-codes.js';

const next = randomNumbers(11);
const DIMENSIONS = [1, 2, 8, 9, 15, 16, 17, 24, 25, 31, 32, 33, 48, 49, 64, 100, 384];
const QUERY_MAX = 1900;

/** Some with all numbers the same, or one of them far larger: codes of -127 and 127, and of 0. */
function randomVector(dimension: number): number[] {
  const kind = next(12);
  if (kind === 0) return new Array<number>(dimension).fill(0);
  const size = 2 ** (next(20) - 10);
  if (kind === 1) return Array.from({ length: dimension }, () => (next(2) === 0 ? size : -size));
  const peak = kind === 2 ? next(dimension) : -1;
  return Array.from(
    { length: dimension },
    (_, at) => (at === peak ? -9 : 1) * Math.fround(size * (next(2001) / 1000 - 1)),
  );
}

class Planes {
  readonly memory = new ThreadMemory();
  readonly codes: readonly ReturnType<typeof quantiseVector>[];
  readonly plane: number;
  readonly at: Readonly<Record<'scales' | 'residuals' | 'slacks' | 'numbers' | 'upper' | 'lower', number>>;

  constructor(
    readonly dimension: number,
    vectors: readonly (readonly number[])[],
  ) {
    const { memory } = this;
    const rows = vectors.length;
    const stride = 16 * Math.ceil(dimension / 16);
    this.plane = 16 * Math.ceil(dimension / 32);
    this.codes = vectors.map(quantiseVector);
    const [scales, residuals, slacks, numbers] = [1, 2, 3, 4].map(() => memory.allocate(4 * rows)) as [
      number,
      number,
      number,
      number,
    ];
    const [upper, lower] = [memory.allocate(this.plane * rows), memory.allocate(this.plane * rows)];
    this.at = { scales, residuals, slacks, numbers, upper, lower };
    const codes = memory.allocate(stride * rows);
    memory.bytes.fill(0, codes, codes + stride * rows);
    for (const [row, code] of this.codes.entries()) {
      new Int8Array(memory.bytes.buffer, codes + stride * row, dimension).set(code.numbers);
      this.floats(scales, rows)[row] = code.scale;
      this.floats(residuals, rows)[row] = code.residual;
      memory.wordsAt(numbers, rows)[row] = 1000 + row;
    }
    memory.kernels.splitCodes(codes, rows, stride, dimension, scales, residuals, upper, lower, this.plane, slacks);
  }

  floats(address: number, count: number): Float32Array {
    return new Float32Array(this.memory.bytes.buffer, address, count);
  }

  query(vector: readonly number[]): {
    readonly address: number;
    readonly sum: number;
    readonly turned: number;
    readonly coded: CodedQuery;
  } {
    const length = lengthOf(vector);
    const largest = Math.max(...vector.map(Math.abs));
    const numbers = vector.map((number) => (largest === 0 ? 0 : Math.round((number / largest) * QUERY_MAX)));
    const scale = length === 0 ? 0 : largest / length / QUERY_MAX;
    const address = this.memory.allocate(4 * this.plane);
    new Int16Array(this.memory.bytes.buffer, address, 2 * this.plane).set(twin.planeQuery(numbers, 2 * this.plane));
    const { sum, turned } = twin.sumsOf(numbers);
    return { address, sum, turned, coded: { numbers, scale, length: 1.001, slack: 0.001 } };
  }

  estimate(
    { address, sum, turned, coded }: ReturnType<Planes['query']>,
    list: number,
    from: number,
    to: number,
  ): number[] {
    const { upper, scales } = this.at;
    const out = this.memory.allocate(4 * (to - from));
    const { kernels } = this.memory;
    kernels.estimatePlanes(upper, this.plane, scales, list, from, to, address, sum, turned, coded.scale, out);
    return [...this.floats(out, to - from)];
  }
}

test('the upper bits of codes say what the twin says, and are off by no more than they say', () => {
  for (const dimension of DIMENSIONS) {
    const vectors = Array.from({ length: 61 }, () => randomVector(dimension));
    const planes = new Planes(dimension, vectors);
    const asked = randomVector(dimension);
    const query = planes.query(asked);
    const found = planes.estimate(query, 0, 3, 61);
    const slacks = planes.floats(planes.at.slacks, 61);
    for (const [row, code] of planes.codes.entries()) {
      const slack = twin.slackOf(code);
      assert.ok(Math.abs((slacks[row] as number) - slack) <= 1e-5, `${dimension} numbers, row ${row}`);
      if (row < 3) continue;
      const expected = twin.estimateOfUpper(code, query.coded);
      assert.ok(Math.abs((found[row - 3] as number) - expected) <= 1e-5, `${dimension} numbers, row ${row}`);
      const lengths = lengthOf(vectors[row] as number[]) * query.coded.scale;
      const product = (vectors[row] as number[]).reduce(
        (sum, number, at) => sum + number * (query.coded.numbers[at] as number),
        0,
      );
      const cosine = lengths === 0 ? 0 : (product * query.coded.scale) / lengthOf(vectors[row] as number[]);
      assert.ok(Math.abs(cosine - (found[row - 3] as number)) <= (slacks[row] as number) * query.coded.length + 1e-6);
    }
    // By a list whose rows lie apart, and by one whose rows do not.
    for (const step of [1, 5]) {
      const chosen = Array.from({ length: Math.floor(61 / step) }, (_, at) => at * step);
      const list = planes.memory.allocate(4 * chosen.length);
      planes.memory.wordsAt(list, chosen.length).set(chosen);
      const whole = planes.estimate(query, 0, 0, 61);
      assert.deepEqual(
        planes.estimate(query, list, 1, chosen.length),
        chosen.slice(1).map((row) => whole[row]),
      );
    }
  }
});

test('a search keeps exactly the rows whose upper bound by all bits reaches the k-th lower bound, by lists and without', () => {
  for (const dimension of DIMENSIONS) {
    const rows = 200;
    const planes = new Planes(
      dimension,
      Array.from({ length: rows }, () => randomVector(dimension)),
    );
    const { memory, at } = planes;
    const query = planes.query(randomVector(dimension));
    for (const limit of [1, 3, 50, 500]) {
      const chosen = Array.from({ length: rows }, (_, row) => row).filter(() => limit !== 3 || next(3) === 0);
      const list = memory.allocate(4 * rows);
      memory.wordsAt(list, chosen.length).set(chosen);
      const given = limit === 3 ? list : 0;
      let room = 64;
      const [heap, candidates] = [memory.allocate(4 * limit), memory.allocate(16 * 1024)];
      const state = memory.allocate(32);
      memory.wordsAt(state, 8).set([0xff800000, 0, room, 0, limit, heap, candidates, 0]);
      const estimates = memory.allocate(4 * rows);
      planes.floats(estimates, chosen.length).set(planes.estimate(query, given, 0, chosen.length));
      for (let from = 0; from < chosen.length; ) {
        from = memory.kernels.keepCandidates(
          estimates,
          at.slacks,
          at.upper,
          at.lower,
          planes.plane,
          at.scales,
          at.residuals,
          at.numbers,
          given,
          0,
          0,
          0,
          from,
          chosen.length,
          query.address,
          query.sum,
          query.turned,
          query.coded.scale,
          query.coded.length,
          query.coded.slack,
          state,
        );
        if (from < chosen.length && memory.kernels.dropCandidates(state) > room / 2) {
          room *= 2;
          memory.wordsAt(state, 8)[2] = room;
        }
      }
      const count = memory.kernels.dropCandidates(state);
      const words = memory.wordsAt(candidates, 4 * count);
      const found = Array.from({ length: count }, (_, place) => words[4 * place] as number);
      const codes = chosen.map((row) => planes.codes[row] as ReturnType<typeof quantiseVector>);
      const expected = scoreCodes(codes, query.coded, limit).map((place) => 1000 + (chosen[place] as number));
      assert.deepEqual(found, expected, `${dimension} numbers, ${limit} wanted`);
      for (const [place, row] of found.entries()) {
        const estimate = planes.floats(candidates, 4 * count)[4 * place + 2] as number;
        assert.equal(estimate, estimateOf(planes.codes[row - 1000] as ReturnType<typeof quantiseVector>, query.coded));
      }
    }
  }
});
