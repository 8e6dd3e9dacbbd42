/** The kernels of vectors and their codes, held against their plain twin. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadMemory } from '../../engine/kernels/memory.js';
import { randomNumbers } from '../storage/scan-support.js';
import * as twin from './twins/vector-codes.js';

const next = randomNumbers(5);
const DIMENSIONS = [1, 2, 15, 16, 17, 31, 32, 33, 48, 64, 100];

function randomVector(dimension: number): number[] {
  if (next(12) === 0) return new Array<number>(dimension).fill(0);
  const size = 2 ** (next(20) - 10);
  return Array.from({ length: dimension }, () => Math.fround(size * (next(2001) / 1000 - 1)));
}

class Codes {
  readonly memory = new ThreadMemory();
  readonly stride: number;
  readonly scales: number;
  readonly residuals: number;
  readonly codes: number;
  readonly expected: twin.Code[] = [];

  constructor(
    vectors: readonly (readonly number[])[],
    readonly dimension: number,
  ) {
    const { memory } = this;
    this.stride = 16 * Math.ceil(dimension / 16);
    this.scales = memory.allocate(4 * vectors.length);
    this.residuals = memory.allocate(4 * vectors.length);
    this.codes = memory.allocate(this.stride * vectors.length);
    const vector = memory.allocate(4 * dimension);
    const out = memory.allocate(8);
    for (const [at, numbers] of vectors.entries()) {
      this.floats(vector, dimension).set(numbers);
      const code = this.codes + at * this.stride;
      memory.kernels.quantiseVector(vector, dimension, code, this.stride, out);
      this.floats(this.scales, at + 1)[at] = this.floats(out, 2)[0] as number;
      this.floats(this.residuals, at + 1)[at] = this.floats(out, 2)[1] as number;
      this.expected.push(twin.quantiseVector(numbers));
    }
  }

  floats(address: number, count: number): Float32Array {
    return new Float32Array(this.memory.bytes.buffer, address, count);
  }

  /** A query as numbers of 16 bits. */
  query(vector: readonly number[]): { readonly address: number; readonly coded: twin.CodedQuery } {
    const length = twin.lengthOf(vector);
    const largest = Math.max(...vector.map(Math.abs));
    const numbers = vector.map((number) => (largest === 0 ? 0 : Math.round((number / largest) * 30_000)));
    const scale = length === 0 ? 0 : largest / length / 30_000;
    const address = this.memory.allocate(2 * this.stride);
    const padded = new Int16Array(this.memory.bytes.buffer, address, this.stride);
    padded.fill(0);
    padded.set(numbers);
    return { address, coded: { numbers, scale, length: 1.00001, slack: 0.0001 } };
  }
}

test('codes are those of the twin, and are off by no more than they say', () => {
  for (const dimension of DIMENSIONS) {
    const vectors = Array.from({ length: 30 }, () => randomVector(dimension));
    const codes = new Codes(vectors, dimension);
    for (const [at, { numbers, scale, residual }] of codes.expected.entries()) {
      const stored = new Int8Array(codes.memory.bytes.buffer, codes.codes + at * codes.stride, codes.stride);
      assert.deepEqual([...stored], [...numbers, ...new Array<number>(codes.stride - dimension).fill(0)]);
      assert.equal(codes.floats(codes.scales, 30)[at], scale);
      assert.ok(Math.abs((codes.floats(codes.residuals, 30)[at] as number) - residual) <= 1e-7);
      const length = twin.lengthOf(vectors[at] as number[]) || 1;
      const off = twin.lengthOf(
        (vectors[at] as number[]).map((number, i) => number / length - scale * (numbers[i] as number)),
      );
      assert.ok(off <= (codes.floats(codes.residuals, 30)[at] as number));
    }
  }
});

test('what codes say of products is what the twin says', () => {
  for (const dimension of DIMENSIONS) {
    const rows = 50;
    const codes = new Codes(
      Array.from({ length: rows }, () => randomVector(dimension)),
      dimension,
    );
    const { memory } = codes;
    const { address, coded } = codes.query(randomVector(dimension));
    const out = memory.allocate(4 * rows);
    memory.kernels.estimateCodes(codes.codes, rows, codes.stride, codes.scales, address, coded.scale, out);
    assert.deepEqual(
      [...codes.floats(out, rows)],
      codes.expected.map((code) => twin.estimateOf(code, coded)),
    );
  }
});

