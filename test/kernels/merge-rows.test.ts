/** Sorted batches of rows against each other: kernel = twin. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import { batch, inOrder, masks, orders, packOrder, placeBatch, placeOutput } from './row-batches.js';
import { extremes } from './twins/block.js';
import * as merge from './twins/merge-rows.js';
import { RUNS, randomFrom, u64 } from './values.js';

const areas = new Areas();
const { kernels } = areas;

/** Merges from the given rows on and compares; columns that are not wanted have no room to be written. */
function checkMergeOf(
  a: readonly merge.Row[],
  b: readonly merge.Row[],
  order: readonly number[],
  room: number,
  wanted: number,
  [fromA, fromB]: readonly [number, number] = [0, 0],
): void {
  const expected = merge.mergeRows(a.slice(fromA), b.slice(fromB), order, room);
  areas.run(() => {
    const { list, columns } = placeOutput(areas, expected.rows.length, wanted);
    const positions = areas.area(8);
    const [atA, atB, packed] = [placeBatch(areas, a), placeBatch(areas, b), packOrder(order)];
    const [toA, toB, depth] = [a.length, b.length, order.length];
    const { kernels } = areas;
    const made = kernels.mergeRowsOf(atA, fromA, toA, atB, fromB, toB, packed, depth, wanted, list, room, positions);
    assert.equal(made, expected.rows.length);
    assert.deepEqual(areas.readWords(positions, 2), [fromA + expected.usedA, fromB + expected.usedB]);
    columns.forEach((column, c) => {
      if (!((wanted >>> c) & 1)) return;
      assert.deepEqual(
        areas.readBigs(column, made),
        expected.rows.map((row) => row[c]),
      );
    });
  });
}

test('mergeRowsOf: kernel = twin, any columns, cut at any room and begun anywhere', () => {
  fc.assert(
    fc.property(batch, batch, orders, fc.nat({ max: 90 }), masks, fc.nat(), fc.nat(), (...args) => {
      const [anyA, anyB, order, room, wanted, skipA, skipB] = args;
      const [a, b] = [inOrder(anyA, order), inOrder(anyB, order)];
      checkMergeOf(a, b, order, room, wanted, [skipA % (a.length + 1), skipB % (b.length + 1)]);
    }),
    { numRuns: 2 * RUNS },
  );
});

/** Rows whose keys share their first column or not; the last columns name the row. */
function keyedRows(count: number, keys: number, seed: number, name: bigint, oneSubject: boolean): bigint[][] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, i) => {
    const [s, p, o] = [0, 0, 0].map(() => BigInt(Math.floor(random() * keys)));
    return [oneSubject ? 5n : s, p, o, 7n, 1n, name, BigInt(i), name] as bigint[];
  });
}

test('mergeRowsOf: kernel = twin, in stretches long and short and over several passes', () => {
  for (const [countA, countB, keys] of [
    [700, 700, 4000],
    [1500, 20, 40],
    [3, 1500, 9],
    [1200, 1200, 2],
    [1100, 1, 100],
  ] as const) {
    for (const oneSubject of [false, true]) {
      const order = [0, 1, 2, 3];
      const a = inOrder(keyedRows(countA, keys, 1, 1n, oneSubject), order);
      const b = inOrder(keyedRows(countB, keys, 2, 2n, oneSubject), order);
      for (const room of [4096, 1000, 513, 512, 8]) checkMergeOf(a, b, order, room, 0b11000111);
      checkMergeOf(a, b, order, 4096, 0);
    }
  }
  const equal = keyedRows(600, 1, 3, 1n, true);
  checkMergeOf(equal, keyedRows(600, 1, 4, 2n, true), [0, 1, 2, 3], 700, 255);
});

test('markPresent: kernel = twin, also when b comes in parts', () => {
  fc.assert(
    fc.property(batch, batch, orders, fc.integer({ min: 1, max: 10 }), (anyA, anyB, order, part) => {
      const [a, b] = [inOrder(anyA, order), inOrder(anyB, order)];
      areas.run(() => {
        const marks = areas.zeroed(a.length);
        const positions = areas.words([0, 0]);
        const [atA, atB, packed] = [placeBatch(areas, a), placeBatch(areas, b), packOrder(order)];
        for (let from = 0; from < b.length; from += part) {
          const [reached] = areas.readWords(positions, 1) as [number];
          const to = Math.min(from + part, b.length);
          kernels.markPresent(atA, reached, a.length, atB, from, to, packed, order.length, marks, positions);
        }
        assert.deepEqual([...areas.readBytes(marks, a.length)], merge.markPresent(a, b, order).map(Number));
      });
    }),
    { numRuns: RUNS },
  );
});

test('firstDisorder: kernel = twin', () => {
  fc.assert(
    fc.property(batch, orders, fc.boolean(), (drawn, order, sortFirst) => {
      const rows = sortFirst ? inOrder(drawn, order) : drawn;
      const actual = areas.run(() =>
        kernels.firstDisorder(placeBatch(areas, rows), rows.length, packOrder(order), order.length),
      );
      assert.equal(actual, merge.firstDisorder(rows, order));
    }),
    { numRuns: RUNS },
  );
});

test('extremes: kernel = twin', () => {
  fc.assert(
    fc.property(fc.array(u64, { minLength: 1, maxLength: 50 }), (values) => {
      areas.run(() => {
        const out = areas.area(16);
        kernels.extremes(areas.bigs(values), values.length, out);
        assert.deepEqual(areas.readBigs(out, 2), extremes(values));
      });
    }),
    { numRuns: RUNS },
  );
});
