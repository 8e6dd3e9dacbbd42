/** Permutations of rows: kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { batch, masks, orders, packOrder, placeBatch, placeOutput, row } from './row-batches.js';
import type { Row } from './twins/merge-rows.js';
import * as twin from './twins/permutation.js';
import { radixSortPermutation } from './twins/sort-rows.js';
import { RUNS, randomFrom } from './values.js';

const areas = new Areas();
const { kernels } = areas;

const numbersOf = (rows: readonly Row[]): number[] => [...rows.keys()];
const sorted = (rows: readonly Row[], order: readonly number[]) => twin.sortPermutation(rows, numbersOf(rows), order);

/** A key of the first `depth` columns: that of a row, or any. */
const picks = fc.tuple(fc.nat(), row, fc.boolean(), fc.nat());

function pickKey(rows: readonly Row[], order: readonly number[], pick: [number, Row, boolean, number]) {
  const [at, drawn, ofRow, depth] = pick;
  const prefix = order.slice(0, depth % (order.length + 1));
  const source = ofRow && rows.length > 0 ? (rows[at % rows.length] as Row) : drawn;
  return { prefix, key: twin.keyOf(source, prefix) };
}

test('lowerBoundRows, findRow: kernel = twin, at every depth', () => {
  fc.assert(
    fc.property(batch, orders, picks, fc.nat(), (rows, order, pick, skip) => {
      const permutation = sorted(rows, order);
      const { prefix, key } = pickKey(rows, order, pick);
      const from = skip % (rows.length + 1);
      areas.run(() => {
        const [columns, list, keyAt] = [placeBatch(areas, rows), areas.words(permutation), areas.bigs(key)];
        const packed = packOrder(order);
        const { length: count } = rows;
        const { length: depth } = prefix;
        assert.equal(
          kernels.lowerBoundRows(columns, list, count, packed, depth, keyAt, from),
          twin.lowerBoundRows(rows, permutation, prefix, key, from),
        );
        const found = kernels.findRow(columns, list, count, packed, depth, keyAt);
        assert.equal(found, twin.findRow(rows, permutation, prefix, key));
        const dense = placeBatch(
          areas,
          permutation.map((number) => rows[number] as Row),
        );
        assert.equal(kernels.findRow(dense, 0, count, packed, depth, keyAt), found);
        assert.equal(
          kernels.lowerBoundRows(dense, 0, count, packed, depth, keyAt, from),
          twin.lowerBoundRows(rows, permutation, prefix, key, from),
        );
      });
    }),
    { numRuns: 2 * RUNS },
  );
});

function checkSort(rows: readonly Row[], permutation: readonly number[], order: readonly number[]): void {
  areas.run(() => {
    const [columns, list] = [placeBatch(areas, rows), areas.words(permutation)];
    const scratch = permutation.length < 24 ? 0 : areas.area(4 * permutation.length);
    kernels.sortPermutation(columns, list, permutation.length, packOrder(order), order.length, scratch);
    assert.deepEqual(areas.readWords(list, permutation.length), twin.sortPermutation(rows, permutation, order));
    if (permutation.length === 0) return;
    const digits = areas.words(permutation);
    const digitsScratch = areas.area(16_384 + 20 * permutation.length);
    kernels.radixSortPermutation(columns, digits, permutation.length, packOrder(order), order.length, digitsScratch);
    assert.deepEqual(areas.readWords(digits, permutation.length), radixSortPermutation(rows, permutation, order));
  });
}

/** Rows of few different values, so many that a sort takes several passes. */
function manyRows(count: number, seed: number): bigint[][] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => Array.from({ length: 8 }, () => BigInt(Math.floor(random() * 12))));
}

test('sortPermutation, radixSortPermutation: kernel = twin, equal rows as they came', () => {
  fc.assert(
    fc.property(batch, orders, fc.boolean(), (rows, order, backwards) => {
      checkSort(rows, backwards ? numbersOf(rows).reverse() : numbersOf(rows), order);
    }),
    { numRuns: RUNS },
  );
  for (const count of [23, 24, 25, 48, 49, 96, 97, 500, 1537]) {
    const rows = manyRows(count, count);
    checkSort(rows, numbersOf(rows), [1, 2, 0, 3, 4]);
    checkSort(rows, sorted(rows, [1, 2, 0, 3, 4]), [1, 2, 0, 3, 4]);
    checkSort(rows, sorted(rows, [0, 1, 2, 3]).reverse(), [1, 2, 0, 3, 4]);
    // Columns of one value, of few, of narrow ranges high up, and of all 64 bits.
    const random = randomFrom(count);
    const wide = rows.map(([few, other]) => {
      const any = BigInt(Math.floor(random() * 2 ** 32)) * 2n ** 32n + (few as bigint);
      return [few as bigint, any, 2n ** 63n + (other as bigint), 7n, any, 0n, 0n, 2n ** 64n - 1n - (few as bigint)];
    });
    for (const order of [[0, 1, 2, 3, 4], [2, 0, 7, 1], [3], [1], [7, 2, 0]]) checkSort(wide, numbersOf(wide), order);
  }
});

function checkMerge(rows: readonly Row[], oldRows: number, order: readonly number[]): void {
  const numbers = numbersOf(rows);
  const old = twin.sortPermutation(rows, numbers.slice(0, oldRows), order);
  const added = twin.sortPermutation(rows, numbers.slice(oldRows), order);
  areas.run(() => {
    const out = areas.area(4 * rows.length);
    const [columns, oldAt, addedAt] = [placeBatch(areas, rows), areas.words(old), areas.words(added)];
    const packed = packOrder(order);
    kernels.mergePermutation(columns, oldAt, old.length, addedAt, added.length, packed, order.length, out);
    assert.deepEqual(areas.readWords(out, rows.length), twin.mergePermutation(rows, old, added, order));
  });
}

test('mergePermutation: kernel = twin, few rows into many and many into few', () => {
  fc.assert(
    fc.property(batch, orders, fc.nat(), (rows, order, cut) => checkMerge(rows, cut % (rows.length + 1), order)),
    { numRuns: RUNS },
  );
  const rows = manyRows(1200, 7);
  for (const oldRows of [0, 1, 600, 1190, 1199, 1200]) checkMerge(rows, oldRows, [2, 0, 1, 3, 4]);
});

test('gatherRows: kernel = twin, columns that are not wanted stay as they are', () => {
  fc.assert(
    fc.property(batch, orders, masks, fc.nat(), fc.nat(), (rows, order, wanted, a, b) => {
      const permutation = sorted(rows, order);
      const [x, y] = [a % (rows.length + 1), b % (rows.length + 1)];
      const [from, to] = [Math.min(x, y), Math.max(x, y)];
      const expected = twin.gatherRows(rows, permutation, from, to, wanted);
      areas.run(() => {
        const out = placeOutput(areas, to - from, wanted);
        kernels.gatherRows(placeBatch(areas, rows), areas.words(permutation), from, to, wanted, out.list);
        expected.forEach((column, c) => {
          if (column !== null) assert.deepEqual(areas.readBigs(out.columns[c] as number, to - from), column);
        });
      });
    }),
    { numRuns: RUNS },
  );
});