test('the nearest centres are those of the twin', () => {
  for (const dimension of DIMENSIONS) {
    const [rows, groups, centres] = [40, 5, 23];
    const codes = new Codes(
      Array.from({ length: rows + groups + centres }, () => randomVector(dimension)),
      dimension,
    );
    const { memory, stride } = codes;
    const [firstGroup, firstCentre] = [rows, rows + groups];
    const at = (row: number) => ({ codes: codes.codes + row * stride, scales: codes.scales + 4 * row });
    const [ofGroups, ofCentres] = [at(firstGroup), at(firstCentre)];
    const plain = {
      groups: codes.expected.slice(firstGroup, firstCentre),
      centres: codes.expected.slice(firstCentre),
      starts: [0, 3, 3, 10, 22, 23],
    };
    const [out, starts, scratch] = [memory.allocate(4 * rows), memory.allocate(24), memory.allocate(4 * groups)];
    memory.wordsAt(starts, 6).set(plain.starts);
    memory.kernels.nearestCentres(codes.codes, rows, stride, ofCentres.codes, ofCentres.scales, centres, out);
    const expected = codes.expected.slice(0, rows);
    assert.deepEqual(
      [...memory.wordsAt(out, rows)],
      expected.map((code) => twin.nearestCentre(code, plain.centres)),
    );
    for (const visited of [1, 2, 9]) {
      memory.kernels.nearestGroupedCentres(
        codes.codes,
        rows,
        stride,
        ofGroups.codes,
        ofGroups.scales,
        starts,
        groups,
        visited,
        ofCentres.codes,
        ofCentres.scales,
        scratch,
        out,
      );
      assert.deepEqual(
        [...memory.wordsAt(out, rows)],
        expected.map((code) => twin.nearestGroupedCentre(code, plain, visited)),
      );
    }
  }
});

test('products of vectors are those of the twin', () => {
  for (const dimension of DIMENSIONS) {
    const memory = new ThreadMemory();
    const [a, b] = [randomVector(dimension), randomVector(dimension)];
    const [one, other, out] = [memory.allocate(4 * dimension), memory.allocate(4 * dimension), memory.allocate(16)];
    new Float32Array(memory.bytes.buffer, one, dimension).set(a);
    new Float32Array(memory.bytes.buffer, other, dimension).set(b);
    memory.kernels.productOfVectors(one, other, dimension, out);
    const { product, squares } = twin.productOfVectors(a, b);
    const [isProduct = 0, isSquares = 0] = memory.doublesAt(out, 2);
    assert.ok(Math.abs(isProduct - product) <= 1e-12 * Math.max(1, Math.abs(squares)) * dimension);
    assert.ok(Math.abs(isSquares - squares) <= 1e-12 * squares * dimension);
  }
});

test('bits of rows are chosen by numbers and by ids', () => {
  const memory = new ThreadMemory();
  const rows = 1000;
  const [ids, numbers, bits, idBits, out] = [8 * rows, 4 * rows, 1024 / 8, 64, 4 * rows].map((bytes) =>
    memory.allocate(bytes),
  ) as [number, number, number, number, number];
  const numberOf = Array.from({ length: rows }, () => next(600));
  memory.bigsAt(ids, rows).set(numberOf.map((number) => (2n << 56n) | BigInt(number)));
  const marked = new Set(Array.from({ length: 100 }, () => next(500)));
  memory.bytes.fill(0, idBits, idBits + 64);
  const column = memory.allocate(8 * marked.size + 8);
  const list = [...marked, 511].map((number) => (2n << 56n) | BigInt(number));
  memory.bigsAt(column, list.length).set(list);
  memory.kernels.markIds(column, list.length, idBits, 500n);
  const live = Array.from({ length: rows }, () => next(3) > 0);
  memory.bytes.fill(0, bits, bits + 128);
  for (const [row, isLive] of live.entries()) {
    const byte = bits + (row >> 3);
    if (isLive) memory.bytes[byte] = (memory.bytes[byte] as number) | (1 << (row & 7));
  }
  assert.equal(memory.kernels.countBits(bits, 16), live.filter(Boolean).length);
  memory.kernels.keepIdsMarked(ids, rows, idBits, 500n, bits);
  const kept = numberOf.flatMap((number, row) => (live[row] && marked.has(number) ? [row] : []));
  assert.equal(memory.kernels.countBits(bits, 16), kept.length);
  const order = Array.from({ length: rows }, (_, at) => (at * 7) % rows);
  memory.wordsAt(numbers, rows).set(order);
  const count = memory.kernels.selectMarked(numbers, 10, 990, bits, out);
  const expected = order.flatMap((row, at) => (at >= 10 && at < 990 && kept.includes(row) ? [at] : []));
  assert.deepEqual([...memory.wordsAt(out, count)], expected);
});

test('rows are kept by numbers that are at most one', () => {
  const memory = new ThreadMemory();
  const rows = 192;
  const [numbers, bits] = [memory.allocate(8 * rows), memory.allocate(rows / 8)];
  const given = Array.from({ length: rows }, () => next(100) - 50);
  memory.doublesAt(numbers, rows).set(given);
  const live = Array.from({ length: rows }, (_, row) => row < 64 || next(2) === 0);
  memory.bytes.fill(0, bits, bits + rows / 8);
  for (const [row, isLive] of live.entries()) {
    const byte = bits + (row >> 3);
    if (isLive) memory.bytes[byte] = (memory.bytes[byte] as number) | (1 << (row & 7));
  }
  memory.kernels.keepAtMost(numbers, rows / 64, 7, bits);
  const kept = given.map((_, row) => ((memory.bytes[bits + (row >> 3)] as number) >> (row & 7)) & 1);
  assert.deepEqual(
    kept,
    given.map((number, row) => (live[row] && number <= 7 ? 1 : 0)),
  );
});
