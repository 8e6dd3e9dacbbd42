/**
 * Centres of codes by k-means on the sphere: each row belongs to the centre whose product with it is the greatest, and each
 * centre moves to the direction of the sum of its rows. They begin as rows that are evenly spread, and move a few times, since
 * lists need no more than to be near.
 */

import type { ThreadMemory } from '../../../kernels/memory.js';
import { type CodeColumns, rowsFrom } from './code-columns.js';

const ROUNDS = 3;
/** Products of rows with centres that one step takes: some milliseconds. */
const STEP_PRODUCTS = 262_144;
/** Rows whose codes are added up in one step. */
const STEP_SUMS = 4096;

/** Writes the centres; comes back now and then while it works. There are at least as many rows as centres. */
export function* findCentres(
  memory: ThreadMemory,
  rows: CodeColumns,
  centres: CodeColumns,
  dimension: number,
): Generator<void> {
  const count = centres.rows;
  const nearest = memory.allocate(4 * rows.rows);
  const sums = new Float32Array(count * dimension);
  const step = Math.max(1, Math.floor(STEP_PRODUCTS / count));
  for (let centre = 0; centre < count; centre++) {
    addCode(memory, rowsFrom(rows, Math.floor((centre * rows.rows) / count)), sums, centre, dimension);
  }
  moveCentres(memory, centres, sums, dimension);
  for (let round = 0; round < ROUNDS; round++) {
    for (let at = 0; at < rows.rows; at += step) {
      yield;
      const { codes, stride } = rowsFrom(rows, at);
      const some = Math.min(step, rows.rows - at);
      memory.kernels.nearestCentres(codes, some, stride, centres.codes, centres.scales, count, nearest + 4 * at);
    }
    sums.fill(0);
    const centreOf = memory.wordsAt(nearest, rows.rows);
    for (let at = 0; at < rows.rows; at++) {
      if (at % STEP_SUMS === 0) yield;
      addCode(memory, rowsFrom(rows, at), sums, centreOf[at] as number, dimension);
    }
    moveCentres(memory, centres, sums, dimension);
  }
  memory.free(nearest, 4 * rows.rows);
}

/** Adds what a code stands for to the sum of a centre. */
function addCode(
  memory: ThreadMemory,
  { scales, codes }: CodeColumns,
  sums: Float32Array,
  centre: number,
  dimension: number,
): void {
  const { buffer } = memory.bytes;
  const scale = new Float32Array(buffer, scales, 1)[0] as number;
  const code = new Int8Array(buffer, codes, dimension);
  const begin = centre * dimension;
  for (let i = 0; i < dimension; i++) sums[begin + i] = (sums[begin + i] as number) + scale * (code[i] as number);
}

/** A centre that lost all of its rows stays where it is. */
function moveCentres(memory: ThreadMemory, centres: CodeColumns, sums: Float32Array, dimension: number): void {
  const vector = memory.allocate(4 * dimension + 16);
  for (let centre = 0; centre < centres.rows; centre++) {
    const sum = sums.subarray(centre * dimension, (centre + 1) * dimension);
    if (sum.every((number) => number === 0)) continue;
    const { codes, scales, residuals, stride } = rowsFrom(centres, centre);
    memory.bytes.set(new Uint8Array(sum.buffer, sum.byteOffset, sum.byteLength), vector + 16);
    memory.kernels.quantiseVector(vector + 16, dimension, codes, stride, vector);
    const { words } = memory;
    words[scales / 4] = words[vector / 4] as number;
    words[residuals / 4] = words[vector / 4 + 1] as number;
  }
  memory.free(vector, 4 * dimension + 16);
}
